#!/bin/bash
# Each event with samples has a table of its own; those without are left out; --stats counts them all.
. "$(dirname "$0")/lib/prec.sh"

cat >in.txt <<'IN'
attr first type=software config=0 sample=IP,TID,TIME,ID,PERIOD sample_id_all=1 ids=1
attr quiet type=software config=9 sample=IP,TID,TIME,ID,PERIOD sample_id_all=1 ids=2
attr second type=software config=2 sample=IP,TID,TIME,ID,PERIOD sample_id_all=1 ids=3
feature arch=x86_64
comm 7/7 "demo" event=quiet
sample 7/7 t=1 ip=0x100 mode=user period=3 event=first
sample 7/7 t=2 ip=0x100 mode=user period=4 event=second
sample 7/7 t=3 ip=0x200 mode=user period=4 event=second
lost_samples n=5 event=first
IN
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" report -i in.data -s comm,sym 2>err | sed 's/ *$//' >out
expect "two tables" "\
# To display the perf.data header info, please use --header/--header-only options.
# Inlined code counts for the function around it, as in perf; --inline-self: for itself.
#
# Total Lost Samples: 5
#
# Samples: 1  of event 'first'
# Event count (approx.): 3
#
# Overhead  Command  Symbol
# ........  .......  ......................
#
   100.00%  demo     [.] 0x0000000000000100


# Samples: 2  of event 'second'
# Event count (approx.): 8
#
# Overhead  Command  Symbol
# ........  .......  ......................
#
    50.00%  demo     [.] 0x0000000000000100
    50.00%  demo     [.] 0x0000000000000200" "$(cat out)"
grep -q "stopped sampling" err && fail "nothing was throttled: $(cat err)"
expect_finding lost-samples err '5 of 8 samples were lost'
expect_finding no-symbol err '3 of 3 samples have no symbol'
expect "they are told once, each with what to do" "2 4" "$(grep -c '^prec: ' err) $(wc -l <err)"

expect "--stats" "              SAMPLE events:          3
              SAMPLE events:          1
              SAMPLE events:          2" "$("$PREC" report -i in.data --stats 2>/dev/null | grep -o ' *SAMPLE events: *[0-9]*')"
expect "--stats: what was lost, of the event that lost it" "\
first stats:
              SAMPLE events:          1
        LOST_SAMPLES events:          5
second stats:" "$("$PREC" report -i in.data --stats 2>/dev/null | sed -n '/^first/,/^second/p')"
expect "--header-only has no table" "0" "$("$PREC" report -i in.data --header-only 2>/dev/null | grep -c Overhead || true)"
"$PREC" report -i in.data --header-only 2>/dev/null | grep -q '^# event : name = second' || fail "no header"
"$PREC" report -i in.data -D 2>/dev/null | grep -q 'PERF_RECORD_COMM' || fail "no dump"

# How often the kernel found sampling too expensive is told once.
cat >throttle.txt <<'IN'
attr ev type=software config=0 ids=1 sample=IDENTIFIER,IP,TID,TIME,PERIOD sample_id_all
sample 7/7 t=1 ip=0x100 mode=user period=1
throttle t=2 id=1
unthrottle t=3 id=1
throttle t=4 id=1
unthrottle t=5 id=1
sample 7/7 t=6 ip=0x100 mode=user period=1
IN
"$(helper mkdata/mkdata)" throttle.txt throttle.data
for command in report script "report -H" "report --stats"; do
	# shellcheck disable=SC2086
	"$PREC" $command -i throttle.data >out 2>err
	expect_finding throttled err 'stopped sampling 2 times'
done
expect "but not with -q" "" "$("$PREC" report -q -i throttle.data 2>&1 >/dev/null)"
