#!/bin/bash
# Samples in an interpreter: a message gives the switch that names its program's functions; with it there are names.
. "$(dirname "$0")/lib/prec.sh"

# data NAME FILE SAMPLES OTHERS: so many samples in FILE, and in a file that is no interpreter.
data() {
	{
		cat <<-T
			attr cpu-clock type=software config=0 sample=IP,TID,TIME sample_id_all ids=1
			feature arch=x86_64
			comm 7/7 "prog" t=1
			mmap2 7/7 0x10000000+0x10000@0x1000 r-xp "/none/$2" t=2
			mmap2 7/7 0x20000000+0x10000@0x1000 r-xp "/none/other" t=3
			mmap2 7/7 0x30000000+0x10000@0 rwxp "//anon" t=4
		T
		for ((i = 0; i < $3; i++)); do echo "sample 7/7 t=$((10 + i)) ip=$((0x10000000 + 16 * i))"; done
		for ((i = 0; i < $4; i++)); do echo "sample 7/7 t=$((1000 + i)) ip=$((0x20000000 + 16 * i))"; done
		for ((i = 0; i < ${5:-0}; i++)); do echo "sample 7/7 t=$((2000 + i)) ip=$((0x30000000 + 16 * i))"; done
	} >"$1.txt"
	"$(helper mkdata/mkdata)" "$1.txt" "$1.data"
	"$PREC" report -i "$1.data" --stdio >out 2>err
}
# One row per interpreter: file, message.
while IFS='|' read -r file told; do
	data x "$file" 8 2
	expect_finding interpreter err "8 of 10 samples are in an interpreter.*'$file' \($told"
done <<'T'
python3.12|python -X perf
python3.13|python -X perf
libpython3.12.so.1.0|python -X perf
python3.11|run it by Python 3.12 or later
python2.7|run it by Python 3.12 or later
python3|python -X perf
ruby3.1|ruby --yjit
libruby-3.1.so.3.1|ruby --yjit
T
# Not of others, nor of a few.
for file in pythonista python-config rubyist node libjvm.so; do
	data x $file 8 2
	! grep '\[interpreter\]' err || fail "$file is no interpreter"
done
data x python3.12 1 9
! grep '\[interpreter\]' err || fail "one sample of ten is not much"
# For compiled code the message names the compiler.
data x node 1 1 8
expect_finding no-symbol err "8 in code made at run time by process 7 .no '/tmp/perf-7.map': node --perf-basic-prof"
! grep 'python -X' err || fail "node is not Python"
data x libjvm.so 1 1 8
expect_finding no-symbol err 'java -XX:.UnlockDiagnosticVMOptions -XX:.DumpPerfMapAtExit'
data x unknown 1 1 8
expect_finding no-symbol err 'run it so that it writes one: node .*, python -X perf, java'

# As the manual has them.
need_events
cat >W.java <<'T'
public class W {
	static long wombat(long n) { long s = 0; for (long i = 0; i < n; i++) s += i * i % 7; return s; }
	public static void main(String[] a) { long t = 0; for (int k = 0; k < 500; k++) t += wombat(200000); System.out.println(t); }
}
T
if command -v javac >/dev/null && javac W.java 2>/dev/null; then
	"$PREC" record -q -N -o java.data -e cpu-clock:u java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit \
		-XX:+PreserveFramePointer W >/dev/null
	"$PREC" report -i java.data --stdio -s sym 2>/dev/null | grep 'W.wombat(long)' >/dev/null || fail "Java: no name"
	# The archive has it when the map is gone.
	"$PREC" archive java.data 2>/dev/null
	pid=$("$PREC" script -i java.data -F pid 2>/dev/null | head -1 | tr -d ' ')
	rm -f "/tmp/perf-$pid.map"
	"$PREC" report -i java.data.archive --stdio -s sym 2>/dev/null | grep 'W.wombat(long)' >/dev/null || fail "archived: no name"
else
	part_skipped "Java: no javac"
fi
