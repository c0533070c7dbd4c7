#!/bin/bash
# The browser tells of broken call chains, as report does, and calls time off the CPU by its name.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/browse.sh"
at_end 'end_terminal'
need_browser

cat >in.txt <<'IN'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1
feature arch=x86_64
comm 7/7 "prog"
mmap2 7/7 0x10000+0x10000@0 r-xp "/no/such/prog"
repeat 30
sample 7/7 id=1 t={i+1} ip=0x10003 mode=user period=100 chain=user,0x10003,0x500
end
repeat 10
sample 7/7 id=1 t={i+100} ip=0x10003 mode=user period=100 chain=user,0x10003,0x10002
end
IN
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" report -i in.data --stdio >/dev/null 2>err
expect_finding chains-broken err '30 of 40 call chains'
start_terminal 100x24
browse report -i in.data
await 20 shows 'functions 1/'
screen | sed -n 2p | grep -F '30 of 40 call chains' >/dev/null || fail "not in the line above: $(screen)"
pressed w 'chains-broken'
keys q q
left

need_events
"$PREC" record -q --off-cpu -o waits.data "$(workload waits)" >out 2>err || { part_skipped "waits cannot be recorded: $(tail -1 err)"; exit 0; }
browse report -i waits.data -e offcpu-time
await 20 shows 'functions 1/'
screen | sed -n 1p | grep -E 'offcpu-time: [0-9]+ samples?, .* off the CPU' >/dev/null || fail "its unit: $(screen | sed -n 1p)"
keys q
left
