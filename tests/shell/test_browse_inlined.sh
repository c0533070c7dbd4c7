#!/bin/bash
# Beneath an opened row it is plain what is inlined into what; annotate has each line's share once, and says where the samples are of a function without.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/browse.sh"
. "$(dirname "$0")/lib/browse_program.sh"
at_end 'end_terminal'
need_browser

cat >inl.c <<'END'
volatile int sink;
static inline __attribute__((always_inline)) void mix(void)
{
	sink += 7;
}
static inline __attribute__((always_inline)) void twice(void)
{
	mix();
	sink += 8;
	mix();
}
void checksum(void)
{
	twice();
	sink += 9;
}
static inline __attribute__((always_inline)) void middle(void)
{
	checksum();
}
void outer(void)
{
	middle();
	sink += 10;
}
void other(void) { sink += 11; }
void _start(void)
{
	outer();
	other();
	sink += 12;
}
END
"$CC" -g -O0 -fno-builtin -fvisibility=hidden -fcf-protection=none -shared -fPIC -nostdlib -o inl.so inl.c
PROG=$PWD/inl.so

# The last instruction of FUNCTION on LINE.
last_at() {
	at "$1" >/dev/null
	printf '0x%x' $((PLACE + $(while read -r a; do
		! addr2line -e "$PROG" "$a" | grep -E ":$2( |$)" >/dev/null || echo "$a"
	done <insns | tail -1)))
}

# Of checksum: 30 samples where mix is inlined first, 10 where it is again, 20 in its own line, called where middle is inlined into outer.
{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN sample_id_all=1'
	echo 'feature arch=x86_64'
	printf 'comm 100/100 "program"\ncomm 100/101 "worker"\n'
	printf 'mmap2 100/100 0x%x+0x1000000@0 r-xp "%s" %s\n' $((PLACE)) "$PROG" "$(build_id_of "$PROG")"
	callers="$(after outer checksum) $(after _start outer)"
	samples 30 100 0 "$(at checksum 4)" $callers
	samples 10 100 1000 "$(last_at checksum 4)" $callers
	samples 20 100 2000 "$(at checksum 15)" $callers
	samples 40 101 3000 "$(at other)" "$(after _start other)"
} >made.txt
"$(helper mkdata/mkdata)" made.txt in.data
start_terminal 120x30
browse report --children -i in.data
pressed 'functions 1/'

# below FUNCTION: "depth name" of what is opened beneath its row.
below() {
	screen | awk -v of="$1" '
		!match($0, /[+ -] \[\.\] /) { next }
		{ name = substr($0, RSTART + 6); sub(/ +$/, "", name); at = RSTART }
		!on { if (name == of) { on = 1; first = at }; next }
		at <= first { exit }
		{ print (at - first) / 2, name }'
}

# From mix out: inlined into twice, that into checksum, which is called where middle is inlined into outer.
keys / mix Enter Home e
await 20 shows ' _start'
expect "out from mix" "1 in twice (inlined)
2 in checksum
3 middle (inlined)
4 in outer
5 _start" "$(below 'mix (inlined)')"
# Samples of checksum itself: in its own lines; those in mix are no part of it.
pressed BSpace 'functions [0-9]*/[789]'
keys C
pressed o 'ordered by samples in the function itself'
keys / checksum Enter Home
keys e
await 20 shows ' _start'
expect "all beneath checksum" "1 middle (inlined)
2 in outer
3 _start" "$(below checksum)"
keys C
await 20 shows 'functions 1/1 '
rows_match
# Callees: what is inlined stands below it, as what is called does.
keys BSpace
pressed o 'those of callees'
pressed r 'rows open to callees'
keys / outer Enter Home e
await 20 eval '[ "$(below outer | wc -l)" = 4 ]'
expect "callees" "1 middle (inlined)
2 checksum
3 twice (inlined)
4 mix (inlined)" "$(below outer)"
keys C BSpace
pressed r 'rows open to callers'

# Each line has its share once, where most of it is.
keys / checksum Enter Home
pressed a '^   66.67 : inl.c:4 '
expect "shares of lines" "33.33 inl.c:15
66.67 inl.c:4" "$(screen | sed -n 's/^ *\([0-9.][0-9.]*\) : \(inl.c:[0-9]*\) .*/\1 \2/p' | grep -v '^0.00' | sort)"
expect "places of line 4" "2 66.67" "$(screen | grep -c ' : inl.c:4 ') $(screen | grep ' : inl.c:4 ' | head -1 | awk '{ print $1 }')"
annotate_match
pressed q 'functions 1/'
keys BSpace

# For an inlined function it is the code of the one that it is inlined into.
keys / mix Enter Home
pressed a 'this is checksum: mix is inlined into it'
pressed '^   66.67 : inl.c:4 '
keys q
pressed q 'functions 1/'
keys BSpace

# One that only calls has nothing to annotate: it is said where its samples are, and Enter leads there.
keys / outer Enter Home
pressed a '^Enter annotates that'
expect "nothing to annotate" "No sample was taken in the code of
  [.] outer itself.
Samples are in what it calls. The most, 60.00%, are in
  [.] checksum
Enter annotates that." "$(screen | sed -n 3,7p | sed 's/ *$//')"
pressed Enter '^   66.67 : inl.c:4 '
pressed q 'functions 1/'
# Nor one that no sample passes of.
pressed b 'callers and callees'
keys p
pressed Down 'threads 2/2'
pressed t 'thread worker 101'
pressed q 'callers and callees'
pressed a '^No sample that passes the filters was taken in the code of'
shows '^  \[\.\] outer itself\. *$' || fail "of no function: $(screen)"
! shows 'Enter annotates' || fail "leads nowhere: $(screen)"
pressed Enter 'the row under the cursor is not a function'
keys q q
pressed q '^ functions '
keys q
left
