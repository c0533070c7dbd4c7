#!/bin/bash
# A Java program that prints its own stacks - recursion, lambdas, threads, reflection, JNI - has those in its samples, and no others.
# Methods that are inlined are there; where one may be inlined in the innermost, that alone may be missing. Runs: alone
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

# Prints how many samples are in functions of the stacks, and how many of these reach the thread's start, have the outer part of a
# stack, are a part of one in order; how many are in work() or what it calls, and how many of these are one of the stacks. With
# "cut" chains that end early count, too.
cat >compare.py <<'PY'
import re, sys

def plain(name):
	return re.sub(r'\d+', 'N', re.sub(r'/0x[0-9a-f]+', '', name))

def in_order(some, stack):
	rest = iter(stack)
	return all(x in rest for x in some)

truth = {tuple(plain(x) for x in line.split(';')) for line in open('truth').read().split('\n') if line.startswith('JavaStacks.work')}
nr_truth = len(truth)
truth |= {more + t for t in truth for more in (('JavaStacks.spin',), ('JavaStacks.nap',), ('java.lang.Thread.sleep', 'JavaStacks.nap'))}
known = {x for t in truth for x in t}
outer = {t[i:] for t in truth for i in range(len(t))}
nr = whole = callers = part = leaf = exact = 0
for chain in open('chains').read().split('\n\n'):
	names = [re.sub(r' \(inlined\)$', '', line.split(None, 1)[-1]) for line in chain.strip().split('\n') if line.strip()]
	methods = [re.match(r'^(?:[\w.$\[\]/]+ )?((?:JavaStacks|java\.|jdk\.)[\w$./]*)\(.*\)$', x) for x in names]
	java = tuple(plain(m.group(1)) for m in methods if m)
	first = java[0] if java and 'cut' in sys.argv else ''
	if 'JavaStacks.all' not in java and not first.startswith('JavaStacks.'):
		continue
	if java[0] not in known or any('note' in x or 'StackWalk' in x for x in java):
		continue
	nr += 1
	whole += 'start_thread' in names
	callers += 'start_thread' in names and java in outer
	part += any(in_order(java, t) for t in truth)
	if java not in outer:
		print('wrong:' if not any(in_order(java, t) for t in truth) else 'shorter:', ';'.join(java), file=sys.stderr)
	if java[0] in ('JavaStacks.spin', 'JavaStacks.work', 'java.lang.Thread.sleep'):
		leaf += 1
		exact += 'start_thread' in names and java in truth
print(nr, whole, callers, part, leaf, exact, nr_truth)
PY

has_stacks() { [ "$(grep -c '^JavaStacks.work' truth)" -ge ${LEAST-12} ]; }

compare() {	# WHAT: sets N WHOLE CALLERS PART LEAF EXACT STACKS
	"$PREC" script --max-stack 1000 -i data -F ip,sym >chains 2>read
	! grep no-run-time-code read || fail "code is missed that only unwinding looked for: $(<read)"
	read -r N WHOLE CALLERS PART LEAF EXACT STACKS <<<"$(python3 compare.py ${CUT-} 2>wrong)"
	echo "java $1: of $N samples $WHOLE are whole, $CALLERS with exact callers, $((N - PART)) wrong; of $LEAF in work $EXACT exact; of $STACKS stacks"
	[ "$N" -gt 100 ] && [ "$STACKS" -ge ${LEAST-12} ] || fail "java $1: $N samples, $STACKS stacks: $(<err)"
	# The compiler C2 puts an instruction that two branches share down to one of them, even if that one calls an inlined method
	# and did not run: seen of one sample of 2,643 in Arrays.sort(a, comparator), whose other branch is Arrays.sort(a).
	[[ "$1" == *DebugNonSafepoints* ]] && shared=$((N / 1000)) || shared=0
	[ $((N - PART)) -le $shared ] || { grep ^wrong wrong; fail "java $1: $((N - PART)) of $N are parts of no stack that it had"; }
}
JAVA="$(type -P java) -XX:+UnlockDiagnosticVMOptions -XX:CompileCommand=quiet"
started() {	# [OPTION...] -- OPTION...
	local of_record=()
	while [ "$1" != -- ]; do of_record+=("$1"); shift; done
	shift
	"$PREC" record -g "${of_record[@]}" -o data $JAVA "$@" -cp . JavaStacks 5000 "$PWD/libback.so" ${SLEEPS-} >truth 2>err ||
		fail "$*: $(<err)"
	compare "${of_record[*]} $*"
}
measure() {	# OPTION...
	: >truth	# else the stacks of the program before may still be there, while this one starts
	$JAVA "$@" -cp . JavaStacks 120000 "$PWD/libback.so" ${SLEEPS-} >truth & jvm=$!
	await 60 has_stacks
	"$PREC" record -g ${RECORD:--F 499 -e cpu-clock:u} -o data -p $jvm sleep 3 2>err || fail "$*: $(<err)"
	kill $jvm
	wait $jvm 2>/dev/null || true
	rm -f "/tmp/perf-$jvm.map" "/tmp/.java_pid$jvm"
	compare "${RECORD-} $*"
}
all_but_one_percent() {	# HOW_MANY OF WHAT
	[ $(($1 * 100)) -ge $(($2 * 99)) ] || { sort wrong | uniq -c | sort -n | tail -3; fail "$1 of $2 stacks are $3"; }
}

# With --long more choices of the JVM's compilers.
measure -XX:+PreserveFramePointer -Xcomp -XX:-Inline
all_but_one_percent "$EXACT" "$LEAF" exact
if [ "${LONG:-}" ]; then
	measure -XX:+PreserveFramePointer
	all_but_one_percent "$WHOLE" "$N" whole
fi
# Without it the JVM tells how large frames are, and which methods are inlined where one calls another; with debug information of
# all instructions also where it does not.
if [ "$(uname -m)" = x86_64 ] && grep -q ' 17' version; then
	if [ "${LONG:-}" ]; then
		measure -XX:-PreserveFramePointer -Xcomp -XX:-Inline
		all_but_one_percent "$EXACT" "$LEAF" exact
	fi
	inline_spin="-XX:CompileCommand=quiet -XX:CompileCommand=inline,JavaStacks.spin"
	measure -XX:-PreserveFramePointer -Xcomp $inline_spin
	all_but_one_percent "$CALLERS" "$N" "those of callers"
	expect_finding java-inlined err 'which inlined method ran'
	measure -XX:-PreserveFramePointer -Xcomp $inline_spin -XX:+DebugNonSafepoints
	all_but_one_percent "$CALLERS" "$N" "those of callers"
	all_but_one_percent "$EXACT" "$LEAF" exact
	! grep -q java-inlined err || fail "$(<err)"
	# An inlined method has as many samples of its own in report as it is the innermost of in script.
	spins=$(awk -v RS= -F'\n' '$1 ~ /JavaStacks\.spin\(.*inlined/ { n++ } END { print n + 0 }' chains)
	[ "$spins" -gt 10 ] || fail "only $spins samples of an inlined method"
	expect "samples of an inlined method" "$spins" "$("$PREC" report --stdio -q -i data --inline-self --no-children -g none \
		-F sample,sym 2>/dev/null | awk '/JavaStacks\.spin\(.*inlined/ { n += $1 } END { print n + 0 }')"
	"$PREC" script --no-inline --max-stack 1000 -i data -F ip,sym >chains 2>read
	! grep -q '(inlined)' chains || fail "--no-inline shows inlined methods"
	# By default some methods are interpreted.
	measure
	all_but_one_percent "$CALLERS" "$N" "those of callers"
	if [ "${LONG:-}" ]; then
		measure -XX:+DebugNonSafepoints
		all_but_one_percent "$CALLERS" "$N" "those of callers"
		measure -Xint
		all_but_one_percent "$EXACT" "$LEAF" exact
	fi
	started -F 499 -e cpu-clock:u --
	all_but_one_percent "$CALLERS" "$N" "those of callers"
	if [ "$(id -u)" = 0 ]; then
		SLEEPS=sleeps RECORD=--off-cpu measure
		all_but_one_percent "$EXACT" "$LEAF" exact
		SLEEPS=sleeps started --off-cpu --
		all_but_one_percent "$EXACT" "$LEAF" exact
	fi
	# Compiled methods become invalid while they wait for what they called, which loads a class.
	LEAST=2 SLEEPS=deoptimizes measure -Xbatch -XX:+PrintCompilation
	grep -q ' 4  *JavaStacks$Held::applyAsLong .*made not entrant' truth || fail "nothing was deoptimized"
	all_but_one_percent "$CALLERS" "$N" "those of callers"
else
	part_skipped "without frame pointers: not Java 17 on x86-64"
fi

# JVMs whose structures are not known: chains may end early, but none is wrong.
for other in /usr/lib/jvm/*/bin/java; do
	[ "$(readlink -f "$other")" = "$other" ] || continue
	! "$other" --version 2>/dev/null | grep -qE '^[a-z]+ 1[7-9]' || continue
	"${other}c" -d . JavaStacks.java 2>/dev/null || continue
	JAVA="$other -XX:+UnlockDiagnosticVMOptions -XX:CompileCommand=quiet"
	CUT=cut started -F 499 -e cpu-clock:u -- -XX:+DumpPerfMapAtExit
done
