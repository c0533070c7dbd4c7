#!/bin/bash
# Stock perf reads what the writer wrote, without a word of warning, and shows the same.
. "$(dirname "$0")/lib/prec.sh"
need_perf
mkdata=$(helper mkdata/mkdata)

# What perf says of what the texts hold: lost records, more namespaces than its kernel has, no NRCPUS section.
quiet() {
	grep -v -e '^Processed [0-9]* events and lost' -e '^Check IO/CPU overload' -e '^Warning:$' -e '^$' \
		-e 'more namespaces than the kernel' -e '^Try updating the kernel' -e 'missing HEADER_NRCPUS' "$1" || true
}

for name in script stream arm64 old-kernel big-endian side-band; do
	"$mkdata" "$SRC/tests/data/$name.txt" "$name.data"
	"$PERF" script -i "$name.data" >out 2>messages || fail "$name: perf script: $(cat messages)"
	expect "$name: perf warns of nothing" "" "$(quiet messages)"
	expect "$name: samples in perf" "$(grep -c '^sample' "$SRC/tests/data/$name.txt" || true)" "$(grep -c '^ *[a-z]' out || true)"
	"$PERF" report --stdio -i "$name.data" >/dev/null 2>messages || fail "$name: perf report: $(cat messages)"
done
with_newperf || exit 0
for name in script stream arm64 old-kernel big-endian; do
	"$PREC_PERF" script -i "$name.data" >want 2>messages || fail "$name: newest perf: $(cat messages)"
	expect "$name: the newest perf warns of nothing" "" "$(quiet messages)"
	"$PREC" script -i "$name.data" >got
	expect_same "$name: the same lines as the newest perf" want got
	"$PREC_PERF" report -I --header-only -i "$name.data" >want 2>messages
	"$PREC" report -I --header-only -i "$name.data" >got
	expect_same "$name: the same header as the newest perf" want got
done
events=$("$PREC_PERF" evlist -v -i script.data 2>/dev/null)
[[ $events = *"page-faults:u: type: 1 (PERF_TYPE_SOFTWARE), size: 128"* ]] || fail "attr as written: $events"
