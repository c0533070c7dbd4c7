#!/bin/bash
# An Intel PT trace of a known execution decodes to exactly the instructions that ran, however it is encoded.
. "$(dirname "$0")/lib/prec.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
gen=$(helper trace/ptgen) decode=$(helper trace/pt_insn)
sets=("psb=2048" "psb=300,long-tnt,cyc" "psb=1000,no-ret-comp,defer,long-tnt" "defer,psb=3000,no-mtc" "async=300,psb=700"
      "overflow=2000" "psb=128,no-mtc,cyc,long-tnt,async=100,overflow=500,seed=7"
      "long-tnt,defer,async=1000,overflow=900")
# What comes while tracing is off, by the errata of processors: of none, though a FUP at the right address does no harm; Broadwell;
# Skylake to Comet Lake; Ice Lake and later; Goldmont. See enum pt_errata for the numbers.
early=early=1,async=40,psb=2000
declare -A errata=(["$early"]=0 ["$early,bdm70,cyc"]=0 ["$early,bdm70,astray,overflow=3000"]=0x9 ["$early,bdm70,astray,long-tnt,seed=3"]=0xe
	["$early,bdm70,astray,cyc,seed=4"]=0x2c ["$early,apl12,astray,seed=5"]=0x10)
sets+=("${!errata[@]}")
args=()
for set in "${sets[@]}"; do
	args+=(-s "$set")
done
status=0
"$gen" -o t -n 100000 "${args[@]}" -- bash -c 'trap "x=1" USR1; for i in 1 2 3; do kill -USR1 $$; done; echo $((x + 5))' \
	>out || status=$?
[ $status != 77 ] || skip "ptrace is refused here"
expect "the generator's exit status" 0 $status
bad=0
for ((i = 1; i <= ${#sets[@]}; i++)); do
	options=()
	[[ ${sets[i - 1]} != *no-ret-comp* ]] || options=(--no-ret-comp)
	options+=(--errata "${errata[${sets[i - 1]}]:-0}")
	[ "$(wc -l <t.$i.exp)" -gt 10000 ] || fail "too few instructions in t.$i.exp"
	for pieces in '' --pieces; do
		"$decode" "${options[@]}" ${pieces:+"$pieces"} t.$i.pt t.maps >got 2>messages
		cmp -s got t.$i.exp && continue
		echo "${sets[i - 1]} $pieces: $(cmp got t.$i.exp 2>&1); $(head -1 messages)"
		bad=1
	done
	# Pieces tell the same branches, events and times.
	"$decode" "${options[@]}" --branches --times t.$i.pt t.maps >whole 2>whole.gaps
	"$decode" "${options[@]}" --branches --times --pieces t.$i.pt t.maps >got 2>gaps
	expect_same "${sets[i - 1]} in pieces" whole got
	expect_same "the gaps of ${sets[i - 1]} in pieces" whole.gaps gaps
	[ -z "${errata[${sets[i - 1]}]:-}" ] || continue
	# Samples are taken from the same instructions, though those in between are never looked at.
	"$decode" "${options[@]}" --every 100 t.$i.pt t.maps >got 2>messages
	expect_same "each 100th instruction of ${sets[i - 1]}" <(awk 'NR % 100 == 0' t.$i.exp) got
	# Or afterwards, from the path that was remembered.
	"$decode" "${options[@]}" --every 7 --times t.$i.pt t.maps >want 2>want.gaps
	for pieces in '' --pieces; do
		"$decode" "${options[@]}" --every 7 --times --later ${pieces:+"$pieces"} t.$i.pt t.maps >got 2>gaps
		expect_same "each 7th instruction, late, of ${sets[i - 1]} $pieces" want got
		expect_same "gaps told late of ${sets[i - 1]} $pieces" <(grep gap want.gaps) <(grep gap gaps)
	done
done
[ $bad = 0 ] || fail "see above"
