#!/bin/bash
# Traces of each kind of processor, with any PSB+ in any place, decode to exactly what ran; libipt says the same.
# PT_EACH=N: so many traces a kind; PT_PERF=1: and perf says the same, which takes long.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
gen=$(helper trace/ptgen) decode=$(helper trace/pt_insn)
each=${PT_EACH:-50}
# A kind is a model, and what its errata make a processor write while tracing is off. See enum pt_errata.
kinds=("0,0 cyc"				# of no erratum
       "6,61 bdm70,astray"		# Broadwell
       "6,78 bdm70,astray"		# Skylake to Comet Lake
       "6,92 apl12,astray"		# Goldmont
       "6,106 bdm70,astray")		# Ice Lake and later
programs=('trap "x=1" USR1; for i in 1 2 3; do kill -USR1 $$; done; echo $((x + 5))' 'x=abc; echo ${x//b/d}' 'cd /; echo *'
	'printf "%s\n" 3 1 2 | while read -r x; do echo $x; done')
if ! cc -O1 -o ipt "$SRC/tests/data/libipt.c" -lipt 2>err; then
	part_skipped "what libipt says: no libipt-dev"
	rm -f ipt
fi
choices=("" ,cyc ,no-mtc ,long-tnt ,defer ,cyc,long-tnt ,defer,long-tnt,no-mtc ,cyc,defer)
by_prec=0 by_ipt=0 by_perf73=0 by_part=0 bad=0

# Traces in turn whole and in pieces: the addresses of trace $1.
prec() {
	local pieces=()
	(($1 % 2)) || pieces=(--pieces)
	"$decode" --cpuid "GenuineIntel,$model,3" "${pieces[@]}" t.$1.pt t.maps
}

ipt() { ./ipt t.$1.pt t.maps "${model%,*}" "${model#*,}"; }

perf73() {
	PT_CPUID=GenuineIntel,$model,3 pt_recording t "$1" 0x2603 -1 100 10000000
	"$PREC_PERF" script --itrace=i1i -F ip -i t.$1.data </dev/null | tr -d ' '
}

# compare DECODER N...: traces t.N.
compare() {
	local decoder=$1 n
	shift
	n=$#
	eval "by_$decoder=\$((by_$decoder + n))"
	for n; do $decoder "$n"; done >got 2>messages
	for n; do cat t.$n.exp; done | cmp -s - got && return
	for n; do
		$decoder "$n" 2>messages | cmp -s - t.$n.exp && continue
		bad=$((bad + 1))
		echo "$decoder: $model $(<t.$n.opt): $($decoder "$n" 2>messages | cmp - t.$n.exp 2>&1); $(head -1 messages)"
	done
}

# ipt_part N...: traces t.N, in which addresses behind an overflow are compressed against those in front of it. What libipt decodes
# of them ran, in this order; it lacks what follows such an address, up to the next PSB.
# SDM volume 3, Intel Processor Trace, "Internal Buffer Overflow": what follows the OVF is not compressed against packets that were
# lost. It may be so against those before them, and "IP Compression" has the last address forgotten at a PSB alone. libipt forgets
# it at an OVF, too.
ipt_part() {
	by_part=$((by_part + $#))
	for n; do
		ipt "$n" 2>messages >got
		! diff t.$n.exp got | grep -q '^>' && continue
		bad=$((bad + 1))
		echo "ipt: $model $(<t.$n.opt): $(diff t.$n.exp got | grep -m 1 '^>') did not run there"
	done
}

seed=${PT_SEED:-0}
for kind in "${kinds[@]}"; do
	for ((first = 0; first < each; first += 25)); do
		args=()
		for ((i = 0; i < 25; i++)); do
			seed=$((seed + 1))
			set=psb=$((100 + seed * 37 % 900)),early=$((1 + seed % 2)),plus=$((20 + seed * 13 % 200)),seed=$seed,${kind#* }
			set+=${choices[seed % ${#choices[@]}]},async=$((20 + seed * 7 % 300))
			((seed % 4)) || set+=,overflow=$((100 + seed * 11 % 900))
			((seed % 8)) || set+=,whole
			args+=(-s "$set")
		done
		status=0
		"$gen" -o t -n $((1500 + seed * 97 % 1500)) "${args[@]}" -- bash -c "${programs[seed / 25 % ${#programs[@]}]}" >out || status=$?
		[ $status != 77 ] || skip "ptrace is refused here"
		expect "the generator's exit status" 0 $status
		model=${kind% *}
		readarray -t part < <(grep -l overflow t.{1..25}.opt | xargs grep -L whole | cut -d. -f2)
		readarray -t whole < <(printf '%s\n' {1..25} | grep -vxF "$(printf '%s\n' "${part[@]}")")
		compare prec {1..25}
		[ ! -x ipt ] || compare ipt "${whole[@]}"
		[ ! -x ipt ] || ipt_part "${part[@]}"
		[ -z "${PT_PERF:-}" ] || compare perf73 {1..25}
	done
done
echo "$bad wrong of $by_prec traces; libipt on $by_ipt, on $by_part in part, perf on $by_perf73 of them"
[ $by_prec -ge $((each * ${#kinds[@]})) ] || fail "only $by_prec traces"
[ $bad = 0 ] || fail "see above"
