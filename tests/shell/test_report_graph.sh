#!/bin/bash
# Call graphs of report: accumulated, drawn in each form, and folded ones that add up.
. "$(dirname "$0")/lib/prec.sh"

cat >in.txt <<'IN'
attr ev type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN sample_id_all=1
feature arch=x86_64
comm 7/7 "demo"
mmap2 7/7 0x10000+0x10000@0 r-xp "/no/such/prog"
sample 7/7 t=1 ip=0x10003 mode=user period=60 chain=user,0x10003,0x10002,0x10001
sample 7/7 t=2 ip=0x10004 mode=user period=25 chain=user,0x10004,0x10002,0x10001
sample 7/7 t=3 ip=0x10002 mode=user period=10 chain=user,0x10002,0x10001
sample 7/7 t=4 ip=0x10001 mode=user period=5 chain=user,0x10001,0x10003,0x10001
IN
"$(helper mkdata/mkdata)" in.txt in.data
report() { "$PREC" report -i in.data -q "$@" 2>/dev/null | sed 's/0x000000000000000/0x/; s/ *$//'; }

expect "accumulated: each function once a sample" "\
   100.00%     5.00%  demo     prog              [.] 0x1
    95.00%    10.00%  demo     prog              [.] 0x2
    65.00%    60.00%  demo     prog              [.] 0x3
    25.00%    25.00%  demo     prog              [.] 0x4" "$(report -g none)"

expect "callers first" "\
    65.00%    60.00%  demo     prog              [.] 0x3
            |
            |--60.00%--0x10001
            |          0x10002
            |          0x10003
            |
             --5.00%--0x10003
                       0x10001" "$(report | sed -n '/0x3$/,/^$/p')"

expect "callees first" "\
    95.00%    10.00%  demo     prog              [.] 0x2
            |
            ---0x10002
               0x10001" "$(report -g callee | sed -n '/ 0x2$/,/^$/p')"

expect "own samples only, shares of the parent" "\
    60.00%  demo     prog              [.] 0x3
            |
            ---0x10003
               0x10002
               0x10001

    25.00%  demo     prog              [.] 0x4
            |
            ---0x10004
               0x10002
               0x10001

    10.00%  demo     prog              [.] 0x2
            |
            ---0x10002
               0x10001

     5.00%  demo     prog              [.] 0x1
            |
            ---0x10001
               0x10003
               0x10001" "$(report --no-children -g fractal)"

expect "shares of the parent" "\
   100.00%     5.00%  demo     prog              [.] 0x1
            |
            ---0x10001
               |
               |--95.00%--0x10002
               |          |
               |          |--70.59%--0x10003
               |          |
               |           --29.41%--0x10004
               |
                --5.00%--0x10003
                          0x10001" "$(report -g fractal | sed -n '1,12p')"

expect "only big branches" "\
   100.00%     5.00%  demo     prog              [.] 0x1
            |
            ---0x10001
               |
                --95.00%--0x10002
                          |
                           --60.00%--0x10003" "$(report -g graph,30 | sed -n '1,7p')"

expect "flat, with periods" "\
    25.00%  demo     prog              [.] 0x4
           25
                0x10004
                0x10002
                0x10001" "$(report --no-children -g flat,period | sed -n '/ 0x4$/,/^$/p')"

expect "folded" "\
60 0x10001;0x10002;0x10003
25 0x10001;0x10002;0x10004
10 0x10001;0x10002
5 0x10001;0x10003;0x10001" "$(report --no-children -g folded,0,period -G | grep '^[0-9]')"

expect "the innermost frames" "60 0x10003;0x10002" \
	"$(report --no-children -g folded,0,period --max-stack 2 | grep '^60')"

# Any recording: the folded chains of all entries add up to the event's total.
need_events
"$PREC" record -q -g -F 2000 -o rec.data "$(workload shares)" 2 300 >/dev/null 2>&1 || skip "cannot record"
total=$("$PREC" report -i rec.data 2>/dev/null | sed -n 's/^# Event count (approx.): //p')
sum=$("$PREC" report -i rec.data --no-children -q -g folded,0,period 2>/dev/null |
	awk '/^[0-9]+ [^ ]/ { s += $1 } END { printf "%d", s }')
expect "folded chains of a recording" "$total" "$sum"
