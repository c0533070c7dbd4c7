#!/bin/bash
# The tables, the script and the queries of prec-fleet(7), as they stand there, give prec's own numbers of three machines.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/clickhouse.sh"
need jq
need clickhouse-server
need clickhouse-client

# Three machines, one of another byte order; two days; one lost records. Samples without a chain, of two units, of two events.
day1=1795046400 day2=1795132800	# 2026-11-19 and 20, in seconds
machine() {	# HOST ARCH SECONDS PERIOD EXTRA-LINES
	cat <<IN
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1
attr faults type=software config=2 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER sample_id_all=1 ids=2
feature hostname=$1 arch=$2 osrelease=6.18.$4 boot=boot-$1 nrcpus=2
comm 7/7 "web server"
comm 8/8 "db;1"
mmap2 7/7 0x10000+0x10000@0 r-xp "/bin/web"
mmap2 7/7 0x20000+0x10000@0 r-xp "/lib/libc.so"
mmap2 8/8 0x10000+0x10000@0 r-xp "/bin/db"
sample 7/7 id=1 t=${3}000000100 ip=0x10003 mode=user period=$4 cpu=0 chain=user,0x10003,0x10003,0x20001
sample 7/7 id=1 t=${3}000000200 ip=0x20003 mode=user period=$((2 * $4)) cpu=1 chain=user,0x20003,0x10002
sample 8/8 id=1 t=${3}000000300 ip=0x10003 mode=user period=$((3 * $4)) cpu=1 chain=user,0x10003
sample 8/8 id=2 t=${3}000000400 ip=0x10003 mode=user period=5 cpu=1
$5
IN
}
machine alpha x86_64 $day1 1000000 '' >alpha.txt
machine beta aarch64 $day2 3000000 'lost id=1 n=17' >beta.txt
{ echo 'byteorder big'; machine gamma s390x $day2 7000000 ''; } >gamma.txt
for host in alpha beta gamma; do
	"$(helper mkdata/mkdata)" $host.txt $host.data
done

# A server of our own: its directory here, on loopback; a port that is free.
mkdir bin
for try in 1 2 3 4 5; do
	port=$((20000 + (RANDOM + $$ + try) % 10000))
	clickhouse_files "$WORK" "$port"
	clickhouse-server --config-file=server.xml >server.log 2>&1 & server=$!
	client() { clickhouse-client --host 127.0.0.1 --port "$port" "$@"; }
	await 60 eval '! kill -0 $server 2>/dev/null || client --query "SELECT 1" >/dev/null 2>&1'
	! kill -0 $server 2>/dev/null || break
done
kill -0 $server 2>/dev/null || skip "clickhouse-server does not start: $(tail -2 server.log)"

# The page's names for prec and clickhouse-client.
ln -s "$PREC" bin/prec
printf '#!/bin/sh\nexec %s --host 127.0.0.1 --port %s "$@"\n' "$(command -v clickhouse-client)" "$port" >bin/clickhouse-client
block ship >bin/prec-ship
chmod +x bin/*
export PATH=$WORK/bin:$PATH
block tables | clickhouse-client --multiquery
for round in 1 2; do	# each file comes twice
	for host in alpha beta gamma; do
		cp $host.data "$host $round"
		prec-ship "$host $round"
		[ ! -e "$host $round" ] || fail "the file is still there"
	done
done
query() {
	clickhouse-client --query "$(block "$1")"
}
expect "rows" 12 "$(clickhouse-client --query 'SELECT count() FROM samples FINAL')"
expect "where they come from" "alpha 6.18.1000000 boot-alpha 1
beta 6.18.3000000 boot-beta 1
gamma 6.18.7000000 boot-gamma 1" \
	"$(clickhouse-client --query 'SELECT host, kernel, boot, uniq(recording) FROM samples GROUP BY host, kernel, boot ORDER BY host' | tr '\t' ' ')"

# The flame graph: what prec folds of each, added up.
for host in alpha beta gamma; do
	"$PREC" export -q -i $host.data -e cpu-clock --format=folded
done | awk '{ n[substr($0, 1, length($0) - length($NF) - 1)] += $NF } END { for (s in n) printf "%s %.0f\n", s, n[s] }' | sort >want
query folded | sort >got
expect_same "folded" want got
cp got fleet.folded
"$PREC" export -q -i fleet.folded --format=folded | sort >got
expect_same "its flame graph" want got

# By function: as report has it, each sample once.
for host in alpha beta gamma; do
	"$PREC" export -q -i $host.data -e cpu-clock --format=jsonl
done | jq -r '.comm as $c | .period as $p | .stack[-1] as $last | .stack | unique[] | "\($c)|\(.)|\(if . == $last then $p else 0 end)|\($p)"' |
	awk -F'|' '{ k = $1 "|" $2; own[k] += $3; all[k] += $4 } END { for (k in own) printf "%s|%.0f|%.0f\n", k, own[k] / 1e6, all[k] / 1e6 }' | sort >want
query functions | tr '\t' '|' | sort >got
expect_same "functions" want got
expect "own time of one, by report" "$(for host in alpha beta gamma; do
	"$PREC" report -q -i $host.data --stdio --no-children -g none -s comm,dso -F period,comm,dso -t '|' 2>/dev/null
done | awk -F'|' '/web server.*libc/ { s += $1 } END { print s / 1e6 }')" "$(awk -F'|' '$1 == "web server" && $2 ~ /libc/ { print $3 }' got)"

# The days: all shares of a machine are alike, whatever its periods, so that nothing changed.
query days | awk -F'\t' '{ printf "%s %.2f %.2f\n", $1, $2, $3 }' | sort >got
"$PREC" report -q -i alpha.data --stdio --no-children -g none -s dso -F overhead,dso 2>/dev/null |
	awk '/%/ && !seen[$2]++ { sub("%", "", $1); printf "[%s] %.2f %.2f\n", $2, $1, $1 }' | sort >want
expect_same "days" want got
expect "losses" "beta 17 3" "$(query lost | tr '\t' ' ')"

# As Parca has it: the columns of its table, and the same sums; the frame that ran first.
cat >parca.columns <<'C'
name String
sample_type String
sample_unit String
period_type String
period_unit String
period Int64
duration Int64
timestamp Int64
time_nanos Int64
value Int64
labels String
stacktrace.address Array(UInt64)
stacktrace.mapping_start Array(UInt64)
stacktrace.mapping_limit Array(UInt64)
stacktrace.mapping_offset Array(UInt64)
stacktrace.mapping_file Array(String)
stacktrace.mapping_build_id Array(String)
stacktrace.line_number Array(Int64)
stacktrace.function_name Array(String)
stacktrace.function_system_name Array(String)
stacktrace.function_filename Array(String)
stacktrace.function_start_line Array(Int64)
C
query parca
clickhouse-client --query 'DESCRIBE TABLE parca' | awk '{ print $1, $2 }' >got
expect_same "the columns of Parca" parca.columns got
parca_sums="SELECT sample_unit, \`stacktrace.function_name\`[1] AS f, sum(value) FROM parca WHERE sample_unit = 'nanoseconds' GROUP BY sample_unit, f ORDER BY f"
clickhouse-client --query "$parca_sums" | tr '\t' ' ' >parca.sums
for host in alpha beta gamma; do
	"$PREC" export -q -i $host.data -e cpu-clock --format=jsonl
done | jq -r '"\(.stack[-1]) \(.period)"' | awk '{ s[$1] += $2 } END { for (f in s) printf "nanoseconds %s %.0f\n", f, s[f] }' | sort >want
expect_same "the sums of Parca's rows" want parca.sums
cp want want.parca
expect "labels" '{"comm":"db;1","host":"beta","pid":"8","tid":"8"}' \
	"$(clickhouse-client --query "SELECT DISTINCT labels FROM parca WHERE labels LIKE '%db%beta%'")"

# The recorder's part of the page: a script that gets each file and leaves none.
if "$(workload opens)"; then
	"$PREC" record -q -e cpu-clock:u -k realtime -g -o "live one" --on-file='prec-ship {}' "$(workload spin)" -1 300 >/dev/null 2>err || fail "record: $(cat err)"
	expect "what is left of the file" "" "$(ls live* 2>/dev/null)"
	expect "today" 1 "$(clickhouse-client --query "SELECT count() > 0 FROM samples WHERE host NOT IN ('alpha', 'beta', 'gamma') AND abs(day - today()) <= 1")"
fi
kill $server
wait $server || true

# Without a server.
. "$SRC/tests/shell/lib/tables.sh"
need_tables "the rest passed"
for host in alpha beta gamma; do
	"$PREC" export -q -i $host.data -o $host.parquet
done
duckdb "$(block files)" | awk -F'|' '{ s[$2] += $3 } END { for (f in s) print f, s[f] }' | sort >got
printf '%s\n' '[db] 33' '[libc.so] 22' '[web] 11' | sort >want
expect_same "files" want got

# Into Parca's own table, on an engine that has the type JSON.
sed -e 's/^labels String/labels JSON/' -e 's/^\([^ ]*\) \(.*\)/`\1` \2,/' -e '$s/,$//' parca.columns >parca.table
mkdir engine
cp ./*.parquet chdb.js engine
cd engine
columns='time, event, unit, rate, period, samples, pid, tid, comm, cpu, stack, host, kernel, boot, recording, position'
chdb "$(block tables)
INSERT INTO samples ($columns) SELECT $columns FROM file('*.parquet');
$(block parca);
CREATE TABLE stacktraces ($(cat ../parca.table)) ENGINE = MergeTree()
	ORDER BY (name, sample_type, sample_unit, period_type, period_unit, timestamp, time_nanos)
	PARTITION BY toYYYYMMDD(fromUnixTimestamp64Nano(time_nanos));
INSERT INTO stacktraces SELECT * FROM parca;
SELECT sample_unit, stacktrace.function_name[1] AS f, sum(value), any(labels.host::String) != '' FROM stacktraces
	WHERE sample_unit = 'nanoseconds' GROUP BY sample_unit, f ORDER BY f" | tr -d '"' | tr ',' ' ' >got
sed 's/$/ 1/' ../want.parca >want
expect_same "Parca's own table" want got
