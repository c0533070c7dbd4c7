#!/bin/bash
# At its end, record says how many samples are of Node.js processes that write no names of their JavaScript, if there are any.
# A program with the name of Node.js that makes code stands for it, and Node.js itself where it is here.
. "$(dirname "$0")/lib/prec.sh"
need_events
"$(workload jit)" 2>/dev/null || [ $? = 2 ] || skip "no code for this processor"
at_end 'rm -f $(cat maps 2>/dev/null)'
mkdir dir
for name in node nodejs node-22 nodes; do cp "$(workload jit)" $name; done
BARE=64 MAP=65 DUMP=0	# what names the code: nothing, a map, a dump

record() {
	"$PREC" record -e cpu-clock:u -F 1000 -o data "$@" >out 2>err || fail "cannot record $*: $(<err)"
	ls dir | sed -n 's|jit-\(.*\).dump|/tmp/perf-\1.map|p' >>maps
	rm -f dir/*
}
# unnamed COMM...: the finding counts all samples of the processes of these names, and no others.
unnamed() {
	local all n pids want
	"$PREC" script -i data -F comm,pid 2>/dev/null >samples
	all=$(wc -l <samples)
	want=$(printf '|%s' "$@")
	pids=$(awk -v want="^(${want#|})\$" '$1 ~ want { print $2 }' samples | sort -u)
	# By process: until it executes the program, a child of sh is called sh.
	n=$(awk 'NR == FNR { of[$1]; next } $2 in of' <(echo "$pids") samples | wc -l)
	[ "$n" -gt 10 ] || fail "$*: $n samples"
	expect_finding js-unnamed err "$n of $all samples are of Node.js .*"
	expect "processes" "$pids" "$(sed -n 's/.*: process \(.*\) \[js-unnamed\]/\1/p' err | sed 's/, /\n/g' | sort)"
	expect_kept data err
}
named() { ! grep js-unnamed err || fail "$1: $(<err)"; }

for name in node nodejs node-22; do
	record ./$name dir $BARE 30
	unnamed $name
done
grep -q -- '--perf-basic-prof --interpreted-frames-native-stack writes' err || fail "no remedy: $(<err)"
record sh -c "./node dir $BARE 30 & ./nodes dir $BARE 20 & ./nodejs dir $BARE 40 & ./node-22 dir $DUMP 20 & wait"
unnamed node nodejs
# Several threads count.
record --threads=cpu sh -c "./node dir $BARE 30 & ./node dir $BARE 30 & ./nodes dir $BARE 20 & wait"
unnamed node
./node dir $BARE 6000 >out & PID=$!
await 10 test -s out
record -p $PID sleep 0.3
kill $PID
wait $PID 2>/dev/null || true
unnamed node

record ./nodes dir $BARE 20
named "another program"
record ./node dir $DUMP 20
named "with a dump"
record --no-jit-map ./node dir $BARE 20
named "--no-jit-map"
cp "$(workload spin)" node
record ./node -1 100
named "a program that makes no code"
cp nodejs node

# The map's process ends in the first file; later ones do not have the map.
"$PREC" record -e cpu-clock:u -F 1000 -o data --switch-output=1s sh -c \
	"./node dir $MAP 20 & echo /tmp/perf-\$!.map >>maps; wait; ./nodes dir $BARE 150" >out 2>err || fail "--switch-output: $(<err)"
[ "$(ls data.* | wc -l)" -ge 2 ] || fail "one file: $(<err)"
named "with a map, which an earlier file has"

command -v node >/dev/null || { part_skipped "no Node.js"; exit 0; }
echo 'const end = Date.now() + 500; let n = 0; while (Date.now() < end) n += Math.sqrt(n + 1); console.log(n)' >app.js
record node app.js
N=$("$PREC" script -i data -F pid 2>/dev/null | wc -l)
expect_finding js-unnamed err "$N of $N samples are of Node.js"
for names in --perf-basic-prof --perf-prof; do
	record node $names app.js
	"$PREC" script -i data -F pid 2>/dev/null | awk '{ print "/tmp/perf-" $1 ".map" }' | sort -u >>maps
	named "$names"
done
