#!/bin/bash
# Over a thousand mutants of ten PT traces have no wrong instruction outside of their gaps.
# The sizes of the holes are printed, beside those of perf, which goes on at the next address, be it right or wrong.
# Runs: long
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
[ -x "${PREC_PERF:-}" ] || skip "no perf to compare with (PREC_PERF)"
mutants=$(helper trace/pt_mutants) nr=102
PT_CLEAN=yes
pt_traces a 20000 psb=2048 psb=300,cyc psb=700,async=300 psb=1055,cyc,long-tnt,seed=2 -- bash -c 'for ((i = 0; i < 200; i++)); do :; done'
pt_traces b 30000 psb=2048,cyc,seed=3 psb=2052,no-ret-comp,async=300 psb=512,async=200 -- ls /
pt_traces c 30000 psb=4096 psb=2048,long-tnt,no-mtc,cyc psb=1000,async=500 -- sort /etc/passwd

# holes FILE: of the sizes there how many, median and mean; and the sum, for the mutants without a hole count, too.
holes() {
	sort -n "$1" | awk '{ size[NR] = $1; sum += $1 } END { printf "%d %d %.0f %d\n", NR, size[int(NR / 2) + 1], sum / NR, sum }'
}

silent=0
for trace in a.1 a.2 a.3 a.4 b.1 b.2 b.3 c.1 c.2 c.3; do
	files=("$trace.pt" "${trace%.*}.maps" "$trace.exp")
	# The mutants as threads of the recording of the whole trace, in place of that.
	pt_recording "${trace%.*}" "${trace#*.}" 0xe603 -1 100 100000000
	{
		grep -v '^aux \|^raw type=71\|^bytes' made.txt
		"$mutants" -n $nr -r "${files[@]}"
	} >all.txt
	"$(helper mkdata/mkdata)" all.txt all.data
	"$PREC_PERF" script --itrace=i1ie -F tid,ip -i all.data >perf.txt 2>&1 || true
	ours=$("$mutants" -n $nr -l prec.holes "${files[@]}") theirs=$("$mutants" -n $nr -l perf.holes -p perf.txt "${files[@]}")
	printf '%s\n  prec: %s\n  perf: %s\n' "$trace" "$ours" "$theirs"
	grep -q ' silent, 0 of them unproven' <<<"$ours" || fail "$trace: something is lost in silence"
	silent=$((silent + $(sed 's/.*; \([0-9]*\) silent,.*/\1/' <<<"$ours")))
	grep -q ': 0 before gaps, 0 behind' <<<"$ours" || fail "$trace: wrong instructions outside gaps"
done
all=$((10 * nr))
echo "$all mutants, $silent of them traces of other executions, as proven; all others are told"
read -r nr_own median mean sum <<<"$(holes prec.holes)"
read -r nr_perf median_perf mean_perf sum_perf <<<"$(holes perf.holes)"
echo "prec: $nr_own holes, median $median, mean $mean; $((sum / all)) instructions a mutant"
echo "perf: $nr_perf holes, median $median_perf, mean $mean_perf; $((sum_perf / all)) instructions a mutant"
