#!/bin/bash
# The tables of branches, instructions, calls and counters have what script and report print of them.
. "$(dirname "$0")/lib/prec.sh"
"$(helper mkdata/mkdata)" /dev/stdin in.data <<'T'
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,BRANCH_STACK branch_type=8 read=ID sample_id_all mmap comm task mmap2
comm 100/101 "a parent" t=1000000000
mmap2 100/101 0x400000+0x1000@0x1000 r-xp "/nowhere/prog" dev=8:1 ino=77 t=1000001000
sample 100/101 t=1000004000 ip=0x400123 cpu=1 period=250000 branch=0x400100:0x400120:0x52,0x400010:0x400100:1,0x500000:0x400000:0x10000c
sample 100/101 t=1000005000 ip=0x400124 cpu=0 period=250000 branch=0x400100:0x400120:0
T
"$PREC" query -i in.data 'SELECT 1' >/dev/null 2>err || { grep -q 'without SQLite' err && skip "built without SQLite"; fail "$(<err)"; }
ask() { "$PREC" query -q "$@" 2>err || fail "query $*: $(<err)"; }
rows() { ask --csv "$@" | tail -n +2 | tr -d '\r'; }

# ---- branches ----

expect "branches" '1000004000,cpu-clock,100,101,a parent,1,0,0,4194560,,prog,4194592,,prog,0,0,0,5,
1000004000,cpu-clock,100,101,a parent,1,0,1,4194320,,prog,4194560,,prog,1,0,0,,
1000004000,cpu-clock,100,101,a parent,1,0,2,5242880,,,4194304,,prog,,1,1,,COND
1000005000,cpu-clock,100,101,a parent,0,1,0,4194560,,prog,4194592,,prog,,0,0,,' "$(rows -i in.data 'SELECT * FROM branches')"
expect "of some samples" 1 "$(rows -i in.data --cpu 0 'SELECT count(*) FROM branches')"

# branches_match FILE: "from/to/P/X/A/cycles" of each, as script prints them.
branches_match() {
	any_status "$PREC" script -q -i "$1" -F brstack 2>/dev/null | tr ' ' '\n' | awk -F/ 'NF > 5 { print $1 "/" $2 "/" $3 "/" $4 "/" $5 "/" $6 }' | sort >want
	any_status "$PREC" query -q --csv -i "$1" "SELECT printf('0x%x/0x%x/%s/%s/%s/%d', from_address, to_address,
		CASE mispredicted WHEN 1 THEN 'M' WHEN 0 THEN 'P' ELSE '-' END, iif(in_tx, 'X', '-'), iif(abort, 'A', '-'), coalesce(cycles, 0))
		AS b FROM branches" 2>/dev/null | tail -n +2 | tr -d '\r"' | sort >got
	expect_same "branches of $1" want got
	[ ! -s got ] || nr=$((nr + 1))
}
nr=0
branches_match in.data
expect "one recording" 1 "$nr"
# names_match FILE: "from/to" by name.
names_match() {
	"$PREC" script -q -i "$1" -F brstacksym 2>/dev/null | tr ' ' '\n' | awk -F/ 'NF > 5 { sub(/\+0x[0-9a-f]*$/, "", $1); sub(/\+0x[0-9a-f]*$/, "", $2)
		print ($1 ~ /^0x|unknown/ ? "" : $1) "/" ($2 ~ /^0x|unknown/ ? "" : $2) }' | sort | uniq -c >want
	rows -i "$1" "SELECT coalesce(from_symbol, '') || '/' || coalesce(to_symbol, '') FROM branches" | tr -d '"' | sort | uniq -c >got
	expect_same "names of branches of $1" want got
}
if with_corpus; then
	for file in "$PREC_CORPUS"/*/*.data "$PREC_CORPUS"/quipper/*; do
		[ -f "$file" ] && [ "$(stat -c %s "$file")" -lt 400000 ] || continue
		branches_match "$file"
	done
	[ "$nr" -gt 1 ] || fail "only $nr recordings have branches"
fi

# ---- counters ----

"$(helper mkdata/mkdata)" /dev/stdin reads.data <<'T'
attr cpu-clock config=0 sample=IP,TID,TIME,CPU,READ,IDENTIFIER read=TOTAL_TIME_ENABLED,TOTAL_TIME_RUNNING,ID,GROUP sample_id_all ids=1
attr page-faults config=2 sample=IP,TID,TIME,CPU,READ,IDENTIFIER read=TOTAL_TIME_ENABLED,TOTAL_TIME_RUNNING,ID,GROUP sample_id_all ids=2
attr faults config=2 sample=TID,TIME,IDENTIFIER read=LOST sample_id_all ids=3
sample 7/8 t=5 ip=0x400123 cpu=1 id=1 read=100,90,1000,1,5,2 nr=2
sample 7/8 t=6 ip=0x400123 cpu=1 id=1 read=200,190,2000,1,6,2 nr=2
raw type=8 07000000080000002a000000000000000100000000000000070000000800000009000000000000000300000000000000
T
expect "counters in samples" '5,sample,cpu-clock,7,8,1,1000,100,90,,1
5,sample,page-faults,7,8,1,5,100,90,,2
6,sample,cpu-clock,7,8,1,2000,200,190,,1
6,sample,page-faults,7,8,1,6,200,190,,2
9,exit,faults,7,8,,42,,,1,' "$(rows -i reads.data 'SELECT * FROM counts')"
if "$PREC" record -q -n -e page-faults -e context-switches -o n.data -- ls / >/dev/null 2>said; then
	expect "counters of record -n" "$("$PREC" report -i n.data --stdio 2>/dev/null | awk '/^ +[0-9]+ +[a-z]/ { print $2 "," $1 }' | sort)" \
		"$(rows -i n.data "SELECT event, sum(value) FROM counts WHERE kind = 'total' GROUP BY event")"
	"$PREC" record -q -s -e page-faults -o s.data -- sh -c 'ls / | sort; ls / | sort' >/dev/null 2>&1
	"$PREC" script -q -i s.data -D 2>/dev/null | sed -n 's/.*PERF_RECORD_READ: \([0-9]*\) \([0-9]*\) \([0-9]*\).*/\1,\2,\3/p' | sort >want
	rows -i s.data 'SELECT pid, tid, value FROM counts' | sort >got
	[ -s want ] || fail "no thread's end has counters"
	expect_same "counters of threads" want got
fi

# ---- instructions, calls ----

expect "no trace" "0,0" "$(rows -i in.data 'SELECT (SELECT count(*) FROM instructions), (SELECT count(*) FROM calls) AS n')"

# insns_match FILE: address, function, bytes of each instruction in their order.
insns_match() {
	"$PREC" script -q -i "$1" --itrace=i1i -F tid,time,ip,sym,insn,insnlen --ns 2>/dev/null |
		awk '{ sym = $4; if (sym == "[unknown]") sym = ""; at = index($0, "ilen:"); rest = substr($0, at); code = rest
			sub(/.*insn:/, "", code); if (rest !~ /insn:/) code = ""; gsub(/ /, "", code); split(rest, n, " ")
			name = substr($0, 1, at - 1); sub(/^ *[0-9]+ +[0-9.]+: +[0-9a-f]+ /, "", name); sub(/ +$/, "", name)
			time = $2; sub(/:/, "", time); if (name == "[unknown]") name = ""
			print $1 "," time "," $3 "," name "," n[2] "," code }' >want
	ask --csv --itrace=i1i -i "$1" "SELECT tid, printf('%d.%09d', time / 1000000000, time % 1000000000), printf('%x', address), coalesce(symbol, ''),
		size, coalesce(bytes, '') FROM instructions" | tail -n +2 | tr -d '\r"' >got
	[ "$(wc -l <want)" -gt 10 ] || fail "$1 has no instructions"
	expect_same "instructions of $1" want got
}

# calls_match FILE: how often functions were called, cut, and ran themselves; all nested calls are within their callers.
calls_match() {
	"$PREC" report -q -i "$1" --durations -t '|' 2>/dev/null | grep -v '^#' | awk -F'|' '{ c[$NF] += $1; p[$NF] += $2; ns[$NF] += $4; n[$NF] += $6 }
		END { for (f in c) printf "%s|%d|%d|%d|%d\n", f, c[f], p[f], ns[f], n[f] }' | sort >want
	ask --itrace=b -i "$1" "WITH inside AS (SELECT parent, sum(duration) AS ns, sum(instructions) AS n FROM calls WHERE parent IS NOT NULL GROUP BY parent)
		SELECT coalesce(symbol, '[' || dso || ']', '[unknown]') || '|' || sum(NOT began_before AND NOT ended_after) || '|' ||
		sum(began_before OR ended_after) || '|' || sum(duration - coalesce(ns, 0)) || '|' || sum(instructions - coalesce(n, 0)) AS line
		FROM calls LEFT JOIN inside ON inside.parent = id GROUP BY coalesce(symbol, '[' || dso || ']', '[unknown]')" | tail -n +3 | sort >got
	[ -s want ] || fail "$1 has no calls"
	expect_same "calls of $1" want got
	expect "calls outside their callers" 0 "$(rows --itrace=b -i "$1" 'SELECT count(*) FROM calls c JOIN calls p ON p.id = c.parent
		WHERE c.begin < p.begin OR c.end > p.end OR c.depth <> p.depth + 1 OR c.tid <> p.tid')"
}
if [ -d "${PREC_TRACES:-/nowhere}/pt" ]; then
	for n in 1 2; do
		file=$PREC_TRACES/pt/gzip.$n.data
		insns_match "$file"
		calls_match "$file"
		names_match "$file"
		expect_status 1 "$PREC" query -q -i "$file" 'SELECT * FROM calls' 2>err
		grep -q -- '--itrace=cr' err || fail "calls that were not decoded: $(<err)"
		expect_status 1 "$PREC" query -q -i "$file" --itrace=cr 'SELECT * FROM instructions' 2>err
		grep -q -- '--itrace=i1i' err || fail "instructions that were not made: $(<err)"
		expect "any number of threads" "$(ask -j1 --csv --itrace=i1i -i "$file" 'SELECT * FROM instructions' | cksum)" \
			"$(ask -j7 --csv --itrace=i1i -i "$file" 'SELECT * FROM instructions' | cksum)"
		expect "calls alone have no instructions" 0 "$(rows --itrace=cr -i "$file" 'SELECT count(instructions) FROM calls')"
	done
	expect_status 1 "$PREC" query -q -i "$file" --itrace=i1i --max-memory=1 'SELECT count(*) FROM instructions' 2>err
	grep -q 'max-memory' err || fail "many rows in little memory: $(<err)"
else
	part_skipped "traces: PREC_TRACES is not set"
fi
