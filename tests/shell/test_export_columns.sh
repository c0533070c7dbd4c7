#!/bin/bash
# Rows of samples with the values of sort keys: fields of tracepoints are what the kernel printed of them, keys group as in a report.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tables.sh"
need jq

cat >in.txt <<'T'
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,WEIGHT read=ID sample_id_all mmap comm task mmap2
attr page-faults:u config=2 exclude_kernel exclude_hv sample=IP,TID,TIME,IDENTIFIER read=ID sample_id_all
feature hostname=vm arch=x86_64 osrelease=6.18.0 nrcpus=2
comm 100/100 "a parent" exec t=1000000000
mmap2 100/101 0x400000+0x1000@0x1000 r-xp "/nowhere/a,b;c" dev=8:1 ino=77 t=1000001000
sample 100/101 t=1000004000 ip=0x400123 cpu=1 period=250000 weight=7
sample 100/101 t=1000005000 ip=0x400124 event=page-faults:u
sample 100/101 t=1000006000 ip=0x700222 cpu=0 period=500000 weight=12345678901
T
"$(helper mkdata/mkdata)" in.txt in.data
columns() {	# KEYS: the cells that they add, of each row
	"$PREC" export -q -i in.data --format=jsonl --columns="$1" | jq -c 'to_entries | map(select(.key |
		IN("time","event","unit","rate","period","samples","pid","tid","comm","cpu","stack","host","kernel","boot","recording",
		"position") | not)) | map([.key, .value])' | xargs -0
}
expect "numbers" $'[["local_weight",7]]\n[["local_weight",0]]\n[["local_weight",12345678901]]' "$(columns local_weight | sed '/^$/d')"
expect "texts, in the order asked for" $'[["dso","a,b;c"],["addr","0x400123"]]\n[["dso","a,b;c"],["addr","0x400124"]]\n[["dso","[unknown]"],["addr","0x700222"]]' \
	"$(columns dso,addr | sed '/^$/d')"
expect "the thread's process" '"100:a parent"' "$("$PREC" export -q -i in.data --format=jsonl --columns=tgid | jq -c .tgid | sort -u)"
expect "a line of names" '"boot","recording","position","dso"' \
	"$("$PREC" export -q -i in.data --format=csv --columns=dso | head -1 | tr -d '\r' | tr , '\n' | tail -4 | jq -R . | paste -sd,)"
for wrong in 'comm=a column .comm. already' 'time=a column .time. already' 'overhead=sums samples up' 'parallelism=is not for rows' \
	     'no_such_key=no_such_key'; do
	expect_status 129 "$PREC" export -i in.data --format=jsonl --columns="${wrong%%=*}" 2>err
	grep -q "${wrong#*=}" err || fail "--columns=${wrong%%=*}: $(<err)"
done
expect_status 129 "$PREC" export -i in.data --format=folded --columns=dso 2>err
expect_status 129 "$PREC" export -i in.data --format=jsonl --by=comm --columns=dso 2>err
grep -q 'without --by' err || fail "--columns with --by: $(<err)"

need_tracepoints
"$PREC" record -q -e raw_syscalls:sys_exit -e sched:sched_switch -e cpu-clock -o rec.data \
	sh -c 'for i in 1 2 3 4 5; do cat /nowhere; done' >/dev/null 2>&1 || true
keys=raw_syscalls:sys_exit.id,raw_syscalls:sys_exit.ret,sched:sched_switch.prev_pid,sched:sched_switch.prev_comm,trace,dso
"$PREC" export -q -i rec.data --columns=$keys -o rec.jsonl
"$PREC" export -q -i rec.data --columns=$keys -j1 -o one.jsonl
cmp rec.jsonl one.jsonl || fail "rows differ with the number of threads"
# What the kernel's own print format makes of a system call's end has both fields; ret is negative where it failed.
jq -r 'select(.event == "raw_syscalls:sys_exit") | "NR \(.["raw_syscalls:sys_exit.id"]) = \(.["raw_syscalls:sys_exit.ret"])\t\(.trace)"' \
	rec.jsonl >exits
[ -s exits ] || fail "no system call was recorded"
expect "system calls that differ from their text" "" "$(awk -F'\t' '$1 != $2' exits)"
grep -q -- '= -2	' exits || fail "no system call failed"
expect "fields of another event" '[null,null]' \
	"$(jq -c 'select(.event == "raw_syscalls:sys_exit") | [.["sched:sched_switch.prev_pid"],.["sched:sched_switch.prev_comm"]]' \
	   rec.jsonl | sort -u)"
"$PREC" report -q -i rec.data --stdio -e raw_syscalls:sys_exit -s dso -F sample,dso -t '|' 2>/dev/null | grep -v '^#' |
	awk -F'|' 'NF { print $1 + 0, $2 }' | sort >report.sum
jq -r 'select(.event == "raw_syscalls:sys_exit") | .dso' rec.jsonl | sort | uniq -c | awk '{ n = $1; sub(/^ *[0-9]+ /, ""); print n, $0 }' |
	sort >rows.sum
cmp report.sum rows.sum || fail "files: report has $(<report.sum), rows $(<rows.sum)"

need_tables "the rest passed"
"$PREC" export -q -i rec.data --columns=$keys -o rec.parquet
expect "kinds in Parquet" "BIGINT BIGINT VARCHAR" "$(duckdb "select column_type from (describe select \"raw_syscalls:sys_exit.id\",
	\"raw_syscalls:sys_exit.ret\", trace from 'rec.parquet')" | xargs)"
expect "the sum of a field" "$(jq -sr 'map(.["raw_syscalls:sys_exit.id"] // 0) | add' rec.jsonl)" \
	"$(duckdb "select sum(\"raw_syscalls:sys_exit.id\") from 'rec.parquet'")"
