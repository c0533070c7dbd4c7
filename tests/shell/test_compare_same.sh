#!/bin/bash
# Real programs against themselves, relinked too, beside a busy neighbour: compare finds no difference in nine of ten.
# COMPARISONS of each program (10) of RUNS runs a side (5) are counted.
# Runs: long slow
. "$(dirname "$0")/lib/prec.sh"
need jq
need gcc
need python3
need_events
comparisons=${COMPARISONS:-10} runs=${RUNS:-5}

# A program of many functions, whose objects are linked in one order and in the reverse.
for ((i = 0; i < 40; i++)); do
	cat >part$i.c <<-IN
	static unsigned table${i}[512];
	unsigned step$i(unsigned x)
	{
		for (int i = 0; i < 20000; i++)
			x = x * 2654435761u + ++table${i}[(x >> 9) % 512];
		return x;
	}
	IN
	gcc -O1 -c part$i.c
done
{
	for ((i = 0; i < 40; i++)); do echo "unsigned step$i(unsigned);"; done
	echo 'int main(void) { unsigned x = 1; for (int round = 0; round < 60; round++) {'
	for ((i = 0; i < 40; i++)); do echo "x = step$i(x);"; done
	echo '} return x == 0; }'
} >main.c
# shellcheck disable=SC2046
gcc -O1 -o linked.a main.c $(printf 'part%d.o ' $(seq 0 39))
# shellcheck disable=SC2046
gcc -O1 -o linked.b main.c $(printf 'part%d.o ' $(seq 39 -1 0))

cat >work.py <<'IN'
import json, re
d = [{"a": i, "b": str(i)} for i in range(30000)]
s = json.dumps(d)
print(len(re.findall("[0-9]+", s)), len(json.loads(s)))
IN
{
	echo 'int f(int x) { int y = x;'
	for ((i = 0; i < 150; i++)); do echo "y = y * $i + (x >> $((i % 31))); if (y == $i) y ^= x;"; done
	echo 'return y; }'
} >big.c
cat >work.sh <<'IN'
python3 - <<'END'
import sqlite3
db = sqlite3.connect(":memory:")
db.execute("create table t (a integer primary key, b text)")
db.executemany("insert into t values (?, ?)", ((i, str(i * 7919 % 10007)) for i in range(30000)))
print(db.execute("select count(*), sum(x.a) from t x join t y on x.a = y.a where x.b > '5' group by x.b % 10").fetchall())
END
IN

# A neighbour that takes a CPU now and then.
bash -c 'while :; do for ((i = 0; i < 30000; i++)); do :; done; sleep 0.1; done' &

# compared NAME A B: whether each comparison says that there is no difference.
total=0 same=0
compared() {
	local name=$1 a=$2 b=$3 i of=0
	for ((i = 0; i < comparisons; i++)); do
		# shellcheck disable=SC2086
		any_status "$PREC" compare -q -r "$runs" -e cpu-clock:u --json --vs="$b" -- $a >out.json 2>err
		jq -e '.[0].total.changed == false' out.json >/dev/null && of=$((of + 1))
		[ -s out.json ] || fail "$name: $(cat err)"
	done
	echo "$name: no difference in $of of $comparisons"
	total=$((total + comparisons)) same=$((same + of))
}
compared python "python3 $PWD/work.py" "python3 $PWD/work.py"
compared gcc "gcc -O2 -c $PWD/big.c -o /dev/null" "gcc -O2 -c $PWD/big.c -o /dev/null"
compared sqlite "bash $PWD/work.sh" "bash $PWD/work.sh"
compared relinked "$PWD/linked.a" "$PWD/linked.b"
echo "no difference in $same of $total"
# As many as chance allows where each is wrong once in twenty: of 40, 36 or more.
[ $((same * 10)) -ge $((total * 9)) ] || fail "a difference in $((total - same)) of $total comparisons of the same"
