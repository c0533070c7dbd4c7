#!/bin/bash
# Script's -F chooses, adds and takes away fields, by kind of event; what was not recorded is refused by name.
. "$(dirname "$0")/lib/prec.sh"

cat >in.txt <<'E2'
attr cpu-clock type=software config=0 sample=IDENTIFIER,IP,TID,TIME,CPU,PERIOD ids=1
attr page-faults type=software config=2 sample=IDENTIFIER,IP,TID,TIME,CPU,ADDR,DATA_SRC,WEIGHT_STRUCT period=7 ids=2
attr instructions type=hardware config=1 sample=IDENTIFIER,IP,TID,TIME,REGS_USER,BRANCH_STACK,PHYS_ADDR,DATA_PAGE_SIZE,CGROUP uregs=0x101 ids=3
feature arch=x86_64
comm 100/100 "demo" t=1000
mmap2 100/100 0x400000+0x10000@0 r-xp "/nowhere/demo" t=1000
cgroup 5 "/a/b" t=1001
sample 100/100 t=1500000001 cpu=1 ip=0x400123 period=250000 event=cpu-clock
sample 100/100 t=2500001999 cpu=12 ip=0x400200 event=page-faults addr=0x400300 data_src=0x68100142 weight=0x2000100000003
sample 100/100 t=3500000000 ip=0x400400 event=instructions uregs=0x11,0x22 branch=0x400010:0x400020:0x22,0x1:0x2:0x1 phys=0xabc dpage=4096 cgroup=5
E2
"$(helper mkdata/mkdata)" in.txt in.data

# fields WANT OPTIONS...: the lines, blanks collapsed.
fields() {
	local want=$1
	shift
	expect "script $*" "$want" "$("$PREC" script -i in.data "$@" | sed -E 's/[[:blank:]]+/ /g; s/^ //; s/ $//')"
}

# refused MESSAGE OPTIONS...: exit status and message.
refused() {
	local message=$1 status=$2
	shift 2
	expect_status "$status" "$PREC" script -i in.data "$@" >out 2>err
	[ ! -s out ] || fail "script $* printed something"
	grep -qF -- "$message" err || fail "script $* says: $(cat err)"
}

fields "demo 100 [001] 1.500000: 250000 cpu-clock: 400123 [unknown] (/nowhere/demo)
demo 100 [012] 2.500001: 7 page-faults: 400200 [unknown] (/nowhere/demo)
demo 100 3.500000: 1 instructions: 400400 [unknown] (/nowhere/demo)"
fields "demo 100/100
demo 100/100
demo 100/100" -F comm,pid,tid
fields "1.500000001: 400123
2.500001999: 400200
3.500000000: 400400" -F time,ip --ns
fields "demo 1.500000: 250000
demo 2.500001: 7
demo 3.500000: 1" -F comm,time,period
fields "100 1.500000: cpu-clock: 400123
100 2.500001: page-faults: 400200
100 3.500000: instructions: 400400" -F -comm,-cpu,-period,-sym,-symoff,-dso
fields "100
100
3.500000:" -F sw:tid -F hw:time
fields "100 3.500000: 1 instructions: 400400 [unknown] (/nowhere/demo)" -F sw: -F hw:-comm
fields "U cpu-clock:
U page-faults:
U instructions:" -F event,misc
# An event that lacks a field prints the others.
fields "demo
demo 400300 [unknown] (/nowhere/demo)" -F sw:comm,addr,sym,dso -F hw:
fields "68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK N/A" -F sw:data_src -F hw: -c nobody,demo --time 2,3
expect "weights" "               3               1               2" \
	"$("$PREC" script -i in.data -F sw:weight,ins_lat,retire_lat -F hw: | tail -1)"
expect "registers" " ABI:2    AX:0x11    IP:0x22 " "$("$PREC" script -i in.data -F hw:uregs -F sw:)"
expect "branches" " 0x400010/0x400020/P/-/-/2//-  0x1/0x2/M/-/-/0//- " "$("$PREC" script -i in.data -F hw:brstack -F sw:)"
expect "branches with files" " 0x400010 (/nowhere/demo)/0x400020 (/nowhere/demo)/P/-/-/2//-  0x1 ([unknown])/0x2 ([unknown])/M/-/-/0//- " \
	"$("$PREC" script -i in.data -F hw:brstack,dso -F sw:)"
expect "memory" "             abc 4K" "$("$PREC" script -i in.data -F hw:phys_addr,data_page_size -F sw:)"
expect "cgroup" " /a/b" "$("$PREC" script -i in.data -F hw:cgroup -F sw:)"

refused "Samples for 'cpu-clock' event do not have REGS_INTR attribute set. Cannot print 'iregs' field. Record with -I" 1 -F comm,iregs
refused "Samples for 'cpu-clock' event do not have PHYS_ADDR attribute set. Cannot print 'phys_addr' field. Record with --phys-data" 1 -F sw:phys_addr
refused "Samples for 'instructions' event do not have CPU" 1 -F hw:cpu
refused "cannot print field 'tod' (record with -k mono)" 1 -F +tod
refused "unknown field 'nonsense'" 129 -F comm,nonsense
refused "unknown kind of events" 129 -F what:comm
refused "cannot mix" 129 -F comm,+tid
refused "without field 'sym'" 1 -F ip,symoff
# As perf has it, branches are printed where there are some; a kind that is named must be there.
fields "demo
demo
demo" -F comm -F +phys_addr -F -phys_addr
fields "demo
demo" -F sw:comm,brstack,brstacksym,brstackoff -F hw:
fields "cpu-clock:
page-faults:
instructions:" -F event -F trace:+ip
refused "no events of the kind 'trace'" 1 -F trace:
refused "no events of the kind 'break'" 1 -F break:ip
fields "100
100
100" -F trace:ip -F tid

# Where call chains follow, names are not padded: those of other records neither.
cat >chains.txt <<'E2'
attr cpu-clock type=software config=0 sample=IDENTIFIER,IP,TID,TIME,CALLCHAIN sample_id_all ids=1
feature arch=x86_64
feature nrcpus=2
comm 100/100 "demo" t=1000
sample 100/100 t=1500000001 ip=0x400123 event=cpu-clock chain=user,0x400123
E2
"$(helper mkdata/mkdata)" chains.txt chains.data
expect "names before chains" "demo demo" "$("$PREC" script -i chains.data --show-task-events -F comm,ip | grep -o '^demo' | xargs)"
# Fields of perf that prec does without are told apart from typing errors.
expect_status 129 "$PREC" script -F ip,metric 2>err
grep -q "no field 'metric': .*:S" err || fail "metric: $(cat err)"
expect_status 1 "$PREC" script -i chains.data -F ip,brcntr 2>err
grep -q "'brcntr': no event was counted along branches" err || fail "brcntr: $(cat err)"
