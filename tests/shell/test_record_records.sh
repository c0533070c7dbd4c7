#!/bin/bash
# Options that choose which records, clocks and header sections there are show in the file, and perf reads it.
# Runs: alone, as the kernel leaves the mark of another recorder's build ids on maps, at which perf 6.1 aborts.
. "$(dirname "$0")/lib/prec.sh"
need_events
PERF=$(command -v perf || true)
by_perf() { [ -z "$PERF" ] || "$PERF" "$@" 2>/dev/null </dev/null; }

# recorded OPTION...: data, of a short run; perf, where there is one, can read it.
recorded() {
	local _
	for _ in 1 2 3 4 5; do
		"$PREC" record -q -e cpu-clock:u -c 100000 -o data "$@" "$(workload spin)" -1 20 >/dev/null 2>err || { cat err; fail "record $*"; }
		! by_perf script -i data >/dev/null || return 0
		# Where there is such a mark, somebody else records now.
		"$PREC" script -D -i data | grep -a '^\.  0000:  0a 00 00 00 .. [4-7]' >/dev/null || break
	done
	fail "perf does not read: $*"
}
attrs() { "$PREC" script --header-only -i data | grep '^# event'; }
types() { "$PREC" script -D -i data 2>/dev/null | sed -n 's/.*PERF_RECORD_\([A-Z_0-9]*\).*/\1/p' | sort -u; }

# When the first and the last sample were is in the header.
recorded --timestamp-boundary
for which in first last; do
	[ "$PERF" ] || break
	expect "the $which sample" "$("$PREC" script -F time -i data | tr -d ' :' | sort -n | { [ $which = first ] && head -1 || tail -1; })" \
		"$("$PERF" report --header-only -i data 2>/dev/null | sed -n "s/^# time of $which sample : //p")"
done

# Programs that end or start are told with build ids: in their maps, or at the end for all that was mapped.
recorded
grep -q 'build_id' <<<"$(attrs)" || fail "maps have no build ids by default"
recorded --no-buildid-mmap --buildid-all
! grep -q 'build_id: 1\|build_id = 1' <<<"$(attrs)" || fail "--no-buildid-mmap asks for build ids in maps"
by_perf buildid-list -i data >ids
[ -z "$PERF" ] || grep -q '/spin$' ids || fail "--buildid-all: the program has no build id"

recorded
grep -q 'bpf_event' <<<"$(attrs)" || fail "programs of BPF are not told of by default"
recorded --no-bpf-event
! grep -q 'bpf_event' <<<"$(attrs)" || fail "--no-bpf-event: they are"
if "$(workload bpf)" nothing >/dev/null 2>&1 && [ "$(cat /proc/sys/net/core/bpf_jit_enable)" != 0 ] && "$(workload opens)" all; then
	loads() { "$PREC" script -i data --show-bpf-events | grep -cE "KSYMBOL .*_prec_test|BPF_EVENT .* id $id\$" || true; }
	record_bpf() { id=$("$PREC" record -q -a -e dummy:u -o data "$@" "$(workload bpf)" prec_test | awk '{ print $2 }'); }
	record_bpf
	expect 'symbols and events of a program that is loaded and goes' 4 "$(loads)"
	perf_counts data KSYMBOL BPF_EVENT
	record_bpf --no-bpf-event
	expect 'of them, with --no-bpf-event' 2 "$(loads)"
	perf_counts data KSYMBOL
	# One that was there before is told of as perf tells of it.
	if [ "$(id -u)" = 0 ]; then
		"$(workload bpf)" prec_before stay >said & bpf=$!
		await 10 grep -qs bpf said
		id=$(awk '{ print $2 }' said)
		there() { "$PREC" script -i data --show-bpf-events | grep -oE "KSYMBOL .*_prec_before|BPF_EVENT .* id $id\$" || true; }
		"$PREC" record -q -a -e cpu-clock -o data true
		there >ours
		expect 'symbols and events of a program that is there' 2 "$(wc -l <ours)"
		perf_counts data KSYMBOL BPF_EVENT
		if by_perf record -q -a -e cpu-clock -o data true >/dev/null; then
			there >theirs
			[ ! -s theirs ] || expect_same 'a program that is there' theirs ours
		fi
		"$PREC" record -q -a -e cpu-clock --no-bpf-event -o data true
		there >ours
		expect 'of it, with --no-bpf-event' 0 "$(wc -l <ours)"
		kill $bpf
	fi
fi

# A program that runs without a pause may not be switched at all.
"$PREC" record -q -e cpu-clock:u --switch-events -o data "$(workload switches)" 50 >/dev/null
types | grep '^SWITCH' >/dev/null || fail "--switch-events: there are none"
perf_counts data SWITCH

for clock in monotonic monotonic_raw boottime realtime tai; do
	recorded -k $clock
	attrs >by_name
	case $clock in monotonic) number=1;; monotonic_raw) number=0x4;; boottime) number=7;; realtime) number=0;; tai) number=11;; esac
	recorded -k $number
	expect "-k $number" "$(grep -o 'clockid[^,]*' by_name)" "$(attrs | grep -o 'clockid[^,]*')"
	grep -q "use_clockid.*clockid\|clockid" <<<"$(attrs)" || fail "-k $clock: not in the event"
done
now=$(date +%s)
recorded -k realtime
first=$("$PREC" script -F time -i data | head -1 | tr -d ' :' | cut -d. -f1)
[ "$first" -ge "$now" ] && [ "$first" -le "$(date +%s)" ] || fail "-k realtime: a sample at $first, not after $now"
expect_status 129 "$PREC" record -q -k sundial -o data true 2>err

# Each clock's times lie between what it showed before and afterwards.
for clock in monotonic monotonic_raw boottime realtime tai; do
	before=$("$(workload clock)" $clock)
	recorded -k CLOCK_$clock
	after=$("$(workload clock)" $clock)
	"$PREC" script -F time --ns -i data | tr -d ' :' | awk -v from="$before" -v to="$after" -v c=$clock '
		$1 < from || $1 > to { print c ": a sample at " $1 ", not from " from " to " to; exit 1 }
		END { exit NR < 1 }' || fail "-k $clock"
	perf_agrees data
done

# Counted, not sampled: what the event counted is in the file, and no sample.
"$PREC" record -q -n -s -e cpu-clock:u -c 100000 -o data sh -c '"$0" -1 20; :' "$(workload spin)" >/dev/null
expect 'samples with -n' 0 "$("$PREC" script -i data -F time | wc -l)"
[ "$("$PREC" script -D -i data 2>/dev/null | grep -c PERF_RECORD_READ)" -ge 1 ] || fail '-n -s: no counts'
perf_counts data READ

# The recorder itself is not recorded; the command is, which has another process.
hits_of_recorder() {	# OPTION...
	local pid
	exec "$PREC" record -q -a -e raw_syscalls:sys_enter "$@" -o data true >/dev/null 2>err & pid=$!
	wait $pid || { cat err; fail "record -a $*"; }
	perf_agrees data
	"$PREC" script -F pid -i data | grep -cx " *$pid *" || true
}
if "$(workload opens)" all 2>/dev/null && [ -d "${TRACEFS:-/sys/kernel/tracing}/events/raw_syscalls" ]; then
	[ "$(hits_of_recorder)" -gt 0 ] || fail "-a does not show the recorder"
	expect "hits of the recorder with --exclude-perf" 0 "$(hits_of_recorder --exclude-perf)"
fi
