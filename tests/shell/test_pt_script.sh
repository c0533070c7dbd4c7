#!/bin/bash
# Script with --itrace of an Intel PT recording tells exactly what ran, however the trace lies in the file, with any -j.
. "$(dirname "$0")/lib/prec.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
gen=$(helper trace/ptgen) mkdata=$(helper mkdata/mkdata)

le() { # le DIGITS NUMBER: little endian, in hexadecimal
	local v
	v=$(printf "%0$1x" "$2")
	for ((k = $1 - 2; k >= 0; k -= 2)); do
		printf '%s' "${v:k:2}"
	done
}

# recording BASE.N CONFIG CPU TID PORTION: the trace BASE.N.pt as N.data, in AUXTRACE records of PORTION bytes.
recording() {
	local pt=$1.pt config=$2 cpu=$3 tid=$4 portion=$5 size at n
	size=$(stat -c %s "$pt")
	{
		echo "feature arch=x86_64"
		echo "attr intel_pt type=8 config=$config sample=IP,TID,TIME,CPU,IDENTIFIER read=ID period=1 exclude_kernel exclude_hv" \
			"sample_id_all ids=1"
		printf 'raw type=70 %s' "$(le 8 1)$(le 8 0)"
		for word in 8 1 1 0 1 0x400 0x800 0 0 $((cpu >= 0)) 0x200 0x3c000 168 2 2 20 0; do
			le 16 $word
		done
		echo
		echo 'comm 100/100 "program" exec t=1 event=intel_pt id=1'
		while read -r range prot off _ _ path; do
			[ -n "$path" ] || continue
			[[ $path == /* ]] || path=$PWD/$path
			printf 'mmap2 100/100 0x%s+%#x@%s %s "%s" t=2 event=intel_pt id=1\n' "${range%-*}" \
				$((0x${range#*-} - 0x${range%-*})) "0x$off" "$prot" "$path"
		done <t.maps
		echo "switch in 100/100 t=3 cpu=0 event=intel_pt id=1"
		echo "itrace_start 100/100 t=4 cpu=0 event=intel_pt id=1"
		for ((at = 0; at < size; at += portion)); do
			n=$((size - at < portion ? size - at : portion))
			# The size counts padding to 8 bytes, the next offset does not.
			echo "aux 100/100 off=$at size=$n t=$((900000000 + at)) cpu=0 event=intel_pt id=1"
			echo "raw type=71 $(le 16 $(((n + 7) / 8 * 8)))$(le 16 $at)$(le 16 0)$(le 8 0)$(le 8 $((tid & 0xffffffff)))$(
				le 8 $((cpu & 0xffffffff)))$(le 8 0)"
			printf 'bytes %s%s\n' "$(od -An -v -tx1 -j $at -N $n "$pt" | tr -d ' \n')" \
				"$(printf '%*s' $((((n + 7) / 8 * 8 - n) * 2)) '' | tr ' ' 0)"
		done
	} >made.txt
	"$mkdata" made.txt "$1.data"
}

sets=("psb=2048" "psb=300,long-tnt,cyc" "psb=1000,no-ret-comp,long-tnt" "psb=700,async=300" "psb=256,overflow=2000")
configs=(0xe601 0xe603 0xee01 0xe601 0xe601)
args=()
for set in "${sets[@]}"; do
	args+=(-s "$set")
done
status=0
"$gen" -o t -n 60000 "${args[@]}" -- bash -c 'echo $((40 + 2))' >out || status=$?
[ $status != 77 ] || skip "ptrace is refused here"
expect "the generator's exit status" 0 $status

for ((i = 1; i <= ${#sets[@]}; i++)); do
	case $i in
	1 | 4) cpu=-1 tid=100 portion=100000000 ;;
	*) cpu=0 tid=-1 portion=$((1000 + 7 * i)) ;;
	esac
	recording t.$i "${configs[i - 1]}" $cpu $tid $portion
	"$PREC" script --itrace=i1i -F ip -i t.$i.data 2>messages | tr -d ' ' >got
	expect_same "the instructions of ${sets[i - 1]}" t.$i.exp got
	for what in i1i i100i bi1000i crbe i10us; do
		"$PREC" script -j1 --itrace=$what -i t.$i.data >one 2>/dev/null
		[ -s one ] || fail "--itrace=$what of ${sets[i - 1]} shows nothing"
		for jobs in 2 5; do
			"$PREC" script -j$jobs --itrace=$what -i t.$i.data >many 2>/dev/null
			expect_same "-j$jobs --itrace=$what of ${sets[i - 1]}" one many
		done
	done
	"$PREC" script --itrace=i100i -F ip -i t.$i.data 2>/dev/null | tr -d ' ' >got
	expect_same "each 100th instruction of ${sets[i - 1]}" <(awk 'NR % 100 == 0' t.$i.exp) got
done

# Whose it is, and what it is called.
"$PREC" script --itrace=i1000i -F comm,pid,tid,event -i t.2.data >got 2>/dev/null
expect "what a line says" "program 100/100 instructions:u:" "$(sort -u got | tr -s ' ' | sed 's/^ //; s/ $//')"
# Gaps are told: once in a summary, and each where --itrace has e.
"$PREC" script --itrace=i1000ie -F ip -i t.5.data >got 2>messages
grep -q 'instruction trace error type 1 .*: Overflow packet' got || fail "no error line for an overflow"
grep -q 'gaps in .* instructions: .*overflow\|gaps in .* instructions' messages || fail "the gaps are not told: $(cat messages)"
expect "no trace with --no-itrace" 0 "$("$PREC" script --no-itrace -i t.1.data | wc -l)"
"$PREC" script --itrace=i1k -i t.1.data >/dev/null 2>messages && fail "--itrace=i1k is taken"
grep -q "unknown letter 'k'" messages || fail "--itrace=i1k: $(cat messages)"
# What cannot be made is refused, not left out.
for letter in x o I d A q y g l T s5; do
	expect_status 1 "$PREC" script --itrace=i1i$letter -i t.1.data >/dev/null 2>messages
	grep -q 'cannot be made' messages || fail "--itrace=i1i$letter: $(cat messages)"
done
# A report sums up the same samples.
total=$("$PREC" script --itrace=b -F ip -i t.1.data 2>/dev/null | wc -l)
expect "samples of a report" "# Event count (approx.): $total" \
	"$("$PREC" report --stdio --itrace=b -i t.1.data 2>/dev/null | grep 'Event count')"
# -D shows the packets below their record.
"$PREC" script -D --no-itrace -i t.1.data >got 2>/dev/null
grep -q '^\. \.\.\. Intel Processor Trace data: size' got || fail "-D has no packets"
grep -q ' PSBEND$' got || fail "-D has no PSBEND"

if have_perf_for_traces=$(command -v "${PREC_PERF:-perf}"); then
	for what in i1000i b cr; do
		"$have_perf_for_traces" script --itrace=$what -F ip,addr -i t.1.data >want 2>/dev/null || continue
		"$PREC" script --itrace=$what -F ip,addr -i t.1.data >got 2>/dev/null
		[ ! -s want ] || expect_same "--itrace=$what beside perf" want got
	done
fi
