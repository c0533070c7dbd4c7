#!/bin/bash
# A speedscope export keeps to the format, and its sums by event, thread and function are report's.
. "$(dirname "$0")/lib/prec.sh"
need jq

# The format's rules, which the reader checks in part.
keeps_format() {
	jq -e '."$schema" == "https://www.speedscope.app/file-format-schema.json" and .activeProfileIndex < (.profiles | length) and
		(.shared.frames | length) as $n | ([.shared.frames[] | [.name, .file]] | length == (unique | length)) and
		(.profiles | all(.type == "sampled" and (.samples | length) == (.weights | length) and
			.endValue - .startValue == (.weights | add) and all(.weights[]; . >= 0) and all(.samples[][]; . < $n)))' "$1" >/dev/null
}
# Own weight by function, of profiles that pass the filter.
by_function() {
	jq -r --arg event "$2" '.shared.frames as $f | [.profiles[] | select(.name | endswith(", " + $event)) | [.samples, .weights] | transpose[] |
		select(.[0] != []) | { f: $f[.[0][-1]].name, w: .[1] }] |
		group_by(.f)[] | "\(.[0].f) \(map(.w) | add)"' "$1" | sort
}

cat >in.txt <<'IN'
attr cycles type=hardware config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER sample_id_all=1 ids=2
feature arch=x86_64
comm 7/7 "two <words>"
comm 7/8 "other"
mmap2 7/7 0x10000+0x10000@0 r-xp "/no/such/prog"
mmap2 7/7 0x20000+0x10000@0 r-xp "/no/such/a;b.so"
sample 7/7 id=1 t=1 ip=0x10003 mode=user period=60 cpu=0 chain=user,0x10003,0x10002,0x20001
sample 7/7 id=1 t=4 ip=0x10003 mode=user period=1 cpu=0 chain=user,0x10003,0x10002,0x20001
sample 7/7 id=1 t=3 ip=0x20003 mode=user period=5 cpu=0 chain=user,0x20003
sample 7/8 id=1 t=2 ip=0x10004 mode=user period=25 cpu=1 chain=user,0x10004,0x10002,0x10001
sample 7/8 id=2 t=5 ip=0x20004 mode=user period=3000000 cpu=0
IN
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" export -q -i in.data -o out.speedscope.json
keeps_format out.speedscope.json || fail "not the format: $(cat out.speedscope.json)"
expect "profiles: stacks in order of time, those alike joined" '["two <words> 7, cycles","none",[["[a;b.so]","[prog]","[prog]"],["[a;b.so]"],["[a;b.so]","[prog]","[prog]"]],[60,5,1]]
["other 8, cycles","none",[["[prog]","[prog]","[prog]"]],[25]]
["other 8, cpu-clock","nanoseconds",[["[a;b.so]"]],[3000000]]' \
	"$(jq -c '.shared.frames as $f | .profiles[] | [.name, .unit, [.samples[] | map($f[.].name)], .weights]' out.speedscope.json)"
expect "the one with most is shown" 2 "$(jq .activeProfileIndex out.speedscope.json)"
"$PREC" export -q -i in.data --samples -e cycles -o samples.speedscope.json
expect "samples" '[1,1,1,1]' "$(jq -c '[.profiles[].weights[]]' samples.speedscope.json)"

need_events
"$PREC" record -q -g -o rec.data "$(workload demo)" >/dev/null 2>&1 || skip "cannot record"
event=$("$PREC" report -i rec.data --stats 2>/dev/null | sed -n 's/ stats:$//p' | grep -v -e Aggregated -e dummy | head -1)
for jobs in 1 8; do
	"$PREC" export -q -i rec.data --no-inline -j$jobs -o rec.$jobs.speedscope.json
done
expect_same "-j8 as -j1" rec.1.speedscope.json rec.8.speedscope.json
keeps_format rec.1.speedscope.json || fail "not the format: $(head -c 2000 rec.1.speedscope.json)"
expect "sum" "$("$PREC" report -i rec.data --stdio -g none 2>/dev/null | awk '/^# Event count/ { print $NF; exit }')" \
	"$(jq '[.profiles[] | [.samples, .weights] | transpose[] | select(.[0] != []) | .[1]] | add' rec.1.speedscope.json)"
by_function rec.1.speedscope.json "$event" | grep -v '^\[' >got
"$PREC" report -i rec.data -q --stdio --no-children -g none -s sym -F period,sym -t '|' 2>/dev/null |
	sed -nE 's/^ *([0-9]+) *\|\[.\] ([^0].*[^ ]) *$/\2 \1/p' | sort >want
expect_same "own weight by function" want got
# By the thread's number: its name may change while it runs.
jq -r '.profiles[] | "\(.name | capture(" (?<tid>[0-9]+), [^,]*$").tid) \(
	[[.samples, .weights] | transpose[] | select(.[0] != []) | .[1]] | add)"' rec.1.speedscope.json | sort >got
"$PREC" report -i rec.data -q --stdio --no-children -g none -s tid -F period,tid -t '|' 2>/dev/null |
	sed -nE 's/^ *([0-9]+) *\| *([0-9]+).*/\2 \1/p' | sort >want
expect_same "by thread" want got
