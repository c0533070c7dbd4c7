# shellcheck shell=bash
# prec's queries beside the scripts of perf that they replace, on the same recordings, and a sum by symbol beside report. Rows for
# tests/bench/run. A script that perf cannot run here, for want of its interpreter or of the event, is left out, with the reason.
scripts=/usr/lib/perf-core/scripts
ratios=()

query_data() {	# FILE OPTIONS...: a recording by prec, with its index, that perf's scripts can read
	PERF='' make_data "$@" || return
	"$PERF" script -i "$1" -F time >/dev/null 2>&1 || { echo "skipped: $PERF does not read $1" >&2; rm -f "$1"; return 1; }
}

query_row() {	# NAME FILE SCRIPT ARGUMENTS...: beside @NAME
	local name="query $1" said
	wanted "$name" && [ -s "$2" ] || return 0
	"$PERF" script -i "$2" -s "$3" "${@:4}" >said.script 2>&1 || { echo "skipped: $name: $(tail -1 said.script)" >&2; return; }
	said=$("$BUILD/tests/bench/ratio" -n "${RUNS:-3}" "$name" cpu=10 "$PREC query -q -i $2 @$1" "$PERF script -i $2 -s $3 ${*:4}") || status=1
	echo "$said"
	ratios+=("$(sed 's/ *missed$//' <<<"$said" | awk '{ print $(NF - 1) }')")
}

# The kernel's fields have changed since: of sched_wakeup "success" is gone, and skb's events have more at their ends.
mended() {	# SCRIPT: one that takes the fields as they are
	sed -E 's/\$prio, \$success, \$target_cpu/$prio, $target_cpu/; s/^(def skb__.*)\):$/\1, *more):/; s/^(\t.*(protocol|location))\):$/\1, *more):/' "$1" >"${1##*/}"
	echo "$PWD/${1##*/}"
}

# Nothing but the packets, sent to this machine; two of three are lost.
packets() {
	python3 -c 'import socket, sys
to, of = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in "12")
to.bind(("127.0.0.1", 0))
to.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
for _ in range(int(sys.argv[1])):
    of.sendto(b"x" * 100, to.getsockname())' "$1"
}
export -f packets

if [ "$PERF" ] && [ -d "$scripts" ] && wanted query && has_tracepoints; then
	query_data entries.data -m 16M -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit "$WORK/manycalls" 60000
	query_row syscall-counts entries.data $scripts/python/syscall-counts.py
	query_row syscall-counts-by-pid entries.data $scripts/python/syscall-counts-by-pid.py
	query_row failed-syscalls entries.data $scripts/perl/failed-syscalls.pl
	query_row failed-syscalls-by-pid entries.data $scripts/python/failed-syscalls-by-pid.py
	query_data rw.data -m 16M -e syscalls:sys_enter_read -e syscalls:sys_exit_read -e syscalls:sys_enter_write -e syscalls:sys_exit_write \
		"$WORK/manycalls" 100000
	query_row rw-by-pid rw.data $scripts/perl/rw-by-pid.pl
	query_row rw-by-file rw.data $scripts/perl/rw-by-file.pl manycalls
	query_data futex.data -m 16M -e syscalls:sys_enter_futex -e syscalls:sys_exit_futex "$WORK/manycalls" 80000
	query_row futex-contention futex.data $scripts/python/futex-contention.py
	query_data sched.data -m 16M -e sched:sched_switch -e sched:sched_wakeup "$WORK/pingpong" 100000
	query_row wakeup-latency sched.data "$(mended $scripts/perl/wakeup-latency.pl)"
	query_data drops.data -m 16M -e skb:kfree_skb bash -c 'packets 300000'
	query_row net-drops drops.data "$(mended $scripts/python/net_dropmonitor.py)"
	query_data net.data -m 16M -e net:net_dev_xmit -e net:net_dev_queue -e skb:consume_skb -e skb:kfree_skb bash -c 'packets 100000'
	query_row net-times net.data "$(mended $scripts/python/netdev-times.py)" tx
	query_data compaction.data -m 16M -e compaction:mm_compaction_begin -e compaction:mm_compaction_end \
		-e compaction:mm_compaction_migratepages -e compaction:mm_compaction_isolate_migratepages \
		-e compaction:mm_compaction_isolate_freepages sh -c 'for i in 1 2 3 4; do echo 1 >/proc/sys/vm/compact_memory; done'
	query_row compaction-times compaction.data $scripts/python/compaction-times.py
	make_data chain.data -m 8M -e cpu-clock -c 25000 -g "$SRC/tests/bench/run" --compile 20
	query_row stackcollapse chain.data $scripts/python/stackcollapse.py
	[ ${#ratios[@]} = 0 ] || printf '%s\n' "${ratios[@]}" | sort -n | awk '{ r[NR] = $1 }
		END { printf "%-34s cpu  of %-3d %36.2f %6s%s\n", "query, the median", NR, (r[int((NR + 1) / 2)] + r[int(NR / 2) + 1]) / 2, 10,
			(r[int((NR + 1) / 2)] + r[int(NR / 2) + 1]) / 2 < 10 ? "  missed" : "" }'
fi
if wanted 'query by symbol, beside report' && make_data flat.data -m 8M -e cpu-clock -c 25000 "$SRC/tests/bench/run" --compile 60; then
	printf '#!/bin/sh\nexec "%s" query -q -i flat.data "SELECT symbol, count(*) FROM samples GROUP BY symbol"\n' "$PREC" >by_symbol
	chmod +x by_symbol
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" 'query by symbol, beside report' cpu=0.5 "$PWD/by_symbol" \
		"$PREC report --stdio -s sym -i flat.data" || status=1
fi
