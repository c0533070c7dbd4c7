#!/bin/bash
# With -z the file is smaller, prec and perf read all of it, to a file and through a pipe, whatever size its records have.
. "$(dirname "$0")/lib/prec.sh"
need_events
record=("$PREC" record -e page-faults:u -c 1 -g -m 16M)
faults=("$(workload faults)" 20000)
"${record[@]}" -o plain "${faults[@]}" >/dev/null 2>&1
for level in '' 1 3 22; do
	"${record[@]}" -z$level -o data "${faults[@]}" >/dev/null 2>err
	told=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)
	expect "-z$level: samples" "$told" "$("$PREC" script -i data -G -F ip | wc -l)"
	[ $(($(stat -c %s data) * 3)) -lt "$(stat -c %s plain)" ] || fail "-z$level: $(stat -c %s data) bytes of $(stat -c %s plain)"
	"$PREC" report -i data --header-only | grep 'compressed : Zstd' >/dev/null || fail 'not in the header'
	if with_perf; then
		expect "-z$level: samples by perf" "$told" "$(perf script -i data -G -F event 2>perf_err </dev/null | wc -l)"
		[ ! -s perf_err ] || fail "$(cat perf_err)"
	fi
	! with_newperf ||
		expect "-z$level: samples by the newer perf" "$told" "$("$PREC_PERF" script -i data -G -F event 2>/dev/null </dev/null | wc -l)"
done
"${record[@]}" -z -o - "${faults[@]}" 2>err >stream
told=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)
expect 'samples of a stream' "$told" "$("$PREC" script -i - -G -F ip <stream | wc -l)"
# Where the stream ends behind a whole COMPRESSED record, but what that holds does not end with one, it is said.
walk=$(helper mkdata/walk)
of() { awk -v what="$1" '$1 == what { print $2 }' walked; }
for percent in 20 30 40 50 60 70 80; do
	head -c $(($(stat -c %s stream) * percent / 100)) stream >part
	"$walk" part >walked
	head -c $((16 + $(of walked))) stream >part
	"$walk" part >walked
	status=0
	"$PREC" script -i part -G -F ip >lines 2>err || status=$?
	expect "$percent %: samples" "$(awk '$1 == "type" && $2 == 9 { print $3 }' walked)" "$(grep -c . lines)"
	said=$(sed -n 's/.*what is compressed ends inside a record at .*: \([0-9]*\) byte.*/\1/p' err)
	[ -z "$said" ] || expect_finding cut-compressed err
	expect "$percent %: bytes of half a record, status" "$(of half) $(($(of half) ? 2 : 0))" "${said:-0} $status"
done
expect_status 129 "$PREC" record -z23 -o data true 2>err
need_perf
expect 'samples of a stream by perf' "$told" "$("$PERF" script -i - -G -F event 2>/dev/null <stream | wc -l)"
