#!/bin/bash
# The rows of prec diff -c are those of perf diff: shares, deltas, ratios, weighted differences and periods.
. "$(dirname "$0")/lib/prec.sh"
need_perf
mkdata=$(helper mkdata/mkdata)

# pair SEED: two recordings of functions with random weights, some of which only one side has.
recording() {
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		print "attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER sample_id_all=1 ids=1 period=1000000 enable_on_exec"
		print "feature arch=x86_64"
		print "mmap -1/0 0xffffffff81000000+0x200000@0 \"[kernel.kallsyms]_text\""
		print "comm 7/7 \"work\""
		for (i = 0; i < 60; i++)
			for (n = int(40 * rand() * rand()) - 2; n > 0; n--)
				printf "sample 7/7 id=1 t=%d ip=0xffffffff8100%02x10 mode=kernel period=%d cpu=0\n", t += 1000, i, 1000000 + int(1000 * rand())
	}' >"$2.txt"
	"$mkdata" "$2.txt" "$2"
}
for i in $(seq 0 59); do
	printf 'ffffffff8100%02x00 T function_%d\n' "$i" "$i"
done >kallsyms
echo ffffffff81003c00 T end >>kallsyms

rows() { grep -v -e '^#' -e '^$' | sed 's/ *$//' | LC_ALL=C sort; }
for seed in ${LONG:+2 3} 1; do
	recording $seed a
	recording $((seed + 10)) b
	for perf in $(perfs); do
		for options in '-c delta' '-c delta-abs' '-c ratio' '-c wdiff:1,2' '-c wdiff:3,-2' '-c delta -p' '-c ratio -p' '-c wdiff:1,2 -p' \
			'-c delta -b' '-c ratio -b' '-c delta -F' '-c ratio -F -p' '-c wdiff:3,-2 -F' '-c delta -s comm' '-c ratio -s dso' \
			'-c delta -s symbol' '-c delta -F -s comm,symbol,dso'; do
			# shellcheck disable=SC2086
			"$perf" diff $options --kallsyms kallsyms a b 2>err </dev/null >perf.out || fail "$perf diff $options: $(cat err)"
			# shellcheck disable=SC2086
			"$PREC" diff -q $options --kallsyms kallsyms a b >prec.out
			rows <perf.out >want
			rows <prec.out >got
			[ "$(wc -l <want)" -gt 20 ] || [[ $options =~ -s.(comm|dso)$ ]] || fail "$perf diff $options: hardly a row"
			expect_same "$perf diff $options, pair $seed" want got
			expect "$perf diff $options: titles" "$(grep '^# Base' perf.out | sed 's/ *$//')" "$(grep '^# Base' prec.out | sed 's/ *$//')"
			# In the same order, but for rows that are equal in what they are sorted by.
			expect "$perf diff $options: the numbers in order" "$(grep '%' perf.out | awk '$2 ~ /^[-+0-9.]+%?$/ { print $2 }' | head -15)" \
				"$(grep '%' prec.out | awk '$2 ~ /^[-+0-9.]+%?$/ { print $2 }' | head -15)"
		done
	done
done
expect_status 129 "$PREC" diff -c no-such a b 2>err
grep -q 'delta-abs' err || fail "$(cat err)"
expect_status 129 "$PREC" diff -p a b 2>err
expect_status 129 "$PREC" diff -F a b 2>err
expect_status 129 "$PREC" diff -c delta -s no-such a b 2>err
expect_status 129 "$PREC" diff -c delta --json a b 2>err

# A recording that does not say on which CPU it was.
for f in no_cpu_a no_cpu_b; do
	cat >$f.txt <<-END
		attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD,IDENTIFIER sample_id_all=1 ids=1 period=1000000
		comm 7/7 "work"
		sample 7/7 id=1 t=1000 ip=0x1000 period=1000
	END
	"$mkdata" $f.txt $f
done
for perf in $(perfs); do
	"$perf" diff -c delta -s cpu no_cpu_a no_cpu_b 2>err </dev/null | rows >want
	"$PREC" diff -q -c delta -s cpu no_cpu_a no_cpu_b | rows >got
	expect_same "$perf diff -s cpu, of no CPU" want got
done
