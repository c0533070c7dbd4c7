#!/bin/bash
# The flows of libipt's own tests are decoded as it expects, those of processors with errata by the processor's model.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
need_traces ptt
need xxd
tests=$PREC_TRACES/ptt

# remake NAME: the test's trace and code as t.1.data, of the processor PT_CPUID.
remake() {
	"$PREC" script -D -i "$tests/$1.data" | sed -n '/Intel Processor Trace data/,/^$/p' |
		sed -n 's/^\.  [0-9a-f]\{8\}: \(\( [0-9a-f][0-9a-f]\)*\) .*/\1/p' | tr -d ' \n' | xxd -r -p >t.1.pt
	"$PREC" script --show-mmap-events -i "$tests/$1.data" | sed -n \
		's/.*PERF_RECORD_MMAP2 [0-9/]*: \[0x\([0-9a-f]*\)(0x\([0-9a-f]*\)) @ \([0-9a-fx]*\) .*: \(....\) \(.*\)/\1 \2 \3 \4 \5/p' |
		while read -r start size offset prot path; do
			printf '%s-%x %s %x 0:0 0 %s\n' "$start" $((0x$start + 0x$size)) "$prot" $((offset)) "$path"
		done >t.maps
	pt_recording t 1 0x2001 -1 100 1000000
}

# The processor that a test of a processor is about.
cpu_of() {
	case $1 in
	apl1*)	echo GenuineIntel,6,92,9;;
	bdm*)	echo GenuineIntel,6,61,4;;
	*)	echo GenuineIntel,6,78,3;;
	esac
}

nr=0 bad=0
while IFS=$'\t' read -r name kind flow _; do
	[[ $name != \#* && $flow = yes ]] || continue
	# Instructions with a question mark are in a transaction.
	sed -n "s|^\(? \)\{0,1\}0*\([0-9a-f]\{1,16\}\)\( .*\)\{0,1\}\$|\2|p" "$tests/$name.ptxed" >want
	[ -s want ] || continue
	data=$tests/$name.data
	if [ "$kind" = cpu ]; then
		PT_CPUID=$(cpu_of "$name")
		PT_FILTER=
		[ "$name" != skl014-jmp ] || PT_FILTER="filter 0x1000/0x100"
		remake "$name"
		data=t.1.data
	fi
	"$PREC" script --itrace=i1ie -F ip -i "$data" 2>messages | sed -n 's|^ *\([0-9a-f]\{1,\}\) *$|\1|p' >got
	nr=$((nr + 1))
	cmp -s want got && continue
	echo "$name ($kind): want $(head -8 want | tr '\n' ' '), got $(head -8 got | tr '\n' ' ')"
	bad=1
done <"$tests/MANIFEST.tsv"
# A filter may be of a file, or of where to stop.
for PT_FILTER in "filter 0/0x100@$tests/skl014-jmp.bin" "filter 0/0x80@$tests/skl014-jmp.bin,filter 0x80/0x80@$tests/skl014-jmp.bin" \
		"stop 0x1100/0x10"; do
	remake skl014-jmp
	"$PREC" script --itrace=i1ie -F ip -i t.1.data 2>messages | tr -d ' ' >got
	expect "the filter $PT_FILTER" 1000 "$(cat got)"
done
[ $nr -gt 70 ] || fail "only $nr tests have a flow"

# Each erratum that libipt knows has a trace: among its own tests, in a unit test (unit), or made for each model (models); and of
# the six that a model is asked for, each of its models has them here, too. Newer ones than it knows are free.
declare -A traces=([bdm70]='bdm70-* unit models' [bdm64]='bdm64-* unit' [skd007]='unit' [skd022]='skd022* unit' [skd010]='skd010-*'
	[skl014]='skl014-*' [apl12]='apl12-* unit models' [apl11]='apl11* unit' [skl168]='skl168-*' [skz84]='unit')
if [ -e /usr/include/intel-pt.h ]; then
	for erratum in $(sed -n '/^struct pt_errata {/,/^};/s/.*uint32_t \([a-z0-9]*\):1;.*/\1/p' /usr/include/intel-pt.h); do
		for trace in ${traces[$erratum]:-none}; do
			case $trace in
			none)	fail "$erratum has no trace";;
			unit)	grep -q "^	{ \"${erratum^^}\>" "$SRC/tests/unit/pt_flow_test.c" || fail "no unit test of $erratum";;
			models)	grep -qE "\"6,[0-9]+ .*$erratum" "$SRC/tests/shell/test_pt_models.sh" || fail "no model has $erratum";;
			*)	compgen -G "$tests/$trace.data" >out || fail "no trace $trace";;
			esac
		done
	done
	sed -nE 's/^\t(PT_[A-Z0-9]+ = 1 << [0-9]),.*/enum { \1 };/p' "$SRC/auxtrace/intel_pt/flow.h" >errata.h
	cc -std=gnu11 -D_GNU_SOURCE -I. -I"$SRC" -o models "$SRC/tests/data/libipt_errata.c" "$SRC/auxtrace/intel_pt/errata.c" -lipt
	./models >models.out
	[ "$(grep -c ' both ' models.out)" -gt 20 ] || fail "few models: $(<models.out)"
	expect "models that libipt has, with other errata" '' "$(grep 'ipt [a-z]' models.out || true)"
else
	part_skipped "the models of libipt: no libipt-dev"
fi

# What perf 7.3 works around, line by line. By model it has one: on model 92 the FUP of a software interrupt may have the next
# address (NLIP). Without a model: a PSB+ with a FUP while nothing is traced (BDM70 here), packets that do not belong in a PSB+
# end it ("a PSB+ without its end"), an overflow in place of a TIP ("an overflow in place of the FUP"), the end of an address
# filter's range by a jump, without an address (SKL014 here).
for case in 'NLIP' 'BDM70' 'a PSB+ without its end' 'an overflow in place of the FUP'; do
	grep -q "^	{ \"$case" "$SRC/tests/unit/pt_flow_test.c" || fail "no unit test of '$case', which perf works around"
done
compgen -G "$tests/skl014-*.data" >out || fail "no trace skl014-*"
PT_FILTER=
if with_newperf; then
	# nop; int 0x80; nop; nop: a PSB+ at the first, the FUP behind the second, a TIP to the last, the end behind that.
	printf '\x90\xcd\x80\x90\x90\x90' >code.img
	printf '1000-1006 r-xp 0 0:0 0 %s\n' "$PWD/code.img" >t.maps
	printf '%s' 0282{,,,,,,,} 9901 7d001000000000 0223 3d0310 2d0410 3d0510 01 | xxd -r -p >t.1.pt
	for PT_CPUID in GenuineIntel,6,92,9 GenuineIntel,6,78,3; do
		pt_recording t 1 0x2001 -1 100 1000000
		"$PREC_PERF" script --itrace=i1i -F ip -i t.1.data </dev/null 2>messages | tr -d ' ' >want
		"$PREC" script --itrace=i1i -F ip -i t.1.data 2>messages | tr -d ' ' >got
		grep -c 'does not fit' messages >gaps || true
		echo "$PT_CPUID: perf $(tr '\n' ' ' <want), prec $(tr '\n' ' ' <got), $(<gaps) gaps"
		if [[ $PT_CPUID == *,92,* ]]; then
			expect "the instructions of a software interrupt by perf" '1000 1001 1004 ' "$(tr '\n' ' ' <want)"
			expect_same "a software interrupt on $PT_CPUID" want got
		fi
		expect "gaps at a software interrupt on $PT_CPUID" $([[ $PT_CPUID == *,92,* ]] && echo 0 || echo 1) "$(<gaps)"
	done
fi
[ $bad = 0 ] || fail "see above"
