#!/bin/bash
# What report's -s, -F, -n, -t and -w make of a small recording, to the letter.
. "$(dirname "$0")/lib/prec.sh"

cat >in.txt <<'IN'
attr ev type=software config=0 sample=IP,TID,TIME,CPU,PERIOD sample_id_all=1
feature arch=x86_64
comm 100/100 "demo"
comm 100/101 "demo"
comm 200/200 "another"
mmap2 100/100 0x10000+0x10000@0 r-xp "/no/such/prog"
mmap2 200/200 0x10000+0x10000@0 r-xp "/no/such/lib.so"
sample 100/100 t=1000000000 ip=0x10100 mode=user period=30 cpu=0
sample 100/100 t=1050000000 ip=0x10100 mode=user period=30 cpu=1
sample 100/101 t=1200000000 ip=0x10200 mode=user period=25 cpu=1
sample 200/200 t=1300000000 ip=0x10100 mode=user period=10 cpu=1
sample 200/200 t=1400000000 ip=0xffffffff81000010 mode=kernel period=5 cpu=1
IN
"$(helper mkdata/mkdata)" in.txt in.data
# Blanks at the ends of lines are padding.
report() { "$PREC" report -i in.data "$@" 2>/dev/null | sed 's/ *$//'; }

expect "default" "\
# To display the perf.data header info, please use --header/--header-only options.
# Inlined code counts for the function around it, as in perf; --inline-self: for itself.
#
# Total Lost Samples: 0
#
# Samples: 5  of event 'ev'
# Event count (approx.): 100
#
# Overhead  Command  Shared Object     Symbol
# ........  .......  ................  ......................
#
    60.00%  demo     prog              [.] 0x0000000000000100
    25.00%  demo     prog              [.] 0x0000000000000200
    10.00%  another  lib.so            [.] 0x0000000000000100
     5.00%  another  [unknown]         [k] 0xffffffff81000010" "$(report)"

expect "-n, --show-total-period, -s dso" "\
# Overhead       Samples        Period  Shared Object
# ........  ............  ............  ................
#
    85.00%             3            85  prog
    10.00%             1            10  lib.so
     5.00%             1             5  [unknown]" \
	"$(report -n --show-total-period -s dso | sed -n '9,14p')"

expect "-F, and its order" "\
# Command       Samples  Overhead
# .......  ............  ........
#
  another             2    15.00%
  demo                3    85.00%" "$(report -F comm,sample,overhead | sed -n '9,13p')"

expect "-t" "\
# Overhead;Samples;Command;Symbol
60.00%;2;demo;[.] 0x0000000000000100
25.00%;1;demo;[.] 0x0000000000000200
10.00%;1;another;[.] 0x0000000000000100
5.00%;1;another;[k] 0xffffffff81000010" "$(report -n -t ';' -s comm,sym | sed -n '9,13p')"
expect "-t, no titles" "25.00%,prog,[.] 0x0000000000000200" "$(report -t , -s dso,sym -q | sed -n 2p)"
expect "-t in a cell becomes a dot" "85.00%opr.g" "$(report -t o -s dso -q | sed -n 1p)"

expect "-w cuts" "\
# Overhead  Com  Shared Object     Symbol
# ........  ...  ................  ......................
#
    60.00%  dem  prog              [.] 0x0000000000000100" "$(report -w 0,3 | sed -n '9,12p')"

expect "tid, cpu" "\
# Overhead      Pid:Command  CPU
# ........  ...............  ...
#
    30.00%      100:demo     000
    30.00%      100:demo     001
    25.00%      101:demo     001
    15.00%      200:another  001" "$(report -s tid,cpu | sed -n '9,15p')"

expect "time in steps" "\
    60.00%  1.000000
    25.00%  1.200000
    10.00%  1.300000
     5.00%  1.400000" "$(report -s time -q | head -4)"
expect "time in other steps" "    60.00%  1.000000
    35.00%  1.200000
     5.00%  1.400000" "$(report -s time -q --time-quantum 200ms | head -3)"

expect "kernel and user" "     5.00%    95.00%" "$(report -F overhead_sys,overhead_us -q | head -1)"
expect "--percent-limit" "2" "$(report --percent-limit 20 -q | grep -c %)"
expect "-q" "" "$(report -q | grep '^#' || true)"

# What is wrong is said with what would be right.
expect_status 129 "$PREC" report -i in.data -s comm,bogus 2>err
grep -q "unknown sort key 'bogus'; known are: .*comm .*dso symbol" err || fail "$(cat err)"
expect_status 129 "$PREC" report -i in.data -F overhead,bogus 2>err
grep -q "unknown field key 'bogus'; known are: .*overhead_children" err || fail "$(cat err)"
expect_status 129 "$PREC" report -i in.data -w 1,x 2>err
expect_status 129 "$PREC" report -i in.data --percentage half 2>err
expect_status 129 "$PREC" report -i in.data --bogus 2>err
expect_status 129 "$PREC" report one two 2>err
expect_status 1 "$PREC" report -i in.data -g 2>err
grep -q "no call chains" err || fail "$(cat err)"

expect "a pipe on standard input is the default" "$(report)" "$(cat in.data | "$PREC" report 2>/dev/null | sed 's/ *$//')"

cat >no-cpu.txt <<'E2'
attr cpu-clock type=software config=0 sample=IP,TID,TIME ids=1
feature nrcpus=2
sample 1/1 t=1000 ip=0x400123
E2
"$(helper mkdata/mkdata)" no-cpu.txt no-cpu.data
expect "no CPU, as perf prints it" "100.00% -001" "$("$PREC" report -i no-cpu.data -q --sort cpu 2>/dev/null | xargs)"

expect "--ns" "1.000000000" "$(report -s time -q --ns | awk 'NR == 1 { print $2 }')"
expect_status 129 "$PREC" report -i in.data --stdio-color blue 2>err
expect_status 129 "$PREC" report -i in.data --tui --sort comm 2>err
grep -q "the browser does not show what --sort asks for" err || fail "$(cat err)"
"$PREC" report -i in.data --stdio --stdio-color never >out 2>/dev/null || fail "--stdio-color never"

# ---- the list of keys ----

listed() { xargs -n 1 | sort | xargs; }
expect 'keys that -s help lists' "$(any_status "$PREC" report -s '?' 2>&1 | sed -n 's/.*known are: \(.*\) trace trace_fields$/\1/p' | listed)" \
	"$("$PREC" report -s help | grep '^    ' | grep -v , | listed)"
expect 'lines of -s help wider than 80 columns' '' "$("$PREC" report -s help | grep -E '.{81}' || true)"
