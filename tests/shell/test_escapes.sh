#!/bin/bash
# Control characters and escape sequences of a file's names never come out raw, whatever is printed of it.
. "$(dirname "$0")/lib/prec.sh"
E=$'\e]0;owned\a\e[31m'
cat >format <<IN
name: hit
ID: 7
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:char text[8];	offset:8;	size:8;	signed:1;

print fmt: "text=%s $E", REC->text
IN
cat >in.txt <<IN
attr ev$E type=software config=0 sample=IDENTIFIER,IP,TID,TIME,PERIOD,CPU,CALLCHAIN,CGROUP sample_id_all=1 ids=1 comm mmap
attr sys:hit type=tracepoint config=7 sample=IDENTIFIER,IP,TID,TIME,PERIOD,CPU,RAW sample_id_all=1 ids=2
feature arch=x86_64
feature hostname=host$E
feature cmdline=prec,$E
feature tracing=sys:format
comm 7/7 "demo$E" t=1
cgroup 5 "/group$E" t=1
mmap2 7/7 0x400000+0x1000@0 r-xp "/bin/demo$E" dev=8:1 ino=7 t=1
mmap2 7/7 0x500000+0x1000@0 r-xp "//anon" t=1
ksymbol 0xffffffffc0000000+0x1000 "symbol$E" type=1 t=1
sample 7/7 t=2 ip=0x400123 mode=user period=1 cpu=0 event=ev$E cgroup=5 chain=user,0x400123,0x500010
sample 7/7 t=3 ip=0xffffffffc0000010 mode=kernel period=1 cpu=0 event=ev$E cgroup=5 chain=kernel,0xffffffffc0000010
sample 7/7 t=4 ip=0x400123 mode=user period=1 cpu=0 event=sys:hit raw=07000000000000001b5b33316d00000000000000
sample 7/7 t=5 ip=0x400123 mode=user period=1 cpu=0 event=sys:hit raw=070000000000000000000000
IN
"$(helper mkdata/mkdata)" in.txt in.data
clean() {	# WANT COMMAND...: what it prints has no control character, but WANT, which was escaped or stands beside what was
	local want=$1
	shift
	any_status "$@" >out 2>&1
	! LC_ALL=C grep -nP '[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]' out | cat -v || fail "$*: raw control characters"
	grep -F -- "$want" out >/dev/null || { cat out; fail "$*: no '$want'"; }
}
clean 'demo\x1b]0;owned\x07\x1b[31m' "$PREC" report -i in.data -s comm,dso,sym,cgroup -g caller
clean 'symbol\x1b' "$PREC" report -i in.data -s sym --no-children
clean 'x1b' "$PREC" report -i in.data -s trace,text
clean 'host\x1b' "$PREC" report -i in.data --header-only -I
clean 'ev\x1b' "$PREC" report -i in.data --stats
clean '(/bin/demo\x1b' "$PREC" script -i in.data -F comm,event,ip,sym,dso,trace,cgroup
clean 'text=\x1b[31m' "$PREC" script -i in.data -F trace
clean '/group\x1b' "$PREC" script -i in.data --show-mmap-events --show-task-events --show-bpf-events --show-cgroup-events
clean 'demo\x1b' "$PREC" script -i in.data -D
cp in.data "$E"
head -c 300 in.data >"cut$E"
clean '\x1b' "$PREC" report -i "cut$E"
clean '\x1b' "$PREC" script -i "none$E"
