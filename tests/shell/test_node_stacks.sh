#!/bin/bash
# A program of JavaScript that prints its own stacks has those in its samples, and no others, with the options that give names.
# Exact where the compilers inline nothing; else functions that were inlined are missing as callers, and so are those that are
# interpreted, where they have no code of their own. Runs: alone
. "$(dirname "$0")/lib/prec.sh"
need_events
need python3
NODES=$(for n in node "${PREC_NODE_MODULES:-/nowhere}/.bin/node"; do readlink -f "$(command -v "$n")" || true; done | sort -u)
[ "$NODES" ] || skip "no Node.js"
cp "$SRC/tests/work/StacksNode.js" .

# Prints how many samples are in work() or what it calls, reach the program's start, are one of the stacks, are a part of one in order;
# how many stacks there are, and how many of them have an exact sample.
cat >compare.py <<'PY'
import re, sys

# As V8 names code: kind, function, file:line:column.
def name_of(symbol):
	m = re.match(r"JS:[*~^+']*(.*?) ?\S*StacksNode\.js:\d+:\d+$", symbol)
	return m.group(1) if m else ''

def in_order(some, stack):
	rest = iter(stack)
	return all(x in rest for x in some)

# The function around it runs from the start on, perhaps in the interpreter.
def inside_of_all(stack):
	return stack[:stack.index('all') + 1] if 'all' in stack else stack

truth = {inside_of_all(tuple(line.split(';'))) for line in open('truth').read().split('\n') if line.startswith('work')}
nr = whole = exact = part = 0
seen = set()
for chain in open('chains').read().split('\n\n'):
	symbols = [line.split(None, 1)[-1] for line in chain.strip().split('\n') if line.strip()]
	names = tuple(x for x in map(name_of, symbols) if x)
	if not names or names[0] not in ('spin', 'work'):
		continue
	names = inside_of_all(names[1:] if names[0] == 'spin' else names)
	nr += 1
	whole += '_start' in symbols
	exact += '_start' in symbols and names in truth
	seen.add(names)
	if any(in_order(names, t) for t in truth):
		part += 1
	else:
		print('wrong:', ';'.join(names), file=sys.stderr)
print(nr, whole, exact, part, len(truth), len(truth & seen))
PY

measure() {	# NODE OPTION...: sets N WHOLE EXACT PART STACKS SEEN
	local pid
	rm -f jit-*.dump isolate-*.log
	"$PREC" record -q -g -F 499 -e cpu-clock:u -o data "$@" StacksNode.js 3000 >truth 2>err || fail "$*: $(<err)"
	pid=$("$PREC" script -i data -F pid 2>/dev/null | awk 'NR == 1 { print $1 }')
	rm -f "/tmp/perf-$pid.map"
	"$PREC" script --max-stack 1000 -i data -F ip,sym >chains 2>err2
	read -r N WHOLE EXACT PART STACKS SEEN <<<"$(python3 compare.py 2>wrong)"
	echo "$("$1" --version) ${*:2}: of $N samples $WHOLE are whole, $EXACT exact, $((N - PART)) wrong; $SEEN of $STACKS stacks"
	[ "$N" -gt 100 ] && [ "$STACKS" -ge 13 ] || fail "$*: $N samples, $STACKS stacks: $(<err)"
	[ "$PART" = "$N" ] || { sort wrong | uniq -c | head -3; fail "$*: $((N - PART)) of $N are parts of no stack that it had"; }
	[ $((WHOLE * 100)) -ge $((N * 99)) ] || fail "$*: $WHOLE of $N stacks are whole"
}

for node in $NODES; do
	for names in --perf-basic-prof --perf-prof; do
		mapfile -t not_inlined < <("$node" --v8-options | grep -oE '^  --(turbo|maglev)-inlining ' | sed 's/ *--\(.*\) /--no-\1/')
		measure "$node" $names --interpreted-frames-native-stack "${not_inlined[@]}"
		[ $((EXACT * 100)) -ge $((N * 99)) ] || fail "$node $names: $EXACT of $N stacks are exact"
		[ "$SEEN" = "$STACKS" ] || fail "$node $names: $SEEN of $STACKS stacks have samples"
		measure "$node" $names --interpreted-frames-native-stack
		measure "$node" $names
	done
done
