#!/bin/bash
# Recordings made to explode - long chains, deep inlining, many names, threads, events, maps - take memory and output that their size bounds.
. "$(dirname "$0")/lib/prec.sh"
MKDATA=$(helper mkdata/mkdata)
peak=$(workload peak)
! sanitized || skip "a sanitizer keeps memory of its own"
# As CONTRIBUTING.md has it: bytes of memory, and of output, for a byte of the recording, and what is allowed beside them.
MEMORY=48 OUTPUT=24 ALWAYS=$((24 << 20))
# A frame of a chain is up to 200 functions, a line each; maps are printed for each process that inherited them, up to a million.
INLINED=400 MAPS=$((256 << 20))

head='attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD sample_id_all ids=1'
declare -A bombs=(
	[chains]="attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN sample_id_all
comm 1/1 \"p\" t=1
mmap2 1/1 0x400000+0x10000000@0 r-xp \"/nowhere\" t=1
repeat 40
sample 1/1 t={i+10} ip=0x400100 mode=user period=1 chain=user$(for ((k = 0; k < 7000; k++)); do printf ',{i*7000+%d*16+4194304}' $k; done)
end"
	[names]="$head
repeat 20000
comm {i+1}/{i+1} \"{i*7919+1000000007}\" t={i*3+1}
sample {i+1}/{i+1} t={i*3+2} ip=0x400100 mode=user period=1
end"
	[threads]="$head
comm 1/1 \"p\" t=1
repeat 20000
fork 1/{i+2} parent=1/{i+1} t={i*3+1}
sample 1/{i+2} t={i*3+2} ip={i+4194304} mode=user period=1
end"
	[processes]="$head
comm 1/1 \"p\" t=1
repeat 20000
fork {i+2}/{i+2} parent={i+1}/{i+1} t={i*3+1}
sample {i+2}/{i+2} t={i*3+2} ip={i+4194304} mode=user period=1
end"
	[maps]="$head
comm 1/1 \"p\" t=1
repeat 20000
mmap2 1/1 {i*4096+4194304}+0x1000@0 r-xp \"/lib/{i}\" t={i*3+1}
sample 1/1 t={i*3+2} ip={i*4096+4194304} mode=user period=1
end"
	[forked-maps]="$head
comm 1/1 \"p\" t=1
repeat 3000
mmap2 1/1 {i*4096+4194304}+0x1000@0 r-xp \"/lib/{i}\" t={i+1}
end
repeat 3000
fork {i+2}/{i+2} parent=1/1 t={i*3+10000}
mmap2 {i+2}/{i+2} {i*4096+4194304}+0x1000@0 r-xp \"/other/{i}\" t={i*3+10001}
sample {i+2}/{i+2} t={i*3+10002} ip={i*4096+4194304} mode=user period=1
end"
	[events]="$(for ((k = 0; k < 1500; k++)); do echo "attr e$k type=raw config=$k sample=IDENTIFIER,IP,TID,TIME,PERIOD sample_id_all ids=$((k + 1))"; done)
comm 1/1 \"p\" t=1
$(for ((k = 0; k < 1500; k++)); do echo "sample 1/1 t=$((k + 2)) ip=$((4194304 + k)) mode=user period=1 event=e$k id=$((k + 1))"; done)"
)

# Deep inlining: an instruction of a program is in 60 functions, each of 100 frames is that.
cat >deep.c <<'E2C'
#define F(n, m) static inline __attribute__((always_inline)) long f##n(volatile long *p) { long v = f##m(p); *p += v; return v; }
static inline __attribute__((always_inline)) long f0(volatile long *p) { *p += 1; return *p; }
E2C
for ((k = 1; k <= 60; k++)); do echo "F($k, $((k - 1)))"; done >>deep.c
echo 'int main(void) { volatile long x = 0; while (f60(&x) < 100000000) ; return 0; }' >>deep.c
gcc -g -O1 -no-pie -o deep deep.c
main=$((0x$(nm deep | sed -n 's/ T main$//p')))
deepest=$(for ((k = 0; k < 60; k++)); do
	echo "$(addr2line -i -e deep $(printf '%#x' $((main + k))) | wc -l) $((main + k))"
done | sort -n | tail -1)
[ "${deepest% *}" -ge 60 ] || fail "only ${deepest% *} functions are inlined"
deepest=${deepest#* }
of_deep="attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN sample_id_all
comm 1/1 \"deep\" t=1
mmap2 1/1 0x400000+0x10000@0 r-xp \"$PWD/deep\" $(build_id_of deep) t=1"
bombs[inlines]="$of_deep
repeat 1000
sample 1/1 t={i+10} ip=$deepest mode=user period=1 chain=user$(for ((k = 0; k < 100; k++)); do printf ',%d' $deepest; done)
end"

runs=0
# bounded FILE COMMAND...
bounded() {
	local file=$1 size status=0 memory output written most_output=$OUTPUT always=$ALWAYS
	shift
	case "$file $*" in
	*--mmaps*)		always=$((always + MAPS));;
	'inlines.data script'*)	most_output=$INLINED;;
	esac
	size=$(stat -c %s "$file")
	rm -f out
	(ulimit -f $(((size * most_output + always) / 1024)); exec timeout 100 "$peak" kib "$PREC" "$@") >text 2>said || status=$?
	[ $status -le 3 ] || fail "prec $*: status $status: $(tail -3 said)"
	memory=$(($(<kib) << 10)) output=$(stat -c %s text) runs=$((runs + 1))
	written=$output
	[ ! -e out ] || written=$((output + $(stat -c %s out)))
	[ $memory -lt $((size * MEMORY + always)) ] || fail "$file of $size bytes: prec $*: $memory bytes of memory"
	[ $written -lt $((size * most_output + always)) ] || fail "$file of $size bytes: prec $*: $written bytes of output"
}
for name in "${!bombs[@]}"; do
	echo "${bombs[$name]}" >text
	"$MKDATA" text $name.data
	d=$name.data
	bounded $d report --stdio -i $d
	bounded $d report --stdio --no-children -g none -i $d
	bounded $d report --stdio -G -s pid,tid,comm,sym,dso -i $d
	bounded $d report --tasks -i $d
	bounded $d report --mmaps -i $d
	bounded $d script -i $d
	bounded $d script -D -i $d
	bounded $d annotate --stdio -i $d
	bounded $d verify $d
	bounded $d summary -i $d
	bounded $d diff --stdio $d $d
	for format in html pprof jsonl; do
		bounded $d export -i $d -o out --format $format
	done
	bounded $d archive -i $d -o out
	rm -f $d
done

# Text that is ready before its turn: threads wait with it. The last are short samples, so that each thread has some.
for samples in "repeat 2500
sample 1/1 t={i+10} ip=$deepest mode=user period=1 chain=user$(for ((k = 0; k < 30; k++)); do printf ',%d' $deepest; done)" "repeat 15000
sample 1/1 t={i+10} ip=$deepest mode=user period=1 chain=user,$deepest"; do
	printf '%s\n' "$of_deep" "$samples" end >text
	"$MKDATA" text inlines.data
	bounded inlines.data script -j8 -i inlines.data
done

# A compressed table of lines with millions of rows for one address, and a name that doubles 34 times when it is demangled.
python3 "$SRC/tests/lib/line_bomb.py" 30000000 lines || fail "no program with many lines"
[ "$(stat -c %s lines)" -lt 200000 ] || fail "the table is not compressed"
digits=0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ name=_Z3hotP1P
for ((k = 1; k < 34; k++)); do name+=IS_; done
name+=IiiE
for ((k = 0; k < 33; k++)); do name+=S${digits:k:1}_E; done
echo "int hot(int n) __asm__(\"$name\"); int hot(int n) { return n + 1; } int main(int n, char **v) { return hot(n) == (long)v; }" >names.c
gcc -O1 -fno-inline -no-pie -o names names.c
for of in lines:main names:$name; do
	program=${of%%:*} at=$((0x$(nm ${of%%:*} | sed -n "s/ T ${of#*:}$//p")))
	printf '%s\n' "attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN sample_id_all" 'comm 1/1 "p" t=1' \
		"mmap2 1/1 0x400000+0x10000@0 r-xp \"$PWD/$program\" $(build_id_of $program) t=1" \
		"sample 1/1 t=10 ip=$at mode=user period=1 chain=user,$at" >text
	"$MKDATA" text $program.data
	bounded $program.data report --stdio -s sym,srcline -i $program.data
	grep -qE ' (main|_Z3hot|hot)' text || fail "$program: no name: $(grep -v '^#' text)"
	bounded $program.data script -F +srcline -i $program.data
	bounded $program.data annotate --stdio -i $program.data
	bounded $program.data export -i $program.data -o out --format pprof
done

# A tracepoint of 35,000 fields of one name, and of as many names.
for name in x x%d; do
	{ printf 'name: hit\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n'
	  for ((k = 0; k < 35000; k++)); do printf "\tfield:u8 $name;\toffset:8;\tsize:1;\tsigned:0;\n" $k; done
	  printf '\nprint fmt: "hit"\n'; } >format
	printf '%s\n' 'attr sys:hit type=tracepoint config=7 sample=IP,TID,TIME,CPU,PERIOD,RAW' 'feature tracing=sys:format' \
		'sample 7/7 t=4 ip=0x400123 period=1 cpu=0 raw=070000000000000009' >text
	"$MKDATA" text fields.data
	bounded fields.data query -i fields.data --csv 'SELECT * FROM sys_hit'
	grep -q 'without SQLite' said || [ "$(tail -1 text | tr , '\n' | grep -c '^9')" -ge 1 ] || fail "no field of many: $(cat said)"
done
echo "$runs runs of ${#bombs[@]} recordings, of two programs, and of many fields"
