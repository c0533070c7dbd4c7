#!/bin/bash
# Traces of ARMv7's trace units, ETMv3 and PTM: exactly what ran, packets as OpenCSD lists them, and no crash on damage.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/aux.sh"
need trc_pkt_lister
gen=$(helper trace/v7gen) list=$(helper trace/cs_insn) mkdata=$(helper mkdata/mkdata)

setting() { # setting NAME
	sed -n "s/^$1=//p" trace/etm_0.ini
}

# The trace as a recording of an ARMv7 machine, in AUXTRACE records of $1 bytes.
recording() {
	local size
	size=$(stat -c %s trace/trace.bin)
	{
		echo "feature arch=armv7l nrcpus=2 auxtrace"
		echo "attr cs_etm type=8 sample=IP,TID,TIME,CPU,IDENTIFIER read=ID period=1 exclude_hv sample_id_all ids=1"
		printf 'raw type=70 %s' "$(le 8 3)$(le 8 0)$(le 16 1)$(le 16 $((8 << 32 | 1)))$(le 16 0)"
		words $((0x3030303030303030)) 0 4
		for name in ETMCR ETMTRACEIDR ETMCCER ETMIDR; do
			le 16 "$(setting $name)"
		done
		echo
		# Linux puts the thread above an address space's number of eight bits.
		for n in $((4242 << 8)) $("$list" -d trace | sed -n 's/.*CtxtID=\(0x\)\{0,1\}\([0-9a-f]*\).*/0x\2/p' | sort -u); do
			n=$((n >> 8))
			echo "comm $n/$n \"program\" exec t=1 event=cs_etm id=1"
			printf 'mmap2 %u/%u 0x400000+%#x@0 r-xp "%s" t=2 event=cs_etm id=1\n' $n $n "$(stat -c %s trace/code.bin)" \
				"$PWD/trace/code.bin"
		done
		echo "itrace_start 4242/4242 t=4 cpu=0 event=cs_etm id=1"
		echo "aux 4242/4242 off=0 size=$size flags=0 t=900000000 cpu=0 event=cs_etm id=1"
		auxtrace trace/trace.bin 0 -1 "$1"
	} >made.txt
	"$mkdata" made.txt made.data
}

# Lists without what OpenCSD 1.3 gets wrong: it prints a VMID as a character, and leaves times in Gray code.
listed() {
	sed "s/^	//; s/ID:[0-9a-f]*;//; s/VMID=0x.*/VMID=/; $1; s/[ 	]*\$//"
}

nr=0 seed=1
while read -r options; do
	args=() gray='s/TS=0x[^(]*([0-9]*)/TS/'
	for o in $options; do args+=(-o "$o"); done
	[[ $options == *ptm* && $options != *binary* ]] || gray=
	rm -rf trace
	"$gen" -s $((seed++)) -n 6000 "${args[@]}" trace
	trc_pkt_lister -ss_dir trace -logstdout 2>/dev/null | grep ^Idx | listed "$gray" >want || fail "'$options': nothing listed"
	"$list" -d trace | grep Idx: | listed "$gray" >got
	expect_same "'$options': packets" want got
	nr=$((nr + $(wc -l <want)))
	recording 100000000
	"$PREC" script -D --no-itrace -i made.data 2>messages | grep Idx: | listed "$gray" >got
	expect_same "'$options': packets of -D" want got
	recording 1008
	for jobs in 1 3; do
		"$PREC" script -j$jobs --itrace=i1i -F ip -i made.data 2>messages | tr -d ' ' >got
		expect_same "'$options': instructions" trace/expected got
		"$PREC" script -j$jobs --itrace=i7i -F ip -i made.data 2>messages | tr -d ' ' >got
		expect_same "'$options': each 7th" <(awk 'NR % 7 == 0' trace/expected) got
	done
	"$PREC" script --itrace=b -F ip,addr -i made.data >got 2>messages
	[ "$(wc -l <got)" -gt 100 ] || fail "'$options': hardly any branches: $(head -2 got messages)"
	"$PREC" report --stdio --itrace=i1i -i made.data >got 2>messages
	grep -q 'program' got || fail "'$options': report: $(<messages)"
	# A byte that is another: no crash, and what was before it is there.
	for at in 40 333 777 1500; do
		cp trace/trace.bin whole.bin
		# shellcheck disable=SC2059
		printf "\\x$(printf %02x $((at * 7 % 256)))" | dd of=trace/trace.bin bs=1 seek=$at conv=notrunc status=none
		"$list" trace >damaged 2>/dev/null || fail "'$options': damage at $at: status $?"
		expect_same "'$options': before damage at $at" <(head -$((at / 16)) trace/expected) <(head -$((at / 16)) damaged)
		mv whole.bin trace/trace.bin
	done
done <<'X'
ptm binary
ptm binary cc
ptm rs cid
ptm rs cid cc wide
ptm binary rs wide

cid
alt
cc
cc cid wide alt
X
expect "the trace unit's registers" 4 "$("$PREC" script -D --no-itrace -i made.data 2>/dev/null | grep -c '^	ETM\(CR\|TRACEIDR\|CCER\|IDR\)')"
echo "$nr packets"
