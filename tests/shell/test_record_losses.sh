#!/bin/bash
# The file says what was lost, by event and CPU, and in which gaps; in files that are switched each says its own.
. "$(dirname "$0")/lib/prec.sh"
need_events
sum() { awk "/$1/"' { n += $(NF - '"$2"') } END { print n + 0 }'; }
record() {
	"$PREC" record -v -e page-faults:u -c 1 -m 1 -o data "$@" "$(workload faults)" 200000 2>err >/dev/null
	lost=$(sed -nE "s/.*event 'page-faults:u': .* lost ([0-9]+) samples/\1/p" err)
}
record
[ "$lost" -gt 0 ] || skip 'nothing was lost'
"$PREC" report -i data --header-only >header
expect 'lost by event and CPU' "$lost" "$(sum '^# lost of page-faults:u on CPU' 0 <header)"
gaps=$(sed -nE 's/^# gaps : ([0-9]+),.*/\1/p' header)
listed=$(grep -c '^# gap on CPU [0-9]* from' header)
more=$(sed -nE 's/^# and ([0-9]+) gaps more/\1/p' header)
expect 'gaps' "$gaps" $((listed + ${more:-0}))
[ "${more:-0}" != 0 ] ||
	expect 'records lost in gaps' "$("$PREC" script -i data --show-lost-events | grep 'PERF_RECORD_LOST lost' | sum LOST 0)" \
		"$(sum '^# gap on' 1 <header)"
! "$PREC" report -i data --header-only | grep -q '^# missing features.*LOSSES' || fail 'is called missing'
"$PREC" report -i data --stdio 2>err >/dev/null
expect_finding lost-samples err "$lost of [0-9]* samples .*: page-faults:u \(CPU"
if with_perf; then
	expect 'samples by perf' "$("$PREC" script -i data -F time | wc -l)" "$(perf script -i data -F time 2>/dev/null </dev/null | wc -l)"
	perf report -i data --header-only 2>err >perf_header </dev/null
	[ ! -s err ] || fail "perf says: $(cat err)"
fi
rm -f data
record --switch-output=300K
for f in data.20*; do
	"$PREC" report -i "$f" --header-only
done >header
expect 'lost by event and CPU, of all files' "$lost" "$(sum '^# lost of page-faults:u on CPU' 0 <header)"
# Whose ring is written over and over loses nothing that it did not mean to.
rm -f data*
record --overwrite
expect 'lost of an overwrite ring' 0 "$lost"
! "$PREC" report -i data --header-only | grep '^# lost of page-faults' || fail 'an overwrite ring lost'
expect 'LOST of an overwrite ring' 0 "$("$PREC" script -i data --show-lost-events | grep -c 'PERF_RECORD_LOST' || true)"

# Who compresses more than it can has no time left, and is not told to take larger rings.
"$PREC" record -v -z22 -e page-faults:u -c 1 -m 1 -o packed "$(workload faults)" 200000 2>err >/dev/null
busy=$(sed -nE 's/.*the recorder took ([0-9.]+) s of CPU time in ([0-9.]+) s.*/\1 \2/p' err | awk '{ print $1 > $2 * 0.85 }')
longest=$(sed -nE 's/.*gaps? of .*, the longest ([0-9.]+) ms .*/\1/p' err)
if [ "$busy" = 1 ] && [ "$longest" ]; then
	want='no more CPU time' said=$(grep -E 'larger rings|no more CPU time' err)
	awk -v ms="$longest" 'BEGIN { exit ms < 100 }' && want='were not emptied for'
	[[ $said = *"$want"* ]] || { cat err; fail "no advice that fits: $said"; }
	[ "$want" != 'no more CPU time' ] || expect_finding recorder-busy err
	expect_kept packed err
fi
