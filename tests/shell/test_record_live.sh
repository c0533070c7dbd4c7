#!/bin/bash
# Stacks that are unwound while recording are whole, whatever is loaded, forked, executed or killed meanwhile; stock perf reads them.
. "$(dirname "$0")/lib/prec.sh"
# Runs: slow
need_events
case $(uname -m) in x86_64 | aarch64) ;; *) skip "no user registers on $(uname -m)" ;; esac
CC=${CC:-cc}
RATE=(-e cpu-clock:u -c 500000 -m 8M)	# rings that are large enough for stacks while other tests run
skips_if_shed data 'rotated.*'

# The functions of each chain, innermost first, a line each: chains COMMAND...
chains() {
	"$@" 2>err.script | awk '
		function flush() { if (line != "") print substr(line, 2); line = "" }
		NF == 0 { flush(); next }
		$2 ~ /@plt$/ { $2 = "plt" }	# some stubs perf gives no name of their own
		{ sub(/@.*/, "", $2); line = line " " $2 }
		END { flush() }'
}

# Libraries whose code is alike and whose frames are not: who takes one for the other finds no caller.
library() {	# NAME BYTES
	echo "void calls(void (*body)(void)); void calls(void (*body)(void)) { volatile char kept[$2]; kept[0] = 1; body(); kept[1] = 2; }" |
		$CC -O2 -fomit-frame-pointer -shared -fPIC -x c -o "$1" -
}
library one.so 8
library two.so 200
library three.so 1000
$CC -std=gnu11 -D_GNU_SOURCE -I"$SRC" -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -Wl,-z,now -o reload "$SRC/tests/work/reload.c" -ldl

# Every chain with burn() is that of a library that was called; most are there.
known() {	# WHAT AT_LEAST
	grep -E '(^| )burn ' all >some || true
	expect "$1: chains that are wrong" '' \
		"$(grep -Ev '(^| )burn calls loads (main .*_start|in_child main .*_start|main|in_child main)$' some | sort | uniq -c | head -5 || true)"
	[ "$(wc -l <some)" -ge "$2" ] || fail "$1: only $(wc -l <some) chains with burn()"
}

# ---- what is mapped changes all the time ----

for mode in 'dwarf --unwind=live' auto; do
	# shellcheck disable=SC2086
	"$PREC" record "${RATE[@]}" --call-graph $mode -o data ./reload 24 ./one.so ./two.so ./three.so 2>err
	# What the compiler adds to each library runs when it is loaded, and has no tables.
	! grep -E '\[chains-' err | grep -v chains-without-tables || fail "$mode: chains that are not whole"
	chains "$PREC" script --no-inline -i data -F ip,sym >all
	known "$mode" 200
	for perf in $(perfs); do
		chains "$perf" script --no-inline -i data -F ip,sym </dev/null >perf.all
		expect_same "$mode: chains of $perf" <(sort all) <(sort perf.all)
	done
	"$PREC" report --header-only -i data >header
	! grep -E 'sample_stack_user|STACK_USER' header || fail "$mode: the file promises stacks"
done

# In a stream, compressed, file by file, and with who is attached to.
"$PREC" record -q "${RATE[@]}" --call-graph auto -o - ./reload 12 ./one.so ./two.so ./three.so | "$PREC" script --no-inline -F ip,sym -i - >stream
chains cat stream >all
known 'a stream' 100
"$PREC" record -q "${RATE[@]}" -z --call-graph auto -o data ./reload 12 ./one.so ./two.so ./three.so
chains "$PREC" script --no-inline -i data -F ip,sym >all
known 'compressed' 100
"$PREC" record -q "${RATE[@]}" --switch-output=1s --call-graph auto -o rotated ./reload 150 ./one.so ./two.so ./three.so
files=(rotated.*)
[ ${#files[@]} -ge 2 ] || fail "one file: ${files[*]}"
for f in "${files[@]}"; do
	chains "$PREC" script --no-inline -i "$f" -F ip,sym
done | sed 's/\[unknown\]/calls/' >all	# a new file tells of the maps as they are when it begins: not what was unloaded right then
known 'file by file' 200
./reload 1000000 ./one.so ./two.so ./three.so & reload=$!
"$PREC" record -q "${RATE[@]}" --call-graph auto -o data -p $reload -- sleep 1
kill -KILL $reload
chains "$PREC" script --no-inline -i data -F ip,sym >all
known 'attached' 20

# ---- many short lives ----

"$PREC" record "${RATE[@]}" -c 200000 --call-graph auto -o data "$(workload forks)" 1000 >out 2>err
chains "$PREC" script --no-inline -i data -F ip,sym >all
grep '^leaf ' all >some || true
expect 'short lives: chains that are wrong' '' "$(grep -v '^leaf .*main .*_start$' some | sort | uniq -c | head -5 || true)"
[ "$(wc -l <some)" -ge 2000 ] || fail "only $(wc -l <some) chains of 1000 processes that ran for a millisecond"

# ---- more programs than files may be open ----

# Each with a build id of its own, so that it is another file; what was not asked for lately makes room, and comes back.
other_bytes() {	# HEX HEX FILE: the first of those are the second ones
	perl -0777 -pe 'BEGIN { ($from, $to) = map { pack "H*", $_ } splice @ARGV, 0, 2 } s/\Q$from\E/$to/' "$@"
}
id=$(build_id_of "$(workload nest)")
id=${id#buildid=}
for i in $(seq 40); do
	other_bytes "$id" "$(printf "%0${#id}x" "$i")" "$(workload nest)" >program$i
	chmod +x program$i
done
echo 'for i in $(seq 40) 1 2 3; do ./program$i 3 20 || exit 1; done' >programs
(ulimit -n $((45 + 2 * $(nproc))) && exec "$PREC" record "${RATE[@]}" --call-graph dwarf --unwind=live -o data sh programs) >out 2>err
! grep 'chains-' err | grep -v chains-without-tables || fail "more programs than files: $(<err)"
chains "$PREC" script --no-inline -i data -F ip,sym >all
grep -E '^burn( |$)' all >some || true
expect 'more programs than files: chains that are wrong' '' \
	"$(grep -v '^burn c b a down down down main .*_start$' some | sort | uniq -c | head -5 || true)"
expect 'more programs than files: how many were seen' 40 \
	"$("$PREC" script -i data -G -F ip,dso,sym 2>/dev/null | awk '$2 == "burn" { print $3 }' | sort -u | wc -l)"

# The same if the recorder is kept from running, so that it has samples of twenty of them at once, and copies wait for files, too.
# There are so few descriptors that a file often cannot be opened. Twenty programs' maps fit into the ring of one CPU for them.
inherited=$(find /proc/self/fd -mindepth 1 | wc -l)	# of these, find has opened one or two itself
cat >stopped <<'END'
for first in 1 21; do
	kill -STOP $PPID
	for i in $(seq $first $((first + 19))); do ./program$i 3 10 || exit 1; done
	kill -CONT $PPID
	sleep 0.3
done
END
(export HOME=$PWD/home; mkdir home; ulimit -n $((24 + inherited + 2 * $(nproc))) &&
	exec "$PREC" record "${RATE[@]}" -c 2000000 -m 16M --call-graph dwarf --unwind=live -o data sh stopped) >out 2>err
! grep -E 'lost-(samples|side-band)' err || fail "stopped: a ring was too small"
chains "$PREC" script --no-inline -i data -F ip,sym >all
grep -E '^burn( |$)' all >some || true
[ "$(wc -l <some)" -ge 40 ] || fail "stopped: $(wc -l <some) chains of 40 programs"
expect 'stopped: chains that are wrong' '' "$(grep -v '^burn c b a down down down main .*_start$' some | sort | uniq -c | head -5 || true)"
expect 'stopped: programs that are kept' 40 "$(find home -path '*/program*/elf' | wc -l)"

# ---- no room in the queue: each is counted, none is lost ----

told() {
	sed -nE 's/^prec: (warning: )?([0-9]+) of ([0-9]+) call chains? (was|were) not unwound while recording.*/\2 \3/p' err
}
lonely() {	# chains of one frame
	chains "$PREC" script --no-inline -i data -F ip,sym | awk 'NF == 1 { n++ } END { print n + 0 }'
}
"$PREC" record "${RATE[@]}" --call-graph dwarf --unwind=live,0,0 -o data "$(workload nest)" 20 200 >out 2>err
expect_finding chains-not-unwound err
samples=$("$PREC" script -i data -G -F event | wc -l)
expect 'no queue: all of all' "$samples $samples" "$(told)"
expect 'no queue: chains of one frame' "$samples" "$(lonely)"
"$PREC" record "${RATE[@]}" -c 100000 --call-graph dwarf --unwind=live,20K,0 -o data "$(workload nest)" 20 200 >out 2>err
samples=$("$PREC" script -i data -G -F event | wc -l)
read -r not all <<<"$(told)"
expect 'a short queue: of all' "$samples" "$all"
[ "$not" -gt 0 ] && [ "$not" -lt "$samples" ] || fail "a queue of two stacks: $not of $samples are not unwound"
chains "$PREC" script --no-inline -i data -F ip,sym >all
# A thread's first instruction has no caller, whether it was unwound or not.
one=$(grep -v ' ' all | grep -cv '^_start$') starts=$(grep -c '^_start$' all || true)
[ "$one" -le "$not" ] && [ "$not" -le $((one + starts)) ] || fail "a short queue: $one chains of one frame, $starts at _start, $not not unwound"
"$PREC" record "${RATE[@]}" --call-graph auto --unwind=live,0,0 -o data "$(workload demo)" >out 2>err
expect_finding chains-not-unwound err
expect_kept data err
chains "$PREC" script --no-inline -i data -F ip,sym >all
[ "$(grep -c ' worker_main ' all)" -ge $(($(wc -l <all) / 2)) ] || fail "without a queue frame pointers do not tell: $(sort all | uniq -c | sort -rn | head -5)"

# ---- killed ----

# What is recorded, in the middle of anything: each sample that was taken is there, and what was unwound is right.
echo 'for i in $(seq 12); do timeout -s KILL 0.$((i % 3 + 1)) ./reload 1000000 ./one.so ./two.so ./three.so; done; true' >killing
for mode in 'dwarf --unwind=live' auto; do
	# shellcheck disable=SC2086
	"$PREC" record "${RATE[@]}" --call-graph $mode -o data sh killing >out 2>err
	chains "$PREC" script --no-inline -i data -F ip,sym >all
	known "$mode: killed programs" 50
	expect "$mode: killed programs: samples" "$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)" \
		"$("$PREC" script -i data -G -F event 2>/dev/null | wc -l)"
done

exec "$PREC" record "${RATE[@]}" --call-graph auto -o cut ./reload 1000000 ./one.so ./two.so ./three.so & prec=$!
await 60 eval '[ "$(stat -c %s cut 2>/dev/null || echo 0)" -gt 100000 ]'
reload=$(pgrep -P $prec)
kill -KILL $prec
ended $prec
kill -KILL "$reload"
chains any_status "$PREC" script --no-inline -i cut -F ip,sym >all
known 'a recorder that was killed' 100

# ---- what does not go together ----

for option in --threads --overwrite; do
	WANTED=129 "$PREC" record -q --call-graph auto $option -o data true 2>err && fail "auto with $option"
	grep -q -- '--call-graph auto' err || fail "auto with $option: $(<err)"
done
expect_status 129 "$PREC" record -q --unwind=live -g -o data true 2>err
expect_status 129 "$PREC" record -q --unwind=sometimes --call-graph dwarf -o data true 2>err
