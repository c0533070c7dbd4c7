#!/bin/bash
# Two commands are run in turns as often as asked, all of it is compared, and the exit status says whether the second is slower.
. "$(dirname "$0")/lib/prec.sh"
need jq
need_events
costs=$(workload costs)
mkdir tmp
export TMPDIR=$PWD/tmp

# B takes ten times as much in f, and so 75 % more: whatever else runs here, it is slower.
cat >run <<IN
#!/bin/bash
echo "\$1" >>order
exec "$costs" 3000 \$2
IN
chmod +x run
expect_status 3 "$PREC" compare -q -r 5 -e cpu-clock:u --json --vs="'$PWD/run' B f=900" -- "$PWD/run" A >out.json 2>err
expect "in turns, and in turns first" "A B B A A B B A A B" "$(xargs <order)"
expect "runs" "5 5" "$(jq -r '.[0] | "\(.runs_a) \(.runs_b)"' out.json)"
expect "f is called changed" "f true" "$(jq -r '.[0].rows[0] | "\(.symbol) \(.changed)"' out.json)"
expect_near "by nine times" 9 "$(jq '.[0].rows[0].ratio' out.json)" 30

# The other way round it is faster, a limit is not reached, and the recordings are kept.
rm order
expect_status 0 "$PREC" compare --no-pager -r 4 -e cpu-clock:u --keep=kept --vs="$PWD/run A" -- "$PWD/run" B f=900 >out 2>err
# The noise floor: what the interval of two sides would be that are both A, from the totals of A's runs (t of 3 degrees of freedom).
for i in 1 2 3 4; do
	"$PREC" diff -q --json kept/a$i.data kept/b1.data | jq '.[0].total.a'
done | awk '{ v[NR] = $1; sum += $1 }
	END {
		mean = sum / NR
		for (i = 1; i <= NR; i++) variance += (v[i] - mean) ^ 2 / (NR - 1)
		if (variance < 0.125 * (1e9 / 999) ^ 2) variance = 0.125 * (1e9 / 999) ^ 2
		printf "%.1f\n", 100 * 3.18245 * sqrt(variance * 2 / NR) / mean
	}' >floor
expect 'the noise floor' "$(<floor)" \
	"$(sed -nE 's/^prec: noise floor: A against itself, 4 runs a side, is within ± ([0-9.]+) %$/\1/p' err)"
grep -q 'B takes .* less CPU time' out || fail "$(cat out)"
expect "recordings" "a1.data a2.data a3.data a4.data b1.data b2.data b3.data b4.data" "$(ls kept | xargs)"
expect_status 0 "$PREC" compare -q -r 2 --fail-if='>100000%' -e cpu-clock:u --vs="$PWD/run B f=900" -- "$PWD/run" A >out
"$PREC" diff -q kept/a1.data kept/b1.data >out

# In the order in which one types it: options after A's command, from --vs on. After -- all words are the command's.
"$PREC" compare "$PWD/run" A --vs="$PWD/run B" -q -r 2 --json -e cpu-clock:u --fail-if=1000000% >out.json
expect "A, then --vs" "2 2" "$(jq -r '.[0] | "\(.runs_a) \(.runs_b)"' out.json)"
expect_status 0 "$PREC" compare -r 2 -q --fail-if='>100000%' -e cpu-clock:u -- bash -c "echo \"\$*\" >words; $costs 300" A --vs none >out
expect "after --, --vs is the command's" "--vs none" "$(<words)"
expect_status 129 "$PREC" compare "$PWD/run" A --vs "$PWD/run" B 2>err
grep -q "quote B's words" err || fail "$(cat err)"

# A command that fails, or that is none.
expect_status 1 "$PREC" compare -r 2 --vs=false -- true 2>err >out
grep -q 'run 1 of B ended with status 1' err || fail "$(cat err)"
expect_status 1 "$PREC" compare -r 2 -- ./no-such-program 2>err >out
expect_status 129 "$PREC" compare -r 1 -- true 2>err
expect_status 129 "$PREC" compare 2>err
expect_status 129 "$PREC" compare --vs='a | b' -- true 2>err
grep -q "sh -c" err || fail "$(cat err)"
# Its output goes nowhere, unless it is asked for.
"$PREC" compare -q -i -r 2 -e cpu-clock:u --show-output -- "$costs" 300 >out
grep -q '^same_a [0-9]' out || fail "no output: $(cat out)"
expect "nothing is left" "" "$(ls tmp)"
