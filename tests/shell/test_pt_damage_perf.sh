#!/bin/bash
# Over a thousand mutants of ten PT traces: what is lost, beside what perf loses of the same bytes.
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

# numbers TEXT: holes, their median and mean, wrong instructions before and behind gaps.
numbers() {
	sed 's/.*mutants, \([0-9]*\) with .*median \([0-9]*\), mean \([0-9]*\);.*: \([0-9]*\) before gaps, \([0-9]*\) behind.*/\1 \2 \3 \4 \5/' <<<"$1"
}

own=0 perf=0 silent=0 medians=0 perf_medians=0
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
	ours=$("$mutants" -n $nr "${files[@]}") theirs=$("$mutants" -n $nr -p perf.txt "${files[@]}")
	read -r _ median mean before behind <<<"$(numbers "$ours")"
	read -r _ median_perf mean_perf _ <<<"$(numbers "$theirs")"
	printf '%s\n  prec: %s\n  perf: %s\n' "$trace" "$ours" "$theirs"
	own=$((own + mean)) perf=$((perf + mean_perf))
	medians=$((medians + median)) perf_medians=$((perf_medians + median_perf))
	grep -q ' silent, 0 of them unproven' <<<"$ours" || fail "$trace: something is lost in silence"
	silent=$((silent + $(sed 's/.*; \([0-9]*\) silent,.*/\1/' <<<"$ours")))
	[ "$before" = 0 ] && [ "$behind" = 0 ] || fail "$trace: wrong instructions outside gaps"
done
echo "$((10 * nr)) mutants, $silent of them traces of other executions, as proven; all others are told"
echo "mean of all: prec $((own / 10)), perf $((perf / 10)); of the medians: prec $((medians / 10)), perf $((perf_medians / 10))"
[ $((2 * own)) -le $perf ] || fail "more than half of what perf loses is lost"
[ $medians -le $perf_medians ] || fail "half of the mutants lose more than with perf"
