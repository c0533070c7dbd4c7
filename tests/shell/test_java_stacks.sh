#!/bin/bash
# A Java program that prints its own stacks - recursion, lambdas, threads, reflection, JNI - has those in its samples, and no others.
# Exact where the compiler inlines nothing; else functions that were inlined are missing as callers. Runs: alone
. "$(dirname "$0")/lib/prec.sh"
need_events
need javac
need python3
java --version 2>/dev/null | grep -E '^[a-z]+ (17|[2-9][0-9])' >version || skip "no Java of version 17 or later"
HOME_OF=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
[ -e "$HOME_OF/include/jni.h" ] || skip "no jni.h"
cp "$SRC/tests/work/JavaStacks.java" .
javac JavaStacks.java
cat >back.c <<'C'
#include <jni.h>
JNIEXPORT jlong JNICALL Java_JavaStacks_back(JNIEnv *e, jclass c, jint d)
{
	return (*e)->CallStaticLongMethod(e, c, (*e)->GetStaticMethodID(e, c, "work", "()J")) + d;
}
C
"${CC:-cc}" -shared -fPIC -O2 -fno-omit-frame-pointer -I"$HOME_OF/include" -I"$HOME_OF/include/linux" -o libback.so back.c

# Prints how many samples are in work() or what it calls, reach the thread's start, are one of the stacks, are a part of one in order.
cat >compare.py <<'PY'
import re, sys

def plain(name):
	return re.sub(r'\d+', 'N', re.sub(r'/0x[0-9a-f]+', '', name))

def in_order(some, stack):
	rest = iter(stack)
	return all(x in rest for x in some)

# The functions around it run from the start on, perhaps in the interpreter.
def inside_of_all(stack):
	return stack[:stack.index('JavaStacks.all') + 1] if 'JavaStacks.all' in stack else stack

truth = {inside_of_all(tuple(plain(x) for x in line.split(';'))) for line in open('truth').read().split('\n') if line.startswith('JavaStacks.work')}
nr = whole = exact = part = 0
for chain in open('chains').read().split('\n\n'):
	names = [line.split(None, 1)[-1] for line in chain.strip().split('\n') if line.strip()]
	methods = [re.match(r'^(?:[\w.$\[\]/]+ )?((?:JavaStacks|java\.|jdk\.)[\w$./]*)\(.*\)$', x) for x in names]
	java = tuple(plain(m.group(1)) for m in methods if m)
	if not java or java[0] not in ('JavaStacks.spin', 'JavaStacks.work'):
		continue
	if java[0] == 'JavaStacks.spin':
		java = java[1:]
	java = inside_of_all(java)
	nr += 1
	whole += 'start_thread' in names
	exact += 'start_thread' in names and java in truth
	part += any(in_order(java, t) for t in truth)
	if not any(in_order(java, t) for t in truth):
		print('wrong:', ';'.join(java), file=sys.stderr)
print(nr, whole, exact, part, len(truth))
PY

has_stacks() { [ "$(grep -c '^JavaStacks.work' truth)" -ge 12 ]; }

measure() {	# OPTION...: sets N WHOLE EXACT PART STACKS
	command java "$@" -cp . JavaStacks 120000 "$PWD/libback.so" >truth & jvm=$!
	await 60 has_stacks
	"$PREC" record -g -F 499 -e cpu-clock:u -o data -p $jvm sleep 3 2>err || fail "$*: $(<err)"
	kill $jvm
	wait $jvm 2>/dev/null || true
	rm -f "/tmp/perf-$jvm.map" "/tmp/.java_pid$jvm"
	"$PREC" script --max-stack 1000 -i data -F ip,sym >chains 2>err
	read -r N WHOLE EXACT PART STACKS <<<"$(python3 compare.py 2>wrong)"
	echo "java $*: of $N samples $WHOLE are whole, $EXACT exact, $((N - PART)) wrong; of $STACKS stacks"
	[ "$N" -gt 100 ] && [ "$STACKS" -ge 7 ] || fail "java $*: $N samples, $STACKS stacks: $(<err)"
	[ "$PART" = "$N" ] || { head -3 wrong; fail "java $*: $((N - PART)) of $N are parts of no stack that it had"; }
}

measure -XX:+PreserveFramePointer -Xcomp -XX:-Inline
[ $((EXACT * 100)) -ge $((N * 99)) ] || fail "$EXACT of $N stacks are exact"
measure -XX:+PreserveFramePointer
[ $((WHOLE * 100)) -ge $((N * 99)) ] || fail "$WHOLE of $N stacks are whole"
# Without it the JVM tells how large frames are.
if [ "$(uname -m)" = x86_64 ] && grep -q ' 17' version; then
	measure -XX:-PreserveFramePointer -Xcomp -XX:-Inline
	[ $((EXACT * 100)) -ge $((N * 99)) ] || fail "without frame pointers $EXACT of $N stacks are exact"
	measure -XX:-PreserveFramePointer
	[ $((WHOLE * 100)) -ge $((N * 99)) ] || fail "without frame pointers $WHOLE of $N stacks are whole"
else
	part_skipped "without frame pointers: not Java 17 on x86-64"
fi
