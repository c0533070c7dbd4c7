#!/bin/bash
# Groups of events print side by side as perf prints them, and samples of :S groups count for each of their events.
. "$(dirname "$0")/lib/prec.sh"
need_events
need_perf
PERFS=("$PERF")
! with_newperf || PERFS+=("$PREC_PERF")
GROUP='{cpu-clock/period=1000000/u,page-faults/period=1/u,minor-faults/period=1/u}'
ALONE=${GROUP//[\{\}]/}
FORKS=$(workload forks)

"$PREC" record -q -o group.data -e "$GROUP" -- "$FORKS" 3 >/dev/null
"$PREC" record -q -o alone.data -e "$ALONE" -- "$FORKS" 3 >/dev/null
# Without inheritance: the old perf does not know that threads have values of their own.
"$PREC" record -q -i -o read.data -e '{cpu-clock,page-faults}:Su' -- "$(workload spin)" -1 200 >/dev/null

# Some versions of perf cut names of threads, or print addresses in more columns: blanks and dots are of no interest.
plain() {
	grep -v -e '^#$' -e '^# (Tip' -e '^# \.\.\.' | sed 's/  */ /g; s/ $//'
}
compare() {	# FILE OPTIONS...
	local file=$1 perf more
	shift
	for perf in "${PERFS[@]}"; do
		"$perf" report -i "$file" --stdio -s comm,dso "$@" </dev/null 2>perf.err | plain >want
		[ "$(wc -l <want)" -gt 4 ] || fail "$perf report -i $file $* prints nothing: $(head -3 perf.err)"
		# The old one has columns for events without samples, too.
		more=
		[[ $file != alone* || $perf = "${PREC_PERF:-}" ]] || more=--no-skip-empty
		"$PREC" report -i "$file" --stdio -s comm,dso $more "$@" 2>/dev/null | plain >got
		expect_same "$perf: $file $*" want got
	done
}

compare group.data
compare group.data -n --show-total-period
compare group.data --no-group
compare group.data -F comm,dso,sample,overhead
compare group.data --group-sort-idx 1 -F overhead
compare alone.data --group
compare alone.data --group -n
compare read.data
compare read.data -n --show-total-period
compare read.data --no-group

# What was recorded says that it is a group.
"$PREC" report -i group.data --header-only | grep -qx "# group: {cpu-clock/period=1000000/u,page-faults/period=1/u,minor-faults/period=1/u}" ||
	fail "the recording does not say what is a group"
for perf in "${PERFS[@]}"; do
	"$perf" report -i group.data --header-only </dev/null | grep -q "^# group: {cpu-clock" || fail "$perf sees no group"
done

# The widths, to the letter; and events without samples.
cat >in.txt <<'IN'
attr a type=software config=0 sample=IP,TID,TIME,PERIOD,IDENTIFIER sample_id_all ids=1
attr b type=software config=2 sample=IP,TID,TIME,PERIOD,IDENTIFIER sample_id_all ids=2
attr c type=software config=3 sample=IP,TID,TIME,PERIOD,IDENTIFIER sample_id_all ids=3
comm 100/100 "one"
comm 200/200 "two"
sample 100/100 t=1 ip=0x100 event=a period=30
sample 200/200 t=2 ip=0x100 event=a period=70
sample 100/100 t=3 ip=0x100 event=b period=5
IN
"$(helper mkdata/mkdata)" in.txt in.data
report() { "$PREC" report -i in.data -s comm "$@" 2>/dev/null | sed 's/ *$//' | tail -n +6; }
expect "side by side" "\
# Samples: 3  of events 'a, b'
# Event count (approx.): 105
#
#         Overhead                   Samples  Command
# ................  ........................  .......
#
    70.00%   0.00%             1           0  two
    30.00% 100.00%             1           1  one" "$(report --group -n | head -8)"
expect "with a separator" "\
70.00% 0.00%,two
30.00% 100.00%,one" "$(report --group -t , -q | head -2; "$PREC" report -i in.data -s comm --group -t , -q 2>/dev/null | head -2)"
expect "empty ones" "    70.00%   0.00%   0.00%  two" "$(report --group --no-skip-empty | grep two)"
expect "alone by default" "    30.00%  one
   100.00%  one" "$(report | grep one)"
expect "by the second" "    30.00% 100.00%  one
    70.00%   0.00%  two" "$(report --group --group-sort-idx 1 | grep -e one -e two)"
expect "filtered" "   100.00% 100.00%  one" "$(report --group --comms one --percentage relative -F overhead,comm | grep one)"

# Values of counters are cumulative, each thread's for itself; what is filtered has counted all the same.
cat >read.txt <<'IN'
attr a type=software config=0 sample=IP,TID,TIME,READ,IDENTIFIER read=ID,GROUP sample_id_all ids=1
attr b type=software config=2 sample=IP,TID,TIME,READ,IDENTIFIER read=ID,GROUP sample_id_all ids=2
comm 100/100 "one"
sample 100/100 t=1 ip=0x100 event=a nr=2 read=10,1,3,2
sample 100/100 t=2 ip=0x200 event=a nr=2 read=25,1,3,2
sample 100/100 t=3 ip=0x300 event=a nr=2 read=30,1,8,2
IN
"$(helper mkdata/mkdata)" read.txt read.data
values() { "$PREC" script -i read.data -F time,event,period "$@" 2>/dev/null | awk '{ print $1 $2 $3 }'; }
expect "script" "\
0.000000:10a:
0.000000:3b:
0.000000:15a:
0.000000:5a:
0.000000:5b:" "$(values)"
expect "script of a part" "\
0.000000:5a:
0.000000:5b:" "$(values --time 0.000000003,1)"
expect "report of a part" "5 5" "$("$PREC" report -i read.data --group -F period,comm -s comm -q --time 0.000000003,1 2>/dev/null | awk 'NF { print $1, $2 }')"
expect "report" "30 8" "$("$PREC" report -i read.data --group -F period,comm -s comm -q 2>/dev/null | awk 'NF { print $1, $2 }')"

# A sample of the leader counts for each event of the group that had moved.
of_events() { sed -n '/^[^ ].* stats:/,$p' | grep -v Aggregated; }
expect "--stats" "\
a stats:
              SAMPLE events:          3
b stats:
              SAMPLE events:          2" "$("$PREC" report -i read.data --stats 2>/dev/null | of_events | grep -A9 '^a ')"
for perf in "${PERFS[@]}"; do
	expect "--stats by $perf" "$("$perf" report -i read.data --stats 2>/dev/null </dev/null | sed -n '/^a stats/,$s/ \+/ /gp')" \
		"$("$PREC" report -i read.data --stats 2>/dev/null | sed -n '/^a stats/,$s/ \+/ /gp')"
done
