#!/bin/bash
# A difference is what is between the sums of two sides, its error that of stretches of samples or of runs; what does not compare is refused.
. "$(dirname "$0")/lib/prec.sh"
need jq
mkdata=$(helper mkdata/mkdata)

# Functions of a kernel of our own: f at 0x...81000000, the next 0x1000 further.
cat >kallsyms <<'IN'
ffffffff81000000 T f
ffffffff81001000 T g
ffffffff81002000 T h
ffffffff81003000 T i
ffffffff81004000 T end
IN

# recording NAME [EVENT] [EXTRA]: lines "FUNCTION COUNT" on standard input become stretches of that many samples of 1 ms.
recording() {
	{
		cat <<-IN
		attr ${2:-cpu-clock} type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER sample_id_all=1 ids=1 period=1000000 enable_on_exec
		feature arch=x86_64
		${3:-}
		mmap -1/0 0xffffffff81000000+0x5000@0 "[kernel.kallsyms]_text"
		comm 7/7 "work"
		IN
		awk '{ for (i = 0; i < $2; i++)
			printf "sample 7/7 id=1 t=%d ip=0xffffffff8100%d010 mode=kernel period=1000000 cpu=0\n", t += 1000000, index("fghi", $1) - 1 }'
	} >"$1.txt"
	"$mkdata" "$1.txt" "$1"
}
compare() { "$PREC" diff --kallsyms kallsyms --no-pager "$@"; }
json() { compare --json "$@" | jq -r "$query"; }

# Two stretches of f and one of g a side: differences are exact, errors those of 2 + 2 and 1 + 1 stretches.
printf '%s\n' 'f 50' 'g 30' 'f 50' 'h 20' | recording a
printf '%s\n' 'f 50' 'g 40' 'f 70' 'h 20' | recording b
query='.[0] | .total as $t | ($t | "\(.a | round) \(.b | round) \(.difference | round) \(.samples_a) \(.samples_b)"), .sampling_error_only,
	(.rows[] | "\(.symbol) \(.dso) \(.a | round) \(.b | round) \(.difference | round) \(.ratio * 1000 | round)")'
expect "rows" "\
150000000 180000000 30000000 150 180
true
f [kernel.kallsyms] 100000000 120000000 20000000 200
g [kernel.kallsyms] 30000000 40000000 10000000 333
h [kernel.kallsyms] 20000000 20000000 0 0" "$(json a b)"
query='.[0].rows[] | "\(.symbol) \(.error | round) \(.changed)"'
# 1.96 ms * sqrt(4 / 4) and 1.96 ms * sqrt(2 / 4).
expect "errors" "\
f 1959964 true
g 1385904 true
h 1385904 false" "$(json a b | sort)"
compare a b >out
grep -q '^cpu-clock: in one run each, B took 20.0 % more CPU time (0.15 s, 0.18 s; ± 1.0 % by sampling alone),$' out || fail "the answer: $(cat out)"
grep -q '^and these two functions account for 100 % of that$' out || fail "the share: $(cat out)"
printf '%s\n' 'f 4000' | recording long_a
printf '%s\n' 'f 4400' | recording long_b
compare long_a long_b | grep '^cpu-clock: in one run each, B took 10.0 % more CPU time' >/dev/null || fail "an error of 0.0 % looks certain"
grep -q '^The intervals hold the sampling error only' out || fail "one run on a side is not said: $(cat out)"
! grep 'noise' out || fail "a change of 20 % in 1 % is no noise"
grep -qE '^ +100\.00 +120\.00 +\+20\.00 +1\.96 +\+20\.0 % +67 %  f  \[kernel' out || fail "the row of f: $(cat out)"
expect "changed rows first" "f g h" "$(awk '/%  /{ for (i = 1; i <= NF; i++) if ($i ~ /^[fgh]$/) print $i }' out | xargs)"
compare --color=always a b | grep -q $'^\033\[2m.* h ' || fail "what has not changed is not faint"
expect "the same for any jobs" "$(compare -j1 a b)" "$(compare -j8 a b)"

# A change far beyond the error of sampling, and within what runs of one program differ by: of the whole 2.4 %, of f 3 %, of h, an
# interrupt's, from nothing to 0.5 % of the whole. Beyond it: f by 8 %, though the whole has hardly changed.
printf '%s\n' 'f 4000' 'g 1500' | recording once
printf '%s\n' 'f 4120' 'g 1480' 'h 30' | recording again
printf '%s\n' 'f 4320' 'g 1180' | recording moved
compare once again >out
grep -q '^cpu-clock: no difference that one run can show: in one run each, B took 2.4 % more CPU time (5.50 s, 5.63 s' out ||
	fail "a small change: $(cat out)"
grep -q '^This may be noise. The intervals hold the sampling error only' out || fail "noise is not called so: $(cat out)"
! grep -E 'account|have changed' out || fail "rows are called changed: $(cat out)"
query='.[0] | .total.changed, (.rows[] | .changed)'
expect 'noise' 'false false false false' "$(json once again | xargs)"
compare once moved >out
grep -q '^but two functions have changed$' out || fail "what moved is not said: $(cat out)"
! grep 'may be noise' out || fail "what moved is called noise: $(cat out)"
# Several runs tell themselves how they differ.
printf '%s\n' 'f 4121' 'g 1480' 'h 30' | recording again2
printf '%s\n' 'f 4001' 'g 1500' | recording once2
expect 'several runs' 'true true true true' "$(json once once2 -- again again2 | xargs)"
compare once -- again again2 | grep '^cpu-clock: no difference that one run can show: in these runs, B took 2.4 %' >/dev/null || fail "one run, and two"

# The same samples one by one, in turns: each is a stretch of its own, and the same difference is none.
{ for i in $(seq 50); do printf '%s\n' 'f 1' 'g 1'; done; } | recording a1
{ for i in $(seq 50); do printf '%s\n' 'f 1' 'g 1'; [ $((i % 10)) != 0 ] || printf '%s\n' 'f 1' 'h 1'; done; } | recording b1
query='.[0].rows[] | select(.symbol == "f") | "\(.difference | round) \(.error | round) \(.changed)"'
# 1.96 ms * sqrt(50 + 1 + 55 + 1): lone samples are doubted by one more on each side
expect "lone samples" "5000000 20274025 false" "$(json a1 b1)"

# Several runs: Welch's interval of 10, 20, 30 and 20, 30, 40 ms of f is 10 ms +- t(4) * sqrt(100 / 3 * 2).
for n in 10 20 30 40; do
	printf '%s\n' "f $n" 'g 100' | recording r$n
done
query='.[0] | .runs_a, .runs_b, .sampling_error_only, (.rows[] | select(.symbol == "f") | (.difference | round), (.error | round))'
expect "Welch" "3 3 false 10000000 22669579" "$(json r10 r20 r30 -- r20 r30 r40 | xargs)"
query='.[0].total.changed, (.[0].rows[] | select(.changed) | .symbol)'
expect "the same on both sides" "false" "$(json r10 r20 r30 -- r30 r20 r10)"
compare r10 r20 -- r20 r10 | grep -q '^cpu-clock: no difference: B takes 0.0 %' || fail "no difference is not said"

# The exit status: only where it is asked for, only with several runs, and only where there is more.
for n in 1 2 3; do
	printf '%s\n' 'f 1000' "g $((100 + n))" | recording s$n
	printf '%s\n' 'f 1000' "g $((150 + n))" | recording t$n
done
compare s1 s2 s3 -- t1 t2 t3 >out
grep -q 'B takes 4.5 % ± ' out || fail "B is slower: $(cat out)"
expect_status 3 compare --fail-if='>2%' s1 s2 s3 -- t1 t2 t3 >out
expect_status 0 compare --fail-if='>5%' s1 s2 s3 -- t1 t2 t3 >out
expect_status 0 compare --fail-if=2 t1 t2 t3 -- s1 s2 s3 >out
expect_status 0 compare --fail-if=0 s1 t1 2>err >out
grep -q 'says nothing with one run' err || fail "why one run does not fail is not said: $(cat err)"
expect_status 129 compare --fail-if=much s1 t1 2>err
grep -q "'much'" err || fail "$(cat err)"

# By the unit of work; by the second; shares.
query='.[0] | .per, (.total | .a, .b | round)'
expect "--per=N,M" "unit 15000000 18000000" "$(json --per=10,10 a b | xargs)"
expect "half as much work" "unit 15000000 36000000" "$(json --per=10,5 a b | xargs)"
expect "shares" "total 1 1" "$(json --per=total a b | xargs)"
expect_status 129 compare --per=3 a b 2>err
expect_status 1 compare --per=no-such a b 2>err
grep -q "no event 'no-such'" err || fail "$(cat err)"

# Keys.
query='.[0].rows[] | .comm'
expect "-s comm" work "$(json -s comm a b)"
expect_status 129 compare -s no-such a b 2>err
grep -q 'known are: symbol, dso' err || fail "$(cat err)"
expect_status 0 compare -s cpu,symbol a b >out

# A list of names in a pipe is read once, and holds for all recordings.
expect "-S file://" "$(compare -S f a b)" "$(compare -S file://<(echo f) a b)"
expect_status 1 compare -S file:///no/such a b 2>err
grep -q "the list of symbols '/no/such'" err || fail "$(cat err)"

# Recordings that do not compare.
printf 'f 100\n' | recording other "cycles"
expect_status 1 compare a other 2>err
grep -q "'a' has cpu-clock, 'other' has cycles" err || fail "$(cat err)"
printf 'f 100\n' | recording cpu_a cpu-clock "feature cpudesc=Fast"
printf 'f 100\n' | recording cpu_b cpu-clock "feature cpudesc=Slow"
expect_status 1 compare cpu_a cpu_b 2>err
grep -q "'Fast'.*'Slow'" err || fail "$(cat err)"
expect_status 0 compare --per=total cpu_a cpu_b >out
expect_status 129 compare a b r10 2>err
grep -q 'prec diff A1 A2 -- B1 B2' err || fail "$(cat err)"
expect_status 129 compare a -- 2>err
expect_status 1 compare a no-such 2>err

# Attached to what ran, and of different lengths: by the second.
sed 's/ enable_on_exec//' a.txt >c.txt
sed 's/ enable_on_exec//; /t=1[0-9][0-9]000000 /d' a.txt >d.txt
"$mkdata" c.txt c
"$mkdata" d.txt d
query='.[0].per'
expect "by the second" second "$(json c d 2>err)"
grep -q 'compared for each second' err || fail "$(cat err)"
expect_status 1 compare a c 2>err
grep -q "command's recording" err || fail "$(cat err)"

# The files of perf's default names.
cp a perf.data.old
cp b perf.data
expect "default files" "$(compare a b)" "$(compare)"
