#!/bin/bash
# Stopped again and again during a flood, a recorder has for every event made a sample or counts it lost, in rings of any size.
. "$(dirname "$0")/lib/prec.sh"
need_tracepoints
WALK=$(helper mkdata/walk) SYSCALLS=$(workload syscalls)
lossy=0
mkfifo in answers
exec 7<>answers
state() { sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null || echo Z; }
of() { awk -v w="$1" '$1 == w || $1 == "type" && w == $2 { n = $NF } END { print n + 0 }' walked; }
run() {	# WHAT OPTIONS...: record the calls of a process while the recorder is stopped, but for moments
	local what=$1 made prec
	shift
	# The largest rings hold 40000 each.
	calls=$((pages > 256 ? 150000 : 50000))
	# shellcheck disable=SC2016
	sh -c 'kill -STOP $$; exec "$@"' - "$SYSCALLS" $calls 2 >made & made=$!
	await 60 eval '[ "$(state $made)" = T ]'
	rm -f data
	exec "$PREC" record -e syscalls:sys_enter_getppid --control fifo:in,answers "$@" -o data -p $made 2>err & prec=$!
	echo ping >in
	read -r -t 60 -u 7 _ || fail "$what: no answer: $(cat err)"
	kill -STOP $prec
	kill -CONT $made
	# With the process ends the recorder, unless it is stopped.
	until [ "$(state $made)" = Z ]; do
		kill -CONT $prec 2>/dev/null && kill -STOP $prec 2>/dev/null || break
	done
	kill -CONT $prec 2>/dev/null || true
	wait $prec || fail "$what: status $?"
	wait $made || fail "$what: the calls failed"
	expect "$what: what was made" "getppid $((2 * calls))" "$(cat made)"
	"$WALK" data >walked
}
for pages in 1 2 4 8 16 32 64 128 256 512 1024; do
	for options in '' -z; do
		# shellcheck disable=SC2086
		run "-m $pages $options" -m $pages $options
		expect "-m $pages $options: samples and lost" $((2 * calls)) $(($(of 9) + $(of lost_samples)))
		told=$(sed -nE 's/^prec: (warning: )?([0-9]+) of [0-9]+ samples w.* lost while recording: syscalls.*/\2/p' err)
		expect "-m $pages $options: lost, as told" "$(of lost_samples)" "${told:-0}"
		[ "$(of lost_samples)" = 0 ] || lossy=$((lossy + 1))
		[ $pages = 1 ] || [ $pages = 64 ] || break
	done
done
# What an overwrite ring forgets was not lost.
for pages in 1 64; do
	run "--overwrite -m $pages" --overwrite -m $pages
	[ "$(of 9)" -gt 0 ] && [ "$(of 9)" -lt $((2 * calls)) ] || fail "--overwrite -m $pages: $(of 9) samples"
	expect "--overwrite -m $pages: lost" '0 0' "$(of lost) $(of lost_samples)"
	! grep -i lost err || fail "--overwrite -m $pages tells of losses"
done
[ $lossy -gt 5 ] || fail "only $lossy recordings lost anything"
