#!/bin/bash
# Rows of samples and of sort keys sum up to what report shows, as JSON lines and as CSV; hostile names stay harmless.
. "$(dirname "$0")/lib/prec.sh"
need jq

# csv FILE: its cells, a line each, by the rules of RFC 4180 and no others.
csv() {
	awk 'BEGIN { RS = "\r\n" } {
		for (line = $0; line != "" || more; ) {
			if (substr(line, 1, 1) == "\"") {
				cell = ""
				for (line = substr(line, 2); match(line, /"/); line = substr(line, RSTART + 2)) {
					cell = cell substr(line, 1, RSTART - 1)
					if (substr(line, RSTART + 1, 1) != "\"")
						break
					cell = cell "\""
				}
				line = substr(line, RSTART + 1)
			} else {
				match(line, /^[^,]*/)
				cell = substr(line, 1, RLENGTH)
				line = substr(line, RLENGTH + 1)
			}
			print NR ":" ++n[NR] ":" cell
			more = substr(line, 1, 1) == ","
			line = substr(line, 2)
		}
	}' "$1"
}

cat >in.txt <<'T'
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER read=ID sample_id_all mmap comm task mmap2
attr page-faults:u config=2 exclude_kernel exclude_hv sample=IP,TID,TIME,IDENTIFIER read=ID sample_id_all
feature hostname=vm,1 arch=x86_64 osrelease=6.18.0 nrcpus=2
comm 100/100 "=cmd()|'a b'" exec t=1000000000
mmap2 100/100 0x400000+0x1000@0x1000 r-xp "/nowhere/a,b;c" dev=8:1 ino=77 t=1000001000
sample 100/100 t=1000004000 ip=0x400123 cpu=1 period=250000 chain=user,0x400123,0x400456
sample 100/100 t=1000006000 ip=0x400222 cpu=0 period=500000 chain=user,0x400222
sample 100/100 t=1000005000 ip=0x400124 event=page-faults:u
T
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" export -q -i in.data -o out.jsonl
"$PREC" export -q -i in.data -o out.csv
expect "rows in order of time" '[1000004000,1000005000,1000006000]' "$(jq -sc 'map(.time)' out.jsonl)"
expect "a row" '["cpu-clock","ns",250000,1,100,100,"=cmd()|'"'a b'"'",1,["[a,b;c]","[a,b;c]"],"vm,1","6.18.0",0]' \
	"$(head -1 out.jsonl | jq -c '[.event,.unit,.period,.samples,.pid,.tid,.comm,.cpu,.stack,.host,.kernel,.position]')"
expect "the other event" '["page-faults:u","count",1,null]' "$(jq -c 'select(.unit == "count") | [.event,.unit,.period,.cpu]' out.jsonl)"
expect "one name for the recording" 1 "$(jq -r .recording out.jsonl | sort -u | wc -l)"
csv out.csv >cells
expect "no formula in a cell" "" "$(grep -E '^[0-9]+:[0-9]+:[=+@-]' cells)"
expect "name with an apostrophe" "'=cmd()|'a b'" "$(sed -n 's/^2:9://p' cells)"
expect "stack" "[a,b:c];[a,b:c]" "$(sed -n 's/^2:11://p' cells)"
expect "host" "vm,1" "$(sed -n 's/^2:12://p' cells)"
expect "cells a row" "16 16 16 16" "$(cut -d: -f1 cells | uniq -c | awk '{ print $1 }' | xargs)"
expect "by keys" '[{"event":"cpu-clock","sample":1,"period":500000,"cpu":"000"},{"event":"cpu-clock","sample":1,"period":250000,"cpu":"001"}]' \
	"$("$PREC" export -q -i in.data --format=jsonl --by cpu -e cpu-clock | jq -sc .)"
expect_status 129 "$PREC" export -i in.data --format=folded --by comm 2>err
grep -q 'has no rows' err || fail "--by of folded: $(<err)"
expect_status 129 "$PREC" export -i in.data --format=csv --by no_such_key 2>err
# Keys whose values need something that was not recorded, alone and after others, and times without a quantum.
for format in jsonl csv parquet; do
	for keys in latency,tid comm,latency latency parallelism,comm; do
		expect_status 1 "$PREC" export -i in.data --format=$format --by $keys -o keys.out 2>err
		grep -q "^prec: key .* is not for rows" err || fail "--by $keys of $format: $(<err)"
	done
	"$PREC" export -q -i in.data --format=$format --by time -o keys.out || fail "--by time of $format"
done
expect "samples by time" 3 "$("$PREC" export -q -i in.data --format=jsonl --by time | jq -s 'map(.sample) | add')"
expect_status 0 "$PREC" export -q -i in.data --format=csv --columns holder -o keys.out
expect "a column of its own, empty" "holder 3" "$(awk -F, '{ sub(/\r$/, "") } NR == 1 { print $NF } $NF == "" { empty++ } END { print empty }' keys.out | xargs)"

need_events
"$PREC" record -q -g -e cpu-clock -e page-faults -o rec.data "$(workload demo)" >/dev/null 2>&1 || skip "cannot record"
"$PREC" export -q -i rec.data -o rec.jsonl
"$PREC" export -q -i rec.data -j1 -o one.jsonl
cmp rec.jsonl one.jsonl || fail "rows differ with the number of threads"
"$PREC" report -q -i rec.data --stdio --no-children -g none -s comm,dso -F sample,period,comm,dso -t '|' 2>/dev/null |
	grep -v '^#' | awk -F'|' 'NF { n += $1; p += $2 } END { printf "%d %d\n", n, p }' >report.sum
expect "sums of samples" "$(<report.sum)" "$(jq -sr '"\(map(.samples) | add) \(map(.period) | add)"' rec.jsonl)"
expect "sums of keys" "$(<report.sum)" "$("$PREC" export -q -i rec.data --format=jsonl --by comm,dso | jq -sr '"\(map(.sample) | add) \(map(.period) | add)"')"
