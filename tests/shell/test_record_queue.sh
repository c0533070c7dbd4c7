#!/bin/bash
# Stacks that unwinders have no time for wait in memory, then in a file: each is unwound in the end, or counted where there is no room.
. "$(dirname "$0")/lib/prec.sh"
# Runs: slow
need_root
need_events
case $(uname -m) in x86_64 | aarch64) ;; *) skip "no user registers on $(uname -m)" ;; esac
NEST=$(workload nest)
HOLD=$(workload hold)
export TMPDIR=$PWD/waiting
mkdir waiting
mkfifo go held

has_unwinders() { cat "/proc/$1/task"/*/comm 2>/dev/null | grep -q prec-unwind && pgrep -P "$1" >/dev/null; }
has_no_child() { ! ps -o stat= --ppid "$1" | grep -qv '^Z'; }
# held_back OPTIONS...: records programs that run, and end, while no unwinder does. How large the file of those that wait became, in
# KiB, is in "spilled".
held_back() {
	local recorder holder fd
	rm -f said
	exec "$PREC" record -v -o data -e cpu-clock:u -c 250000 "$@" sh -c "read x <go
		$NEST 20 300; cp $NEST copied; ./copied 20 300; rm copied; $NEST 30 300" 2>err &
	recorder=$!
	await 60 has_unwinders $recorder
	sleep 0.5
	"$HOLD" $recorder prec-unwind <held >said &
	holder=$!
	exec {fd}>held
	await 60 [ -s said ]
	[ "$(<said)" -gt 0 ] || fail 'no unwinder was stopped'
	echo >go
	await 60 has_no_child $recorder
	spilled=$(find "/proc/$recorder/fd" -lname "$PWD/waiting/*" -exec stat -L -c %b {} + | awk '{ s += $1 } END { print s / 2 + 0 }')
	exec {fd}>&-
	wait $holder
	wait $recorder || fail "record $*: $(<err)"
}
# The functions of each chain with burn(), innermost first, a line each.
chains() {
	"$PREC" script --no-inline -i data -F ip,sym 2>/dev/null | awk '
		function flush() { if (line ~ /^ burn( |$)/) print substr(line, 2); line = "" }
		NF == 0 { flush(); next }
		{ sub(/@.*/, "", $2); line = line " " $2 }
		END { flush() }'
}
WHOLE='^burn c b a (down )+main .*_start$'
samples() { sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err; }
not_unwound() { sed -nE 's/^prec: (warning: )?([0-9]+) of [0-9]+ call chains? (was|were) not unwound while recording.*/\2/p' err; }
all_samples() { expect "$1: samples" "$(samples)" "$("$PREC" script -i data -G -F event 2>/dev/null | wc -l)"; }

# ---- room for all ----

for mode in auto 'dwarf --unwind=live'; do
	# shellcheck disable=SC2086
	held_back --call-graph $mode --unwind=live,256K
	[ "$spilled" -gt 256 ] || fail "$mode: only $spilled KiB were in the file"
	chains >all
	[ "$(wc -l <all)" -gt 2000 ] || fail "$mode: only $(wc -l <all) stacks: $(<err)"
	expect "$mode: not unwound" '' "$(not_unwound)"
	expect "$mode: chains that are not whole" '' "$(grep -Ev "$WHOLE" all | sort | uniq -c | head -5 || true)"
	all_samples "$mode"
	expect "$mode: what is left" 0 "$(find waiting -type f | wc -l)"
done

# ---- a bound, and a full disk ----

some_waited() {	# WHAT
	local whole
	chains >all
	all_samples "$1"
	whole=$(grep -Ec "$WHOLE" all || true)
	[ "$(not_unwound)" -gt 0 ] || fail "$1: all were unwound"
	[ "$whole" -ge 10 ] || fail "$1: none was unwound: $(sort all | uniq -c | head -5) $(<err)"
	[ $(($(wc -l <all) - whole)) -le "$(not_unwound)" ] || fail "$1: some are not counted"
	expect_finding chains-not-unwound err
}
held_back --call-graph dwarf --unwind=live,256K,1M
[ "$spilled" -le 1024 ] || fail "a file of 1 MiB has $spilled KiB"
some_waited 'a bound'

mount -t tmpfs -o size=600k none waiting 2>/dev/null || { part_skipped 'cannot mount a small disk'; exit 0; }
at_end 'umount waiting'
held_back --call-graph dwarf --unwind=live,256K
[ "$spilled" -le 300 ] || fail "half of 600 KiB are free, and $spilled are used"
some_waited 'a small disk'
# It has no room at all from the first.
head -c 700000 /dev/zero >waiting/full 2>/dev/null || true
held_back --call-graph dwarf --unwind=live,256K
expect 'a full disk: in the file' 0 "$spilled"
some_waited 'a full disk'
