#!/bin/bash
# What prec exports for speedscope sums up to report's numbers, with gaps as samples without a stack; speedscope itself shows it.
. "$(dirname "$0")/lib/prec.sh"
need jq

cat >in.txt <<'T'
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER read=ID sample_id_all mmap comm task mmap2
attr page-faults:u config=2 exclude_kernel exclude_hv sample=IP,TID,TIME,PERIOD,IDENTIFIER read=ID sample_id_all
feature hostname=vm arch=x86_64 osrelease=6.18.0 nrcpus=2 cmdline=perf,record,a
comm 100/100 "a b;c" exec t=1000000000
mmap2 100/100 0x400000+0x1000@0x1000 r-xp "/nowhere/a b" dev=8:1 ino=77 t=1000001000
sample 100/100 t=1000250000 ip=0x400123 cpu=0 period=250000 chain=user,0x400123,0x400456
sample 100/100 t=1000500000 ip=0x400222 cpu=0 period=250000 chain=user,0x400222,0x400456
sample 100/100 t=10000500000 ip=0x400222 cpu=1 period=250000 chain=user,0x400222,0x400456
sample 100/100 t=1000700000 ip=0x400222 period=7 event=page-faults:u
T
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" export -q -i in.data -o in.speedscope.json
profile() {	# NUMBER FILTER
	jq -c ".profiles[$1] | $2" in.speedscope.json
}
expect "profiles" '["a b;c 100, cpu-clock","a b;c 100, page-faults:u"]' "$(jq -c '[.profiles[].name]' in.speedscope.json)"
expect "weights, nine seconds of nothing among them" '[250000,250000,8999750000,250000]' "$(profile 0 .weights)"
expect "stacks" '[2,2,0,2]' "$(profile 0 '[.samples[] | length]')"
expect "end" 9000500000 "$(profile 0 .endValue)"
expect "unit" '"nanoseconds"' "$(profile 0 .unit)"
expect "the other event" '["none",[7],1]' "$(profile 1 '[.unit, .weights, (.samples | length)]')"
expect "frames, each once" 3 "$(jq '[.shared.frames[] | [.name, .file]] | unique | length' in.speedscope.json)"
expect "outermost first" '"0x1456"' "$(jq -c '.shared.frames[.profiles[0].samples[0][0]].name' in.speedscope.json)"
jq -e '[.profiles[] | (.samples | length) == (.weights | length)] | all' in.speedscope.json >/dev/null || fail "lengths differ"

need_events
"$PREC" record -q -g -o rec.data "$(workload demo)" >/dev/null 2>&1 || skip "cannot record"
"$PREC" export -q -i rec.data -o rec.speedscope.json
"$PREC" report -q -i rec.data --stdio --no-children -g none -s tid -F period,tid -t '|' 2>/dev/null |
	grep -v '^#' | sed -nE 's/^ *([0-9]+) *\| *([0-9]+).*/\2 \1/p' | sort >report.txt
jq -r '.profiles[] | [(.name | capture("(?<t>[0-9]+), [^,]*$").t), ([.samples, .weights] | transpose | map(select(.[0] != []) | .[1]) | add)] | "\(.[0]) \(.[1])"' \
	rec.speedscope.json | sort >file.txt
expect_same "time by thread" report.txt file.txt

[ -d "${PREC_SPEEDSCOPE:-}" ] || { part_skipped "speedscope itself: no PREC_SPEEDSCOPE (the package of npm)"; exit 0; }
need chromium
printf 'speedscope.loadFileFromBase64("rec.speedscope.json", "%s")' "$(base64 -w0 rec.speedscope.json)" >load.js
chromium --headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-sync \
	--allow-file-access-from-files --user-data-dir="$WORK/chromium" --virtual-time-budget=60000 --dump-dom \
	"file://$PREC_SPEEDSCOPE/dist/release/index.html#localProfilePath=$WORK/load.js&view=sandwich" >dom 2>chromium.log
sed 's/<[^>]*>/\n/g' dom >dom.txt
while read -r tid ns; do
	grep -q " $tid, cpu-clock" dom.txt || fail "speedscope does not show thread $tid"
	[ "$ns" -lt 10000000 ] || grep -q "^$(awk -v n="$ns" 'BEGIN { printf n < 1e9 ? "%.2fms" : "%.2fs", n < 1e9 ? n / 1e6 : n / 1e9 }')$" dom.txt ||
		fail "speedscope does not show $ns ns for thread $tid"
done <report.txt
