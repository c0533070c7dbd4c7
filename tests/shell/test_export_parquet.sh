#!/bin/bash
# DuckDB and ClickHouse's engine read a Parquet export, and find in it what the rows as JSON say.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tables.sh"

cat >in.txt <<'T'
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER read=ID sample_id_all mmap comm task mmap2
attr page-faults:u config=2 exclude_kernel exclude_hv sample=IP,TID,TIME,IDENTIFIER read=ID sample_id_all
feature hostname=vm,1 arch=x86_64 osrelease=6.18.0 nrcpus=2
comm 100/100 "=cmd()|'a b" exec t=1000000000
mmap2 100/100 0x400000+0x1000@0x1000 r-xp "/nowhere/a,b;c" dev=8:1 ino=77 t=1000001000
sample 100/100 t=1000004000 ip=0x400123 cpu=1 period=250000 chain=user,0x400123,0x400456
sample 100/100 t=1000006000 ip=0x400222 cpu=0 period=500000 chain=user,0x400222
sample 100/100 t=1000005000 ip=0x400124 event=page-faults:u
T
printf 'comm 101/101 "\xff\xc0text\xe2\x82\xac" t=1000007000\nsample 101/101 t=1000008000 ip=0x1 cpu=0 period=18446744073709551615\n' >>in.txt
"$(helper mkdata/mkdata)" in.txt in.data
grep -v '^sample' in.txt >none.txt
"$(helper mkdata/mkdata)" none.txt none.data
for format in jsonl parquet; do
	"$PREC" export -q -i in.data -o out.$format
	"$PREC" export -q -i in.data --by comm,sym -e cpu-clock -o by.$format
done
"$PREC" export -q -i in.data -j1 -o one.parquet
cmp out.parquet one.parquet || fail "the file differs with the number of threads"
any_status "$PREC" export -q -i none.data -o none.parquet
expect "where it begins and ends" "PAR1PAR1" "$(head -c4 out.parquet)$(tail -c4 out.parquet)"

need_tables "the rest passed"

# same_rows NAME: as many in both files, none that the other has not.
same_rows() {
	expect "$1: rows" "$(wc -l <"$1.jsonl")" "$(duckdb "select count(*) from '$1.parquet'")"
	expect "$1: rows that differ" 0 "$(duckdb "select count(*) from ((select $2 from '$1.parquet') except
		(select $2 from read_json('$1.jsonl', format = 'newline_delimited')))")"
	expect "$1: rows by the other engine" "$(wc -l <"$1.jsonl")" "$(chdb "select count() from file('$1.parquet')")"
}
columns='time::ubigint, event, unit, rate::ubigint, period::ubigint, samples::ubigint, pid::bigint, tid::bigint, comm, cpu::ubigint,
	stack::varchar[], host, kernel, boot, recording, position::ubigint'
same_rows out "$columns"
same_rows by "event, sample::ubigint, period::ubigint, comm, symbol"
expect "a row" '1000004000|cpu-clock|ns|250000|=cmd()|'"'a b"'|1|["[a,b;c]","[a,b;c]"]|vm,1' \
	"$(duckdb "select time, event, unit, period, comm, cpu, stack, host from 'out.parquet' where position = 0")"
expect "what has no CPU" '1000005000|NULL' "$(duckdb "select time, cpu from 'out.parquet' where unit = 'count'")"
expect "the largest number, and a name that is no text" $'18446744073709551615|\\xff\\xc0text\xe2\x82\xac' \
	"$(duckdb "select period, comm from 'out.parquet' where pid = 101")"
expect "the same by the other engine" $'18446744073709551615,"\\xff\\xc0text\xe2\x82\xac"' \
	"$(chdb "select period, comm from file('out.parquet') where pid = 101")"
expect "no samples, all columns" "0|0" "$(duckdb "select count(*), count(stack) from 'none.parquet'")"
expect "their kinds" "UBIGINT VARCHAR[] BIGINT VARCHAR" \
	"$(duckdb "select column_type from (describe select time, stack, pid, comm from 'none.parquet')" | xargs)"

# More rows than are in a group, stacks of all depths, more names than an index of one byte has.
awk 'BEGIN {
	print "attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER read=ID sample_id_all"
	print "feature hostname=vm arch=x86_64 osrelease=6.18.0 nrcpus=4"
	for (t = 0; t < 700; t++)
		printf "comm 7/%d \"thread %d\"\nmmap2 7/7 0x%x+0x1000@0 r-xp \"/lib/%d.so\"\n", 100 + t, t, 4194304 + t * 4096, t
	for (i = 0; i < 1100000; i++) {
		seed = (seed * 1103515245 + 12345) % 2147483648
		chain = ""
		for (d = 0; d < seed % 7; d++)
			chain = chain sprintf(",0x%x", 4194304 + (seed + d * 131) % 700 * 4096)
		printf "sample 7/%d t=%d ip=0x%x cpu=%d period=%d chain=user%s\n", 100 + seed % 700, i * 1000 + seed % 999,
			4194304 + seed % 700 * 4096, seed % 4, seed, chain
	}
}' >many.txt
"$(helper mkdata/mkdata)" many.txt many.data
for format in jsonl parquet; do
	"$PREC" export -q -i many.data -o many.$format
done
same_rows many "$columns"
expect "groups of rows" 2 "$(duckdb "select count(distinct row_group_id) from parquet_metadata('many.parquet')")"
"$PREC" report -q -i many.data --stdio --no-children -g none -s comm -F sample,period,comm -t '|' 2>/dev/null |
	awk -F'|' 'NF { gsub(/ /, "", $1); gsub(/ /, "", $2); sub(/ *$/, "", $3); print $1 "|" $2 "|" $3 }' | sort >want
duckdb "select count(*), sum(period), comm from 'many.parquet' group by comm" | sort >got
expect_same "sums by thread" want got
chdb "select count() || '|' || sum(period) || '|' || comm from file('many.parquet') group by comm" | tr -d '"' | sort >got
expect_same "sums by thread, by the other engine" want got
