#!/bin/bash
# Recordings keep /tmp/perf-PID.map: names are there when the file is gone, or another's; what is no process's map is not read.
. "$(dirname "$0")/lib/prec.sh"
need_events
JIT=$(workload jit)
"$JIT" 2>/dev/null || [ $? = 2 ] || skip "no code for this processor"
at_end 'rm -f $(cat maps 2>/dev/null)'
mkdir dir fs
# record FILE ARG...: sets MAP to the name of the file that the program, or what is in its place, wrote or not.
record() {
	rm -rf dir/*
	"$PREC" record -e cpu-clock:u -o "$@" >pieces 2>err || fail "cannot record: $(cat err)"
	MAP=/tmp/perf-$(ls dir | sed 's/jit-\(.*\).dump/\1/').map
	echo "$MAP" >>maps
	rm -rf dir/*
}
names() { "$PREC" script -i "$@" -F ip,sym 2>err | sed -n 's/.* \(piece_[0-9]\|other\)$/\1/p' | sort -u | xargs; }
kept() { "$PREC" report -i "$1" --header-only 2>err | grep -c '^# code made at run time' || true; }

record gone.data "$JIT" dir 9 30
[ ! -e "$MAP" ] || fail "the program did not remove it"
! grep -q jit-maps-left err || fail "$(cat err)"
expect "removed by the program" piece_9 "$(names gone.data)"
"$PREC" archive -o copy.data gone.data >out 2>err || fail "archive: $(cat err)"
expect "a copy keeps it" "1 piece_9" "$(kept copy.data) $(names copy.data)"
"$PREC" archive --redact=names -o secret.data gone.data >out 2>err || fail "archive --redact: $(cat err)"
expect "a redacted copy has none" "0 " "$(kept secret.data) $(names secret.data)"

# Of another process, by now; but for --symfs, and where it was not kept.
record data "$JIT" dir 1 10
sed 's/piece_[0-9]/other/' "$MAP" >"$WORK/other"
cat other >"$MAP"
mkdir fs/tmp
expect "below --symfs there is none" piece_9 "$(names data --symfs fs)"
cp other "fs$MAP"
expect "another process's" piece_9 "$(names data)"
expect "--symfs" other "$(names data --symfs fs)"
record data --no-jit-map "$JIT" dir 1 10
sed -i 's/piece_[0-9]/other/' "$MAP"
expect "--no-jit-map" "0 other" "$(kept data) $(names data)"

# A process that was there before, and one that goes on.
"$JIT" dir 9 150 >pieces &
for ((i = 0; i < 100; i++)); do [ -s pieces ] && break; sleep 0.05; done
"$PREC" record -q -e cpu-clock:u -o data -p $! sleep 0.1 2>err || fail "-p: $(cat err)"
kill $!
wait $! 2>/dev/null || true
expect "attached" 1 "$(kept data)"
rm -rf "/tmp/perf-$!.map" dir/*

# In place of the map: nothing of it is read, and nothing waits.
hostile() {
	record data sh -c "$2; exec '$JIT' dir 0 3"
	expect_finding jit-maps-left err "$MAP is $3"
	expect_kept data err
	expect "$1 is not kept" 0 "$(kept data)"
	rm -f "$MAP"
}
echo '1000 1000 other' >real
hostile link "ln -s '$PWD/real' /tmp/perf-\$\$.map" "no regular file"
hostile fifo 'mkfifo /tmp/perf-$$.map' "no regular file"
hostile large 'truncate -s 10G /tmp/perf-$$.map' "too large"
cp real /tmp/perf-$$.real
hostile names 'ln /tmp/perf-'$$'.real /tmp/perf-$$.map' "another user's, or with several names"
rm -f /tmp/perf-$$.real
if [ "$(id -u)" = 0 ]; then
	hostile owner 'cp real /tmp/perf-$$.map; chown 65534 /tmp/perf-$$.map' "another user's, or with several names"
fi

# Its /tmp and its number are its own, and go with it.
unshare -mpf true 2>/dev/null || { part_skipped "no namespaces here"; exit 0; }
rm -rf dir/*
"$PREC" record -q -e cpu-clock:u -o data unshare -mpf sh -c "mount -t tmpfs none /tmp && exec '$JIT' dir 9 10" >pieces 2>err ||
	fail "unshare: $(cat err)"
ls "$PWD"/dir | grep -q 'jit-1.dump' || { part_skipped "below /tmp: no namespace of it"; exit 0; }
rm -rf dir/*
expect "in a namespace" piece_9 "$(names data)"
