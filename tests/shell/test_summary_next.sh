#!/bin/bash
# The commands that a summary ends with lead on: to code that is there, and to the event that is shown.
. "$(dirname "$0")/lib/prec.sh"
CC=${CC:-cc}
mkdata=$(helper mkdata/mkdata)

# nexts FILE OPTION...: the commands in "next", of which each one works; what all of them print is in "said".
nexts() {
	"$PREC" summary -i "$@" >page 2>err || fail "$* $(cat err)"
	sed -n '/^next: /,$p' page | sed 's/^next: //; s/^ *//' >next
	: >said
	while read -r command; do
		eval "${command/#prec/\"\$PREC\"}" >>said 2>err || fail "$command: $(cat err)"
	done <next
}

# Of a tracepoint the fields tell, and not the kernel's code around it; where they are not known, each hit does.
cat >format <<'IN'
name: hit
ID: 7
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:unsigned int the_number;	offset:8;	size:4;	signed:0;

print fmt: "number=%u", REC->the_number
IN
cat >hits.txt <<'IN'
attr sys:hit type=tracepoint config=7 sample=IDENTIFIER,IP,TID,TIME,PERIOD,CPU,RAW sample_id_all=1 ids=1
feature arch=x86_64
feature tracing=sys:format
mmap -1/0 0xffffffff81000000+0x2000@0 "[kernel.kallsyms]_text"
ksymbol 0xffffffffc0000000+0x100 "place_of_hits" type=1 t=1
comm 7/7 "prog"
repeat 20
sample 7/7 id=1 t={i+100} ip=0xffffffffc0000010 mode=kernel period=1 cpu=0 raw=07000000070000002a000000
end
IN
"$mkdata" hits.txt hits.data
nexts hits.data
expect "a tracepoint" "prec report -s trace_fields -i 'hits.data'" "$(grep report next)"
grep -w the_number said >/dev/null || fail "its fields: $(cat said)"
grep annotate next && fail "a tracepoint's code tells nothing: $(cat next)"
sed /tracing/d hits.txt >bare.txt
"$mkdata" bare.txt bare.data
nexts bare.data
expect "a tracepoint of which nothing is known" "prec script -i 'bare.data'" "$(grep script next)"

# Waits that only -e makes: without it they would not be there.
cat >waits.txt <<'IN'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1 context_switch
feature arch=x86_64
ksymbol 0xffffffffc0000000+0x100 "works" type=1 t=1
comm 7/7 "work" t=1
sample 7/7 id=1 t=1000 ip=0xffffffffc0000010 mode=kernel period=1000000 cpu=0 chain=kernel,0xffffffffc0000010
switch out 7/7 t=10000000 cpu=0
switch in 7/7 t=30000000 cpu=0
sample 7/7 id=1 t=900000000 ip=0xffffffffc0000010 mode=kernel period=1000000 cpu=0 chain=kernel,0xffffffffc0000010
IN
"$mkdata" waits.txt waits.data
nexts waits.data -e offcpu-time
grep -F "prec summary -i 'waits.data' -e 'offcpu-time' --of=" next >/dev/null || fail "of waits: $(cat next)"
nexts waits.data
grep -F -e '-e ' next && fail "the event that is shown by itself: $(cat next)"

# Filters: the head says them, and the commands that follow have them.
cat >filtered.txt <<'IN'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER sample_id_all=1 ids=1
feature arch=x86_64
ksymbol 0xffffffffc0000000+0x100 "works" type=1 t=1
ksymbol 0xffffffffc0000100+0x100 "rests" type=1 t=1
comm 7/7 "a b" t=1
comm 8/8 "other" t=1
sample 7/7 id=1 t=1000 ip=0xffffffffc0000010 mode=kernel period=1 cpu=0
sample 8/8 id=1 t=2000 ip=0xffffffffc0000110 mode=kernel period=1 cpu=0
IN
"$mkdata" filtered.txt filtered.data
nexts filtered.data --tid 7 --time 0%-90%
expect "the head" "only: --tid 7 --time 0%-90%" "$(sed -n 2p page)"
expect "commands with the filters" "$(grep -c . next)" "$(grep -cF -e "-i 'filtered.data' --tid 7 --time 0%-90%" next)"
grep -w rests said && fail "they show what was left out"
nexts filtered.data -c 'a b'
expect "a filter with a blank" "only: --comms 'a b'" "$(sed -n 2p page)"
expect "filters in JSON" "--comms 'a b'" "$("$PREC" summary -i filtered.data -c 'a b' --json 2>/dev/null | sed -nE "s/.*\"filters\":\"([^\"]*)\".*/\1/p")"
nexts filtered.data
grep '^only' page && fail "no filter is on"

# Of two events the one that is shown.
sed -e 's/^attr cpu-clock\(.*\)/attr cpu-clock\1\nattr faults\1/; s/ context_switch//; /^switch/d' waits.txt |
	sed -e '/^attr faults/s/config=0/config=2/; /^attr faults/s/ids=1/ids=2/; $s/id=1/id=2/' >two.txt
"$mkdata" two.txt two.data
nexts two.data -e faults
grep -E "^prec summary -i 'two.data' -e 'faults' --of=" next >/dev/null || fail "of the second event: $(cat next)"
grep -E '^event: faults, 1 ' said >/dev/null || fail "what is said of it: $(cat said)"
nexts two.data -e faults --of=works
expect "code and callers of the second event" "prec annotate -i 'two.data' 'works'
prec report -g caller -i 'two.data' -e 'faults'" "$(cat next)"

# What has no samples of the event is said to have none, and which event it has some of; also where -e names the wrong one.
sed 's/^ksymbol.*/&\nksymbol 0xffffffffc0000100+0x100 "faulter" type=1 t=1/; $s/c0000010/c0000110/g' two.txt >apart.txt
"$mkdata" apart.txt apart.data
for command in "--of=faulter" "--of=faulter -e cpu-clock" "--of=works -e faults"; do
	case $command in
	*faulter*)	has=faults lacks=cpu-clock;;
	*)		has=cpu-clock lacks=faults;;
	esac
	# shellcheck disable=SC2086
	nexts apart.data $command
	grep -E "^of f:[0-9a-f]{8}: .*, no samples of $lacks\$" page >/dev/null || fail "$command: $(cat page)"
	grep -E "^also: $has, 1 samples, 1\.0" page >/dev/null || fail "the other event: $(cat page)"
	expect "of the other event" "prec summary -i 'apart.data' -e '$has' --of=$(sed -n 's/^of \(f:[0-9a-f]*\): .*/\1/p' page)" "$(cat next)"
	grep -F ', 1 samples, 100.00 %' said >/dev/null || fail "what it has there: $(cat said)"
done
expect "the same in JSON" "0 faults 1" "$("$PREC" summary -i apart.data --of=faulter --json 2>/dev/null |
	sed -nE 's/.*"other_events":\[\{"event":"([^"]*)","samples":([0-9]*).*"of_samples":([0-9]*).*/\3 \1 \2/p')"

# A function that was inlined has no code of its own: the one that has it does.
need addr2line readelf
cat >inlined.c <<'E2'
volatile unsigned sum;
static inline __attribute__((always_inline)) void busy(unsigned n) { for (unsigned i = 0; i < n; i++) sum += i * i; }
__attribute__((noinline)) void with_code(unsigned n) { busy(n); sum++; }
int main(void) { with_code(5); return sum == 1; }
E2
$CC -O1 -g -o inlined inlined.c
read -r from size < <(readelf -sW inlined | awk '$8 == "with_code" { print "0x" $2, $3 }')
{
	cat <<E2
attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1
feature arch=$(uname -m)
comm 7/7 "inlined"
mmap2 7/7 0x555555554000+0x100000@0 r-xp "$PWD/inlined" $(build_id_of inlined)
E2
	for ((at = from; at < from + size; at++)); do
		[ "$(addr2line -fe inlined "$(printf 0x%x "$at")" | head -1)" = busy ] || continue
		printf "sample 7/7 id=1 t=$at ip=0x%x mode=user period=1000 chain=user,0x%x\n" $((at + 0x555555554000)) $((at + 0x555555554000))
	done
} >inlined.txt
"$mkdata" inlined.txt inlined.data
nexts inlined.data
grep -E ' 100\.00 % .*  busy \(inlined\)  \(inlined\)' page >/dev/null || fail "the function that was inlined: $(cat page)"
expect "it has the name of the row" "prec annotate -i 'inlined.data' 'busy'" "$(grep annotate next)"
grep -F '| with_code of inlined for' said >/dev/null || fail "its code: $(cat said)"
id=$(sed -n 's/.*\(f:[0-9a-f]*\)  busy .*/\1/p' page)
nexts inlined.data --of="$id"
expect "its code and callers" "prec annotate -i 'inlined.data' 'busy'
prec report -g caller -i 'inlined.data'" "$(cat next)"
nexts inlined.data --of=t:7
expect "of a thread" "prec annotate -i 'inlined.data' --tid 7 'busy'" "$(cat next)"

# If a function of that name has code of its own, annotate would show that: the one around the inlined code is named.
sed '/^comm/s/$/\nksymbol 0xffffffffc0000100+0x100 "busy" type=1 t=1/' inlined.txt >copy.txt
echo 'sample 7/7 id=1 t=9 ip=0xffffffffc0000110 mode=kernel period=10 chain=kernel,0xffffffffc0000110' >>copy.txt
"$mkdata" copy.txt copy.data
nexts copy.data
expect "around the inlined code" "prec annotate -i 'copy.data' 'with_code'" "$(grep annotate next)"

# The program's code is suggested and not the kernel's, unless it has no row.
for period in 100000 100000000; do
	sed '/^comm/s/$/\nksymbol 0xffffffffc0000100+0x100 "in_kernel" type=1 t=1/' inlined.txt >kernel.txt
	echo "sample 7/7 id=1 t=9 ip=0xffffffffc0000110 mode=kernel period=$period chain=kernel,0xffffffffc0000110" >>kernel.txt
	"$mkdata" kernel.txt kernel.data
	nexts kernel.data
	expect "the hottest function" in_kernel "$(sed -n '/^functions/{n;s/.*f:[0-9a-f]*  \([a-z_]*\) .*/\1/p}' page)"
	expect "the kernel's period is $period" "$([ $period = 100000 ] && echo busy || echo in_kernel)" "$(sed -n "s/.*annotate.*'\(.*\)'/\1/p" next)"
done
