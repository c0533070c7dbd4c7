#!/bin/bash
# For recorded pairs, too, the rows of prec diff -c are those of perf diff: all of them, and so the first fifty.
. "$(dirname "$0")/lib/prec.sh"
need_perf
need_events
need python3
need find

# Two different inputs of a program each.
python='import json
d = [{"a": i, "b": str(i)} for i in range(int(__import__("sys").argv[1]))]
print(len(json.loads(json.dumps(d))))'
record() {
	"$PREC" record -q -e cpu-clock:u -F 4999 -o "$@" >/dev/null 2>err || fail "$*: $(cat err)"
}
for i in 1 2; do
	record python.$i --no-python -- python3 -c "$python" $((i * 20000))
	record files.$i -- bash -c "for ((i = 0; i < 3 + $i; i++)); do find /usr/share -name '*a*' | sort | head -1000 | sort -r; done"
	record shell.$i -- bash -c "for ((i = 0; i < $((i * 40000)); i++)); do text=\${text:-abc}\$((i % 7)); text=\${text: -9:5}; done"
done

# Without titles. What has no symbol perf calls by one of its addresses; 6.1 does not know the entries of some PLTs.
rows() {
	local drop='@plt$'
	[ "$perf" = "${PREC_PERF:-}" ] || drop="$drop|\\[[.]\\] (\\.plt$|\\[unknown)"
	sed -e '/^#/d; /^$/d; s/ *$//; s/  */ /g; s/\[\(.\)\] 0x[0-9a-f]*$/[\1] [unknown]/' "$1" | { grep -vE "$drop" || true; } | LC_ALL=C sort
}
for pair in python files shell; do
	for perf in $(perfs); do
		for compute in delta ratio; do
			"$perf" diff -c $compute $pair.1 $pair.2 >perf.out 2>err </dev/null || fail "$perf diff: $(cat err)"
			"$PREC" diff -q -c $compute $pair.1 $pair.2 >prec.out
			rows perf.out >want
			rows prec.out >got
			expect_same "$pair: $perf diff -c $compute" want got
			[ "$(wc -l <want)" -ge 8 ] || fail "$pair: hardly a row"
		done
	done
done
