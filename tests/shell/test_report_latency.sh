#!/bin/bash
# Report's latency: each sample shared among the threads that ran at its time, which the recorded switches tell.
. "$(dirname "$0")/lib/prec.sh"

# Thread 100 runs alone, then beside 101, 102 (3 at a time), then beside 102 alone, which ends.
cat >in.txt <<'IN'
attr ev type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN sample_id_all context_switch
feature arch=x86_64
comm 100/100 "main"
mmap2 100/100 0x10000+0x10000@0 r-xp "/no/such/prog"
switch in 100/100 t=900
sample 100/100 t=1000 ip=0x10100 mode=user period=600 chain=user,0x10100,0x10500
fork 100/101 parent=100/100 t=1100
comm 100/101 "one" t=1101
sample 100/100 t=1200 ip=0x10100 mode=user period=600 chain=user,0x10100,0x10500
switch in 100/101 t=1300
fork 100/102 parent=100/100 t=1400
comm 100/102 "two" t=1401
switch in 100/102 t=1500
sample 100/100 t=1600 ip=0x10100 mode=user period=600 chain=user,0x10100,0x10500
sample 100/101 t=1600 ip=0x10100 mode=user period=600 chain=user,0x10100,0x10500
sample 100/102 t=1600 ip=0x10200 mode=user period=600 chain=user,0x10200,0x10500
switch out 100/101 t=1700
sample 100/100 t=1800 ip=0x10100 mode=user period=600 chain=user,0x10100,0x10500
sample 100/102 t=1800 ip=0x10200 mode=user period=600 chain=user,0x10200,0x10500
exit 100/102 t=1900
sample 100/100 t=2000 ip=0x10100 mode=user period=600 chain=user,0x10100,0x10500
IN
"$(helper mkdata/mkdata)" in.txt in.data
rows() { "$PREC" report -i "${data:-in.data}" -g none -q "$@" 2>messages | tr -s ' ' | sed 's/^ //; s/ *$//; /^$/d'; }
flat() { rows --no-children "$@"; }

# Of 8 * 600 the latency is 600 * (3 + 3 / 3 + 2 / 2) = 3000.
expect "how many ran" "37.50% 60.00% 1
37.50% 20.00% 3
25.00% 20.00% 2" "$(flat -s parallelism)"
expect "latency of these" "60.00% 37.50% 1
20.00% 37.50% 3
20.00% 25.00% 2" "$(flat --latency -s parallelism)"
expect "of threads" "76.67% 62.50% main
16.67% 25.00% two
6.67% 12.50% one" "$(flat --latency -s comm)"
expect "without overhead" "$(flat --latency -s comm | cut -d' ' -f1,3)" "$(flat -s latency,comm)"
expect "beside overhead" "$(flat --latency -s comm | awk '{ print $2, $1, $3 }')" "$(flat -s latency,overhead,comm)"
expect "as columns" "$(flat -s latency,comm | awk '{ print $2, $1 }' | sort)" "$(flat -F comm,latency | sort)"
expect "a place and its callers" "100.00% 100.00% 0.00% 0.00% 0x0000000000000500
83.33% 75.00% 83.33% 75.00% 0x0000000000000100
16.67% 25.00% 16.67% 25.00% 0x0000000000000200" "$(rows --latency -s sym | sed 's/\[.\] //')"
expect "titles" "# Latency Children Latency Self Command" \
	"$("$PREC" report -i in.data -g none --latency -s comm | grep '^# Latency' | tr -s ' ' | sed 's/ $//')"
expect "by levels" "76.67% 62.50% main" "$(flat --latency -H -s comm,sym | head -1)"
expect "a filter" "25.00% 16.67% main
25.00% 16.67% two
12.50% 6.67% one" "$(flat --parallelism 2-9 -s comm)"
expect "of what is left" "41.67% 40.00% main
41.67% 40.00% two
16.67% 20.00% one" "$(flat --latency --parallelism 2-9 --percentage relative -s comm)"
expect "a filter of names" "16.67% 25.00% two
6.67% 12.50% one" "$(flat --latency -c one,two -s comm)"
expect "the same for any number of threads" "$(flat -j1 --latency -s comm,sym)" "$(flat -j4 --latency -s comm,sym)"

# Who is first seen to leave ran before; and a thread that nothing ever displaced is never switched.
sed '/^switch in 100\/100/d' in.txt >begun.txt
echo 'exit 100/100 t=2100' >>begun.txt
"$(helper mkdata/mkdata)" begun.txt begun.data
expect "without a beginning" "$(flat -s parallelism)" "$(data=begun.data flat -s parallelism)"
sed '/^switch/d; /^fork/d' in.txt >alone.txt
"$(helper mkdata/mkdata)" alone.txt alone.data
expect "without any switch" "100.00% 100.00% 1" "$(data=alone.data flat --latency -s parallelism)"

sed 's/ context_switch//; /^switch/d' in.txt >without.txt
"$(helper mkdata/mkdata)" without.txt without.data
for how in --latency "-s parallelism" "--parallelism 1"; do
	# shellcheck disable=SC2086
	expect_status 1 "$PREC" report -i without.data $how >out 2>err
	grep -q "record with --latency" err || fail "$how: $(cat err)"
done
for wrong in 0 x 1-; do
	expect_status 129 "$PREC" report -i in.data --parallelism $wrong >out 2>err
	grep -q "thread" err || fail "$wrong: $(cat err)"
done

# Where it was recorded it is a column of its own, behind the overhead, unless hardly anything ran side by side.
titles() { "$PREC" report -i "$1" --no-children -g none -s comm | grep '^# Overhead' | tr -s ' ' | sed 's/ $//'; }
expect "by itself" "# Overhead Latency Command" "$(titles in.data)"
expect "one at a time" "100.00% main" "$(rows -s comm --no-children --parallelism 1 --percentage relative | cut -d' ' -f1,3)"
{ sed -n '1,/t=1000/p' begun.txt; for t in {1001..1300}; do echo "sample 100/100 t=$t ip=0x10100 mode=user period=9"; done
	sed -n '/t=1600/p' begun.txt; } >single.txt
"$(helper mkdata/mkdata)" single.txt single.data
expect "hardly any" "# Overhead Command" "$(titles single.data)"

# A newer perf shows the same; it takes a thread for running where the recording begins.
with_newperf || exit 0
theirs() { "$PREC_PERF" report -i begun.data --stdio -g none -q "$@" 2>/dev/null </dev/null | tr -s ' ' | sed 's/^ //; s/ *$//; /^$/d'; }
for how in "--no-children -s parallelism" "--no-children --latency -s parallelism,comm" "--latency -s comm" "-s comm" \
	"--no-children -s latency,comm" "--no-children --parallelism 3 -s comm" "--no-children --latency --parallelism 1,3 -s comm"; do
	# shellcheck disable=SC2086
	expect "perf, $how" "$(theirs $how)" "$(data=begun.data rows $how)"
done
