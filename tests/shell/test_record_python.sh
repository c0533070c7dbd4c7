#!/bin/bash
# Frames of Python without a switch: a program that prints its own stacks has those, and no others, in its samples.
# PREC_PYTHONS: interpreters, instead of two of those that are here. Runs: alone
. "$(dirname "$0")/lib/prec.sh"
need_root
need_events
PYTHONS=
OWN=${PYENV_ROOT:-/root/.pyenv}/versions
for p in ${PREC_PYTHONS:-/usr/bin/python3.1[0-3] "$OWN"/3.9.*/bin/python3 "$OWN"/3.12.*/bin/python3}; do
	[ ! -x "$p" ] || PYTHONS+=$p$'\n'
done
[ "$PYTHONS" ] || skip "no Python"
[ "${PREC_PYTHONS-}" ] || PYTHONS=$(head -3 <<<"$PYTHONS")
APP=$SRC/tests/work/stacks.py

any_status "$PREC" record --python -e cpu-clock -o data true 2>err
! grep -q 'built without clang\|may not be loaded\|does not take the BPF' err || { cat err; skip "no BPF programs here"; }

# names FILE [EVENT]: of each sample those of Python, the innermost first, on a line.
names() {
	"$PREC" script --max-stack 1024 -i "$1" -F event,ip,sym,dso 2>err2 | awk -v want="${2-.}" '
		function done() { if (st != "") print st; st = "" }
		/^$/ { done() }
		/^ *[a-z][^ ]*: / { done(); event = $1 }
		event ~ want && /\(\[python\]\)$/ { sub(/^[ \t]*[0-9a-f]+ /, ""); sub(/ \([^()]*\) \(\[python\]\)$/, ""); st = st (st == "" ? "" : ";") $0 }
		END { done() }'
}

# check WHAT STACKS MISSING: of the stacks in "found" that end in spin() all are in "truth", and enough; each of "truth" was found.
check() {
	SPINS=$(grep -c '^spin' found) || true
	awk 'FNR == NR { t[$0]; next } /^spin/ && !($0 in t)' truth found >wrong
	awk 'FNR == NR { t[$0]; next } !($0 in t)' found truth >missing
	[ ! -s wrong ] || { cut -c1-300 wrong; fail "$1: $(wc -l <wrong) of $SPINS stacks are none that the program had"; }
	[ "$SPINS" -gt "$2" ] || { head -3 found err; fail "$1: only $SPINS stacks"; }
	[ "$(wc -l <missing)" -le "$3" ] || { cut -c1-300 missing; fail "$1: stacks without a sample"; }
}

for python in $PYTHONS; do
	"$PREC" record -e cpu-clock -F 999 -g -N -o data "$python" "$APP" 0.02 >truth 2>err || { cat err; fail "$python"; }
	[ "$(wc -l <truth)" -gt 15 ] || fail "$python printed $(wc -l <truth) stacks"
	names data >found
	check "$python" 100 1
	echo "$python: $SPINS chains, none wrong; $(($(wc -l <truth) - $(wc -l <missing))) of $(wc -l <truth) stacks seen"
	! grep -q python-unknown err || cat err
	"$PREC" report -i data >/dev/null 2>err
	! grep '\[interpreter\]' err || fail "$python: its functions have names"
done

# A module in C that calls back: many times in one stack, and from a thread that it made.
cat >callback.c <<'C'
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
struct task { PyObject *f; long n; };
static PyObject *call(PyObject *self, PyObject *args)
{
	struct task t;
	return PyArg_ParseTuple(args, "Ol", &t.f, &t.n) ? PyObject_CallFunction(t.f, "l", t.n) : NULL;
}
static void *run(void *p)
{
	const struct task *t = p;
	PyGILState_STATE state = PyGILState_Ensure();
	Py_XDECREF(PyObject_CallFunction(t->f, "l", t->n));
	PyGILState_Release(state);
	return NULL;
}
static PyObject *thread(PyObject *self, PyObject *args)
{
	struct task t;
	pthread_t id;
	if (!PyArg_ParseTuple(args, "Ol", &t.f, &t.n) || pthread_create(&id, NULL, run, &t))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	pthread_join(id, NULL);
	Py_END_ALLOW_THREADS
	Py_RETURN_NONE;
}
static PyMethodDef methods[] = { { "call", call, METH_VARARGS, "" }, { "thread", thread, METH_VARARGS, "" }, { NULL, NULL, 0, NULL } };
static struct PyModuleDef module = { PyModuleDef_HEAD_INIT, "callback", "", -1, methods, NULL, NULL, NULL, NULL };
PyMODINIT_FUNC PyInit_callback(void);
PyMODINIT_FUNC PyInit_callback(void) { return PyModule_Create(&module); }
C
for python in $PYTHONS; do
	include=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
	[ -e "$include/Python.h" ] || { part_skipped "$python has no headers"; continue; }
	rm -f callback.so
	"${CC:-cc}" -shared -fPIC -O2 -I"$include" -o callback.so callback.c || fail "$python: no module"
	PYTHONPATH=. "$PREC" record -e cpu-clock -F 999 -g -N -o called "$python" "$APP" 0.05 extension >truth 2>err || { cat err; fail "$python"; }
	[ "$(wc -l <truth)" -ge 6 ] || fail "$python printed $(wc -l <truth) stacks"
	names called >found
	check "$python extension" 100 0
	echo "$python, extension: $SPINS chains, none wrong; $(($(wc -l <truth) - $(wc -l <missing))) of $(wc -l <truth) stacks seen"
done

# Where threads wait: with the last of these interpreters, or with all that were asked for.
if [ "${PREC_PYTHONS-}" ]; then WAITING=$PYTHONS; else WAITING=$python; fi
for waiting in $WAITING; do
	"$PREC" record --off-cpu -e cpu-clock -F 99 -g -N -o waits "$waiting" "$APP" 0.004 waits >truth 2>err || { cat err; fail "$waiting"; }
	names waits sched:sched_switch >found
	check "--off-cpu" 60 0
	echo "$waiting, off CPU: $SPINS chains, none wrong; $(($(wc -l <truth) - $(wc -l <missing))) of $(wc -l <truth) stacks seen"
done
"$PREC" report --wall -i waits -s sym --stdio --no-children -g caller --percent-limit 0 2>/dev/null >wall
grep -q ' spin (stacks.py)' wall || fail "--wall: no functions of Python"

# Interpreters inside of it, in the same thread, and in threads of their own: from 3.12 on their frames are put in order. Before, which
# one runs is not known: no stack is wrong, and it is said.
for inner in ${PREC_PYTHONS:-/usr/bin/python3.11 "$OWN"/3.12.*/bin/python3 "$OWN"/3.13.*/bin/python3}; do
	[ -x "$inner" ] || continue
	new=$("$inner" -c 'import sys; print(int(sys.version_info >= (3, 12)))')
	for mode in inner inners; do
		"$PREC" record -e cpu-clock -F 999 -g -N -o inner "$inner" "$APP" 0.1 $mode >truth 2>err || { cat err; fail "$inner $mode"; }
		names inner >found
		if [ "$new" = 1 ]; then
			check "$inner $mode" 200 0
			! grep -q python-unknown err || cat err
		else
			check "$inner $mode" -1 99
			expect_finding python-unknown err
		fi
		echo "$inner, $mode: $SPINS chains, none wrong; $(($(wc -l <truth) - $(wc -l <missing))) of $(wc -l <truth) stacks seen"
	done
done

# Callers of the interpreter's loop are where they were: C between the frames of Python, and the program's start around them.
"$PREC" script -i data -F ip,sym 2>/dev/null | awk '
	/^$/ { if (c ~ / called_from_c.*qsort.* through_ctypes.*main/) n++; c = "" } { c = c " " $2 } END { exit !(n > 5) }' ||
	fail "C between frames of Python"
"$PREC" export -i data -o flame.svg 2>/dev/null
grep -q 'spin (stacks.py)[^<]*</title><rect [^>]*fill="hsl(60,' flame.svg || fail "Python's functions have no colour of their own"
# Lines are those of the function.
"$PREC" report -i data --dsos python -s sym,srcline --no-children -g none --stdio 2>/dev/null >lines
read -r from to < <(awk '/^def spin/ { from = NR } from && !to && /x = sum/ { to = NR } END { print from, to }' "$APP")
awk -v from="$from" -v to="$to" '$0 ~ / spin \(stacks.py\)/ { n++; sub(/.*:/, ""); if ($1 < from || $1 > to) bad++ }
	END { exit !(n > 1 && !bad) }' lines || { cat lines; fail "lines of spin() are $from to $to"; }

# Without call chains a sample in the loop is one of the function.
"$PREC" record -e cpu-clock -F 999 -N -o flat "$python" "$APP" 0.02 >truth 2>err || { cat err; fail flat; }
"$PREC" report -i flat -s sym --stdio 2>/dev/null | grep -q ' spin (stacks.py)' || fail "no functions without call chains"
"$PREC" annotate -i flat spin 2>err | grep -q 'spin (stacks.py)' || fail "annotate finds no function without its file"
! grep no-run-time-code err || fail "Python has no machine code that is missing"
# A process that runs already, and one that waits; and none where it is not wanted.
attached() {	# MODE SHARE EVENT OPTION...
	"$python" "$APP" "$2" $1 >truth &
	await 20 test -s truth
	"$PREC" record -e cpu-clock -F 999 -g -N -o attached -p $! "${@:4}" -- sleep 3 2>err || { cat err; fail "attach: $*"; }
	kill $! 2>/dev/null || true
	wait
	names attached "$3" >found
	check "-p ${*:4}" 20 99
	echo "$python, -p ${*:4}: $SPINS chains, none wrong"
}
attached "" 0.1 cpu-clock
attached waits 0.02 sched:sched_switch --off-cpu
"$PREC" record --no-python -e cpu-clock -g -N -o none "$python" -c 'sum(range(1000000))' 2>err
! "$PREC" script -i none -F ip,sym,dso 2>/dev/null | grep -q '\[python\]' || fail "--no-python"
perf_agrees data

# A process that only claims to be Python, with memory that lies: no hang, no crash, and no frame that is not in its memory.
lies() {	# PROGRAM: standard input says how it lies, and which functions are found
	local how functions found
	while read -r how functions; do
		timeout 60 "$PREC" record -e cpu-clock -F 2000 -g -N -o lies "$1" "$how" 30 2>err || { cat err; fail "$1 $how: record"; }
		timeout 60 "$PREC" script -i lies -F ip,sym,dso 2>/dev/null >out || fail "$1 $how: script"
		found=$(sed -n 's/^[^a-zA-Z]*[0-9a-f]* \(.*\) (\[python\])$/\1/p' out | sort -u | xargs)
		case $functions in
		unknown)	expect "$1 $how" "" "$found"; expect_finding python-unknown err; expect_kept lies err;;
		letters)	expect "$1 $how" "" "$(sed 's/[fake0-9 ()]//g' <<<"$found")";;	# it changes while it is read: letters that were there
		*)		expect "$1 $how" "${functions#none}" "$found";;
		esac
	done
}
cat >all <<'EOF'
sound fake (fake)
frames-loop fake (fake)
threads-loop none
interpreters-loop unknown
no-code unknown
wild-frame unknown
kernel-frame unknown
outside-code unknown
huge-code unknown
wild-name unknown
odd-name unknown
long-name fake (fake)
long-lines fake (fake)
wild-lines fake (fake)
changes letters
EOF
cp "$(workload fakepython)" python3.11
lies ./python3.11 <all
"${CC:-cc}" -O1 -rdynamic -DMINOR=13 -o python3.13 "$SRC/tests/work/fakepython.c" -pthread
lies ./python3.13 < <(cat all; echo "shims-loop fake (fake)
shims-twice unknown
same-twice unknown")

# A version whose structures are not known, later or earlier, whatever its file is called: no frames, and it is said what helps.
unknown_version() {	# COMMAND...
	"$PREC" record -e cpu-clock -F 2000 -g -N -o later "$@" 2>err || { cat err; fail "$*: record"; }
	"$PREC" script -i later -F ip,sym,dso 2>/dev/null >out
	! grep -q '\[python\]' out || fail "$*: frames of a version that is not known"
	"$PREC" report -i later >/dev/null 2>err
	expect_finding interpreter err
}
"${CC:-cc}" -O1 -rdynamic -DMINOR=14 -o python3.14 "$SRC/tests/work/fakepython.c" -pthread
cp python3.14 python3.12
unknown_version ./python3.14 sound 100
unknown_version ./python3.12 sound 100
for old in "$OWN"/3.[67].*/bin/python3; do
	[ ! -x "$old" ] || unknown_version "$old" -c 'for i in range(100): sum(i * i for i in range(10000))'
done
