#!/bin/bash
# Code that a JIT compiler made and replaced at one address has the name of its time, by its jitdump; perf inject's files read right.
. "$(dirname "$0")/lib/prec.sh"
need_events
JIT=$(workload jit)
"$JIT" 2>/dev/null || [ $? = 2 ] || skip "no code for this processor"
mkdir dir
at_end 'rm -f /tmp/perf-$(sed -n "s/.*jit-\([0-9]*\).*/\1/p" dumps 2>/dev/null).map'
record() { "$PREC" record -q -e cpu-clock:u -o "$@" >pieces 2>err || fail "cannot record: $(cat err)"; ls dir >dumps; }
# by TOOL FILE ARG...: the pieces in order of time, each once where it goes on.
by() { "$1" script -i "$2" "${@:3}" -F time,ip,sym 2>err </dev/null | sed -n 's/.* \(piece_[0-9]\).*/\1/p' | uniq | xargs; }
all='piece_0 piece_1 piece_2 piece_3 piece_4 piece_5 piece_6 piece_7 piece_8 piece_9'

record data "$JIT" dir 0
expect "each at its time" "$all" "$(by "$PREC" data)"
! grep -q jit-clock err || fail "the clock is said to be another: $(cat err)"
"$PREC" report -i data --stdio -q -s dso,sym 2>err >out
for piece in $all; do
	grep -w $piece out | grep -q 'jit-.*dump' || fail "no $piece: $(cat out)"
done
expect "lines" 10 "$("$PREC" report -i data --stdio -q -s srcline 2>err | grep -c 'pieces.js:[0-9]*1 *$')"
"$PREC" annotate -i data --stdio piece_3 >out 2>err
expect "the code of its time" 3 "$(grep -cw nop out)"

# Moved away with the recording; below --symfs; gone.
mkdir moved fs
cp -p data moved/
cp -p dir/* moved/
mkdir -p "fs$PWD"
mv dir "fs$PWD/"
expect "beside the recording" "$all" "$(by "$PREC" moved/data)"
expect "below --symfs" "$all" "$(by "$PREC" data --symfs fs)"
expect "gone" "" "$(by "$PREC" data)"
"$PREC" report -i data --unresolved >out 2>err
grep -q "made at run time" out || fail "$(cat out)"
mv "fs$PWD/dir" .

# Damaged anywhere, it costs what is damaged.
dump=dir/$(ls dir)
size=$(stat -c %s "$dump")
cp -p "$dump" whole
for ((cut = 0; cut < size; cut += 97)); do
	head -c $cut whole >"$dump"
	any_status "$PREC" script -i data --symfs / -F ip,sym >out 2>err
done
for at in 0 8 40 44 60 90 100; do
	cp whole "$dump"
	printf '\377\377\377\377' | dd of="$dump" bs=1 seek=$at conv=notrunc status=none
	any_status "$PREC" script -i data --symfs / -F ip,sym >out 2>err
done
cp -p whole "$dump"

# After perf inject: as many samples of each piece as perf sees, and as the dump itself gives.
counts() { "$1" script -i "$2" -F ip,sym 2>err </dev/null | grep -o 'piece_[0-9]' | sort | uniq -c; }
for perf in $(perfs); do
	rm -rf dir/*
	"$perf" record -B -N -q -k mono -e cpu-clock:u -o theirs "$JIT" dir 0 >pieces 2>err &&
		"$perf" inject -j -i theirs -o injected 2>err && counts "$perf" injected >want && [ -s want ] ||
		{ part_skipped "$perf inject -j: $(tail -1 err)"; continue; }
	counts "$PREC" injected >got
	expect_same "${perf##*/}: injected" want got
	counts "$PREC" theirs >got
	expect_same "${perf##*/}: the dump itself" want got
done
rm -rf dir/*

# Times of another clock: the last that was there is shown, and it is said.
record data --no-clockid "$JIT" dir 0
"$PREC" report -i data --stdio >out 2>err
grep -q piece_9 out || fail "$(cat out)"
expect_finding jit-clock err 'jit-[0-9]*.dump'
rm -rf dir/*

# Memory that is mapped, or made executable, where a dump has code takes no name from it; with times or without.
record data --no-clockid "$JIT" dir 2
"$PREC" report -i data --stdio >out 2>err
grep -q piece_9 out || fail "mapped after the dump: $(cat out)"
expect_finding jit-clock err 'jit-[0-9]*.dump'
rm -rf dir/*
record data "$JIT" dir 2
expect "mapped after the dump" "$all" "$(by "$PREC" data)"
rm -rf dir/*
# The code's records come first, then the memory is made executable.
record data "$JIT" dir 4
expect "executable after its record" "$all" "$(by "$PREC" data)"
rm -rf dir/*

# Of code in memory that was mapped anew nothing is known. Where memory was joined from parts, a part of it may be new.
record data -k mono "$JIT" dir 16 30
"$PREC" script -i data --comm jit -F ip,sym,dso 2>err | sed -n 's/.* \(piece_[0-9]\|\[unknown\]\) .*/\1/p' | uniq | xargs >out
expect "mapped anew" "$all [unknown]" "$(<out)"
rm -rf dir/*
record data -k mono "$JIT" dir 32 30
"$PREC" script -i data --comm jit -F ip,sym,dso 2>err | sed -n 's/.* \(piece_[0-9]\|\[unknown\]\) .*/\1/p' | uniq | xargs >out
expect "a part of it" "$all" "$(<out)"
rm -rf dir/*

# A map that tells the same, of which the last holds; with a dump it is not asked for.
record data -k mono "$JIT" dir 1
rm -rf dir/*
expect "the map" piece_9 "$(by "$PREC" data)"

need node
echo 'function hottest(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
let s = 0; while (process.cpuUsage().user < 1e6) s += hottest(1e5); console.log(s);' >hot.js
# Without -k mono, too, where the dump's times are of another clock.
for option in '--perf-prof' '-k mono --perf-prof' '-k mono --perf-basic-prof'; do
	rm -f jit-*.dump
	clock=${option% *}
	[ "$clock" != "$option" ] || clock=
	# shellcheck disable=SC2086
	"$PREC" record -q $clock -e cpu-clock:u -o node.data node "${option##* }" hot.js >out 2>err || fail "node $option: $(cat err)"
	"$PREC" report -i node.data --stdio -q -s sym 2>err | grep hottest >out || fail "node $option: no hottest: $(cat err)"
	awk '{ s += $1 } END { exit s < 50 }' out || fail "node $option: $(cat out)"
done
rm -f "/tmp/perf-$("$PREC" script -i node.data -F pid 2>/dev/null | head -1 | tr -d ' ').map"
