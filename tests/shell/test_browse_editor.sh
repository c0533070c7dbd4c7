#!/bin/bash
# Keys o and O open the user's editor at the line under the cursor, with the whole path; where nothing can be opened they say why, and run nothing.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/browse.sh"
. "$(dirname "$0")/lib/browse_program.sh"
at_end 'end_terminal'
need_browser

mkdir "it's here"
cat >"it's here/inl.c" <<'END'
volatile int sink;
static inline __attribute__((always_inline)) void mix(void)
{
	sink += 7;
}
void work(void)
{
	mix();
	sink += 9;
}
void _start(void)
{
	work();
}
END
"$CC" -g -O0 -fno-builtin -fvisibility=hidden -fcf-protection=none -shared -fPIC -nostdlib -o inl.so "it's here/inl.c"
PROG=$PWD/inl.so
caller=$(after _start work)
{
	echo "attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN sample_id_all=1"
	echo 'feature arch=x86_64'
	echo 'comm 100/100 "program"'
	printf 'mmap2 100/100 0x%x+0x1000000@0 r-xp "%s" %s\n' $((PLACE)) "$PROG" "$(build_id_of "$PROG")"
	samples 40 100 0 "$(at work 4)" "$caller"
	samples 60 100 1000 "$(at work 9)" "$caller"
} >made.txt
"$(helper mkdata/mkdata)" made.txt in.data

# Writes what it is called with, and whether the terminal is one that it can use.
cat >editor <<'END'
#!/bin/bash
trap 'echo interrupted >>"${0%/*}/called"' INT
{ printf '%s\n' "$@"; stty size; [ ! -t 2 ] || echo "a terminal"; } >"${0%/*}/calling"
mv "${0%/*}/calling" "${0%/*}/called"
while [ -e "${0%/*}/slow" ]; do sleep 0.1; done
exit "$(cat "${0%/*}/status" 2>/dev/null || echo 0)"
END
chmod +x editor
file="$PWD/it's here/inl.c"
called() {	# LINE
	await 20 [ -e called ]
	expect "the editor's words" "+$1
$file
24 100
a terminal" "$(cat called)"
	rm called
}

start_terminal 100x24
keys "export VISUAL='$PWD/editor' EDITOR=false" Enter
stty_before=$(on_screen 'stty -g' | grep ':')
browse report -i in.data
pressed 'functions 1/'

# From rows of functions: the line with most samples, of an inlined function where it is written.
pressed / 'only functions with:'
keys mix Enter
pressed 'functions 1/1'
keys O
called 4
pressed Escape '\[\.\] work'
keys f Home
row=$(screen | awk '/\[\.\] / { n++ } /\] work/ { print n; exit }')
for ((i = 1; i < row; i++)); do keys Down; done
pressed "functions $row/"
keys O
called 9

# In annotate: the line under the cursor, which is the hottest; of an instruction its own. 'o' orders rows elsewhere.
pressed a 'annotate [0-9]*/.*'
await 20 shows ' : inl.c:9 '
pressed o 'is a key of: functions$'
keys O
called 9
keys Down
keys O
called 9
keys Home
pressed O 'no line of source is known there'
[ ! -e called ] || fail "an editor of nothing: $(cat called)"
keys H

# Keys that end programs are the editor's while it runs; what it ends with is said.
echo 3 >status
touch slow
keys O
await 20 [ -e called ]
keys C-c
await 20 eval 'grep interrupted called >/dev/null'
rm slow
await 20 shows 'the editor has ended with status 3'
rm called status

# What cannot be opened: nothing runs.
mv "it's here/inl.c" gone
pressed O 'line 9 cannot be opened: No such file or directory: '
mkfifo "$file"
pressed O 'line 9 cannot be opened: no regular file: '
rm "$file"
[ ! -e called ] || fail "an editor of what is not there: $(cat called)"
mkdir -p below/"${file%/*}"
mv gone "below/$file"
pressed q 'annotate [0-9]*/'
pressed q 'functions [0-9]*/'
keys q
left
expect "the terminal afterwards" "$stty_before" "$(on_screen 'stty -g' | grep ':')"

# --prefix says where the source is now.
browse report -i in.data --prefix "$PWD/below"
pressed 'functions 1/'
keys / work Enter
pressed a ' : inl.c:9 '
keys O
file="$PWD/below$file"
called 9
pressed q 'functions [0-9]*/'
keys q
left
keys "unset VISUAL EDITOR" Enter
browse report -i in.data --prefix "$PWD/below"
pressed 'functions 1/'
keys / work Enter
pressed O 'set VISUAL or EDITOR to open line 9 of '
[ ! -e called ] || fail "an editor that nobody has set: $(cat called)"
