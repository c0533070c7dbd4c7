#!/bin/bash
# What a JIT compiler makes of one method, again and again and elsewhere, is one function to people, and a row each in pipes, as in perf.
. "$(dirname "$0")/lib/prec.sh"

pid=$((4194304 + $$))	# above all that a kernel gives
at_end "rm -f /tmp/perf-$pid.map"
cat >/tmp/perf-$pid.map <<E2
70000000 100 JS:^hot app.js:1:1
70000200 100 JS:*hot app.js:1:1
70000400 100 JS:*hot app.js:1:1
70000600 100 JS:*hot app.js:1:1
70000800 100 main app.js:9:1
70000a00 100 main app.js:9:1
70000c00 100 long Hot.sieve(int)
70000e00 100 long Hot.sieve(int)
E2
{
	echo "attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN sample_id_all ids=1"
	echo "feature arch=$(uname -m)"
	echo "comm $pid/$pid \"jit\" t=1"
	echo "mmap2 $pid/$pid 0x70000000+0x1000@0 r-xp \"//anon\" t=2"
	t=10
	# ADDRESS CALLER PERIOD
	while read -r ip caller period; do
		echo "sample $pid/$pid t=$((t++)) ip=$ip mode=user period=$period chain=user,$ip,$caller"
	done <<-E2
		0x70000010 0x70000810 1200
		0x70000210 0x70000810 2000
		0x70000410 0x70000a10 4000
		0x70000610 0x70000810 8000
		0x70000c10 0x70000810 500
		0x70000e10 0x70000810 300
	E2
} >in.txt
"$(helper mkdata/mkdata)" in.txt in.data

# The same function and the same stack, whatever the address.
"$PREC" summary -i in.data >page 2>err || fail "$(<err)"
expect "functions of the summary" "87.50 JS:*hot 7.50 JS:^hot 5.00 long" \
	"$(sed -n 's/^ *\([0-9.]*\) %.* f:[0-9a-f]* *\([^ ]*\) .*/\1 \2/p' page | xargs)"
expect "call chains of the summary" 3 "$(sed -n '/^call chains/,/^$/p' page | grep -c 's:[0-9a-f]')"
"$PREC" export -i in.data -o out.folded 2>err || fail "$(<err)"
expect "stacks" 3 "$(wc -l <out.folded)"
expect "functions in the profile" 4 "$("$PREC" query -i in.data "select count(*) from functions" 2>/dev/null | tail -1 | tr -d ' ')"

# Pipes have perf's rows.
expect "rows of report" 4 "$("$PREC" report -i in.data -q --stdio --no-children -g none 2>/dev/null | grep -c 'hot app.js')"
# Each has its own code.
"$PREC" annotate -i in.data 'JS:*hot app.js:1:1' >text 2>err || fail "$(<err)"
expect "annotated" 3 "$(grep -c '^ *Percent | JS:\*hot' text)"
"$PREC" annotate -i in.data Hot.sieve >text 2>err || fail "$(<err)"
expect "annotated by a part of its name" 2 "$(grep -c '^ *Percent | long Hot.sieve' text)"
! grep 'is also in the names' err || fail "it is named twice"

# A page has the code of each, from a jitdump: the first is of nop, the second of cmc.
[ "$(uname -m)" = x86_64 ] && command -v python3 >/dev/null || { part_skipped "pages: no python3, or code of another processor"; exit 0; }
python3 - >jit-$pid.dump <<E2
import struct, sys
def load(code, at, number):
	body = struct.pack('=IIQQQQ', $pid, $pid, at, at, len(code), number) + b'again\0' + code
	return struct.pack('=IIQ', 0, 16 + len(body), 3) + body
head = struct.pack('=IIIIIIQQ', 0x4a695444, 1, 40, 62, 0, $pid, 0, 0)
sys.stdout.buffer.write(head + load(b'\x90' * 15 + b'\xc3', 0x70000000, 0) + load(b'\xf5' * 15 + b'\xc3', 0x70000100, 1))
E2
cat >dump.txt <<E2
attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD sample_id_all ids=1
feature arch=x86_64
comm $pid/$pid "jit" t=1
mmap2 $pid/$pid 0x70000000+0x1000@0 r-xp "//anon" t=2
mmap2 $pid/$pid 0x60000000+0x1000@0 r-xp "$PWD/jit-$pid.dump" t=3
sample $pid/$pid t=4 ip=0x70000003 mode=user period=1
sample $pid/$pid t=5 ip=0x70000105 mode=user period=9
E2
"$(helper mkdata/mkdata)" dump.txt dump.data
expect "functions" 1 "$("$PREC" summary -i dump.data 2>/dev/null | grep -c ' f:[0-9a-f]* *again ')"
"$PREC" export -i dump.data -o out.html 2>err || fail "$(<err)"
expect "code in the page" "nop cmc" "$(python3 - <<'E2'
import base64, re, zlib
for text in re.findall('[A-Za-z0-9+/=]{200,}', open('out.html').read()):
	try:
		data = zlib.decompress(base64.b64decode(text), -15)
	except Exception:
		continue
	print(*(word for word in ('nop', 'cmc') if word.encode() in data))
E2
)"
