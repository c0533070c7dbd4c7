#!/bin/bash
# Each letter of --itrace, alone and with others, shows of a trace that has something for it what perf shows.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
. "$(dirname "$0")/lib/script.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
PT_CLEAN=yes
pt_traces t 6000 "psb=1000,notices=60,cyc" "psb=1000,pebs=200,overflow=1500,cyc" "psb=1000,cfe=100,pebs=200" "psb=1000,async=500" \
	-- env -i bash --norc -c 'echo $((40 + 2))'
pebs="attr cycles type=0 config=0 sample=IP,TID,TIME,CPU,ADDR,PERIOD,IDENTIFIER read=ID period=1000 aux_output precise=2 \
sample_id_all ids=2"
for i in 1 2 3 4; do
	PT_EVENTS=$pebs pt_recording t $i 0x8000f613 0 -1 100000000
done
# With samples of another event, for which alone it is: when they come between two packets is nobody's to say.
last=$(($(tail -1 t.4.times) / 2))
cp t.4.data plain.data
PT_EVENTS="$pebs
attr cpu-clock type=1 config=0 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER read=ID period=1000 sample_id_all ids=3" \
	PT_RECORDS=$(for ((t = 16777500; t < last; t += 97)); do
		echo "sample 100/100 t=$t cpu=0 ip=0x123 period=1 mode=user event=cpu-clock id=3"
	done) pt_recording t 4 0x8000f613 0 -1 100000000
mv t.4.data t.5.data
mv plain.data t.4.data

# What event trace says: perf takes the TIP.PGD behind for a branch of the program, and loses it.
"$PREC" script --itrace=I -F event,synth,ip -i t.3.data 2>/dev/null | sed -n 's/^ *evt: *//p' | collapse >got
expect_same "interrupts" t.3.events got
"$PREC" script --itrace=i1iI -F event,ip -i t.3.data 2>/dev/null | sed -n 's/.*instructions:u: *//p' >got
expect_same "instructions between interrupts" t.3.exp got

# Letters (not i0, of which perf makes more samples than there are instructions), what is shown, the traces, and a word where one
# of the perfs is no oracle:
# new	perf 6.1 does not know the letter, or prints (its flags, its callers) otherwise
# none	nothing is to be seen: the trace is short, its errors are overflows
# old	perf 7.3 prints empty parentheses for the flags x, D, t
rows='
i	ip,event,period	4	none
i100i	ip,event,period	4	none
i1i	ip,event,period	4	none
i1000t	ip,event,period	4
i2us	ip,event,period	4
i300ns	ip,event,period	4
i1ms	ip,event,period	4	none
i 100 i	ip,event,period	4	none
i,100i,b	ip,event	1,2
y1us	event,period	4	new
y100i	ip,event,period	1,2	new
iy1us	ip,event,period	4	new
b	ip,addr,event	1,2
b	ip,addr,event,flags	1	old
b	ip,addr,event,flags	2	old
c	ip,addr,event	1,2
r	ip,addr,event	1,2
cr	ip,addr,event	1,2
bc	ip,addr,event	1,2
x	ip,event	1
x	ip,event,flags	1	old
w	ip,event,synth	1
p	ip,event	1,2
o	ip,addr,event,period	2
I	ip,event,synth	1
e	event	2
e+o	event	2
e-o	event	2	none
e+l	event	2
e-ol	event	2	none
e+a	event	2
i10ig	ip,event	1,2	new
i100ig3	ip,event	1,2	new
xg	ip,event	1	new
bg	ip,addr,event	1,2
G	ip,event	5	new
G5	ip,event	5	new
i50il	event,ip,brstack	1,2
i100il4	event,ip,brstack	1,2
xl8	event,ip,brstack	1
bl	ip,addr,event	1,2
L4	event,ip,brstack	5
L	event,ip,brstack	5
GL	event,ip,brstack	5	new
s100b	ip,addr,event	1,2
bs100	ip,addr,event	1,2
i10is50	ip,event	1,2
bws1	ip,event	1
iq	ip,event	1,2
bq	ip,addr,event	1,2
iqq	ip,event	1,2
oq	ip,addr,event	2
i100iA	ip,event	1,2
bA	ip,addr,event	1,2
bZ	ip,addr,event	1,2
i100iZ	ip,event,period	1,2
bT	ip,addr,event	1,2	new
bf	ip,addr,event	1,2
bmtaM	ip,addr,event	1,2
icrxwpe	ip,event	1
bwpxI	ip,event	1
'
bad=0 empty=0
# Blanks are alignment; where tracing starts nothing jumped, though newer perfs say so; old ones have letters for what they put
# in parentheses elsewhere; branches end differently. A chain that is added (G) begins with the sample's own address, which
# perf leaves out where the kernel was not traced.
normal() {
	sed -E 's/ time [0-9.]+//; s/tr strt jmp/tr strt/; s/: +([xDt]+) /: (\1) /; s,/([0-9]+)/+-?,/\1,g' | collapse | sed '/^123$/d'
}
# beside PERF LETTERS FIELDS TRACE WORD: that perf shows what is in got.
beside() {
	local kind=old
	[ "$1" != "${PREC_PERF:-}" ] || kind=new
	case $5 in "" | none | $kind) ;; *) return 0 ;; esac
	"$1" script --itrace="$2" -F "$3" -i "$4" 2>perf.err | normal >want || true
	# What bash runs differs from machine to machine: a few of the rows may have nothing on one.
	if [ ! -s want ] && [ ! -s got ] && [ "$5" != none ]; then
		empty=$((empty + 1))
	elif [ ! -s want ] && [ "$5" != none ]; then
		echo "$kind perf script --itrace=$2 -F $3 shows nothing of $4: $(head -2 perf.err)"
		bad=1
	elif ! cmp -s want got; then
		echo "--itrace=$2 -F $3 of $4 beside the $kind perf:"
		diff want got | head -6 || true
		bad=1
	fi
}
# refused LETTERS PERF: both refuse it, or both do not.
refused() {
	local ours=taken theirs=taken
	"$PREC" script --itrace="$1" -F ip -i t.1.data >/dev/null 2>&1 || ours=refused
	"$2" script --itrace="$1" -F ip -i t.1.data >/dev/null 2>&1 || theirs=refused
	[ $ours = $theirs ] && return
	echo "--itrace=$1 is $ours, and by $2 $theirs"
	bad=1
}
mapfile -t perfs < <(known_perfs)
[ ${#perfs[@]} -gt 0 ] || skip "no perf to compare with (PREC_PERF); the rest passed"
while IFS=$'\t' read -r letters fields traces only; do
	[ "$letters" ] || continue
	ours=$letters
	[[ $letters != G[0-9]* ]] || ours=G$((${letters#G} + 1))	# the sample's own address counts
	for i in ${traces//,/ }; do
		"$PREC" script --itrace="$ours" -F "$fields" -i t.$i.data 2>prec.err | normal >got || true
		for perf in "${perfs[@]}"; do
			beside "$perf" "$letters" "$fields" t.$i.data "$only"
		done
	done
done <<<"$rows"
for letters in i1k k s g0 g1025 G2000 l0 L9999 e+ e- d+ '?' i-1 sx b+ 1 iB; do
	for perf in "${perfs[@]}"; do
		refused "$letters" "$perf"
	done
done
[ $bad = 0 ] || fail "see above"
[ $empty -le 3 ] || fail "of $empty rows neither perf nor prec shows anything"
