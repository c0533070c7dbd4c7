#!/bin/bash
# A program of JavaScript that prints its own stacks has those and no others in samples and waits, with options that give names.
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
for chain in re.split(r'\n(?= *[\w-]+:[\w:]+: )', '\n' + open('chains').read()):
	if not chain.strip().startswith(sys.argv[1]):
		continue
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

noted() { [ "$(grep -c ^work truth)" -ge 13 ]; }
take() { "$PREC" record -q -e cpu-clock:u -o data "$@" 2>err || fail "$*: $(<err)"; }

measure() {	# started|attached on|off NODE OPTION...: sets N WHOLE EXACT PART STACKS SEEN
	local _ how=(-g -F 499) event=cpu-clock mode='' pid
	rm -f jit-*.dump isolate-*.log
	[ "$2" = on ] || { how=(--call-graph "auto,32768" -F 99 --off-cpu); event=sched:sched_switch; mode=waits; }
	# A machine that is too busy to copy stacks is given another try.
	for _ in 1 2 3; do
		if [ "$1" = started ]; then
			take "${how[@]}" "${@:3}" StacksNode.js 2000 $mode >truth
		else
			command "${@:3}" StacksNode.js 3000 $mode >truth &
			await 20 noted
			take "${how[@]}" -p $!
			wait $!
		fi
		"$PREC" report --stdio -i data 2>&1 >/dev/null | grep -q 'stacks-shed' || break
	done
	pid=$("$PREC" script -i data -F comm,pid 2>/dev/null | awk '/StacksNode|node|MainThread/ { print $NF; exit }')
	rm -f "/tmp/perf-$pid.map"
	"$PREC" script --max-stack 1000 -i data -F event,ip,sym >chains 2>err2
	read -r N WHOLE EXACT PART STACKS SEEN <<<"$(python3 compare.py $event 2>wrong)"
	echo "$("$3" --version) ${*:4}, $1, $2 CPU: of $N samples $WHOLE are whole, $EXACT exact, $((N - PART)) wrong; $SEEN of $STACKS stacks"
	[ $((N > 100 && STACKS >= 13)) = 1 ] || fail "$*: $N samples, $STACKS stacks: $(<err)"
	[ "$PART" = "$N" ] || { sort wrong | uniq -c | head -3; fail "$*: $((N - PART)) of $N are parts of no stack that it had"; }
	[ $((WHOLE * 100)) -ge $((N * 99)) ] || fail "$*: $WHOLE of $N stacks are whole: $(<err)"
}

exact() {
	measure "$@"
	[ $((EXACT * 100)) -ge $((N * 99)) ] || fail "$*: $EXACT of $N stacks are exact"
	[ "$SEEN" = "$STACKS" ] || fail "$*: $SEEN of $STACKS stacks have samples"
}

for node in $NODES; do
	mapfile -t not_inlined < <("$node" --v8-options | grep -oE '^  --(turbo|maglev)-inlining ' | sed 's/ *--\(.*\) /--no-\1/')
	for names in --perf-basic-prof --perf-prof; do
		exact started on "$node" $names --interpreted-frames-native-stack "${not_inlined[@]}"
		measure started on "$node" $names --interpreted-frames-native-stack
		measure started on "$node" $names
	done
	whole=(--perf-basic-prof --interpreted-frames-native-stack "${not_inlined[@]}")
	exact attached on "$node" "${whole[@]}"
	if "$PREC" record -q --off-cpu -e cpu-clock:u -o data true 2>err; then
		exact started off "$node" "${whole[@]}"
		exact attached off "$node" "${whole[@]}"
	else
		part_skipped "waits: $(tail -1 err)"
	fi
done
