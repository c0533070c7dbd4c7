#!/bin/bash
# The Firefox Profiler's own reader takes what prec exports, and its numbers by thread and function are report's.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/firefox.sh"
need jq
need_events

"$PREC" record -q -g --sample-cpu -o demo.data "$(workload demo)" >/dev/null
"$PREC" export -q -i demo.data -o demo.json.gz
gzip -dc demo.json.gz >demo.json

# Columns have equal lengths, indices are in range, times ascend, sums are report's: the reader itself forgives all that.
jq -e '
	def sizes: to_entries | map(select(.value | type == "array") | .value | length) | unique;
	(.shared | to_entries | map(select(.key != "stringArray") | .value) | all(. as $t | sizes == [$t.length])) and
	(.shared as $s | .shared.stackTable as $t | all($t.frame[]; . < $s.frameTable.length) and
		all(range($t.length); $t.prefixOffset[.] <= .) and
		all($s.frameTable.func[]; . < $s.funcTable.length) and all($s.funcTable.name[]; . < ($s.stringArray | length))) and
	(.threads | all(.samples as $m | ($m | sizes) == [$m.length] and ($m.time | . == sort))) and
	.meta.preprocessedProfileVersion == 66
' demo.json >jq.out || fail "the file is not what the format wants: $(head -3 jq.out)"
report=$("$PREC" report -q -i demo.data --stdio --no-children -g none -s comm -F period -t ' ' 2>/dev/null | grep -v '^#' | awk '{ s += $1 } END { printf "%.0f", s }')
expect "sum of weights in ns" "$report" "$(jq '[.threads[].samples.weight[]] | add * 1000000 | round' demo.json)"

# By function, from the file alone: rows of report are functions that have an address.
"$PREC" export -q -i demo.data --no-inline -o plain.json.gz
gzip -dc plain.json.gz | jq -r '.shared as $s | [.threads[].samples | range(.length) as $i | {f: (.stack[$i] as $k | if $k == null then null else $s.stringArray[$s.funcTable.name[$s.frameTable.func[$s.stackTable.frame[$k]]]] end), w: .weight[$i]}]
	| group_by(.f)[] | "\(.[0].f) \(map(.w) | add * 1000000 | round)"' | sort >file.txt
"$PREC" report -q -i demo.data --stdio --no-children -g none -s sym -F period,sym -t '|' 2>/dev/null |
	grep -v '^#' | sed -nE 's/^ *([0-9]+) *\|\[.\] (.*[^ ]) *$/\2 \1/p' | sort >report.txt
expect_same "own time by function" report.txt file.txt

reader_loads demo.json.gz
reader thread list --json --limit 0 >threads.json
expect "threads" "$(jq '.threads | length' demo.json)" "$(jq '[.. | objects | select(has("tid")) | .tid] | unique | length' threads.json)"
