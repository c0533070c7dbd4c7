#!/bin/bash
# Killed at 50 random moments, in every way of writing, a recording leaves files that read to what was written.
# Runs: alone, as Linux 6.18 gives samples of a software event the ids of another recorder's of the same event.
. "$(dirname "$0")/lib/prec.sh"
need_events
WALK=$(helper mkdata/walk) FAULTS=$(workload faults)
RANDOM=${SEED:=$((EPOCHSECONDS % 32768))}
echo "SEED=$SEED brings these moments again"
cut=0
check() {	# FILE: its samples are those of its whole records, and a reader says whether it was cut
	local status=0 walked samples strange
	"$PREC" script -i "$1" -F event >text 2>err || status=$?
	walked=$("$WALK" "$1") || fail "$what: $1: walked '$walked'"
	samples=$(awk '$1 == "type" && $2 == 9 { n = $3 } END { print n + 0 }' <<<"$walked")
	# A recorder somewhere else, with -a: its numbers of events are in some samples, which is told.
	strange=$(sed -nE 's/.*warning: ([0-9]+) samples? of no known event w.* left out.*/\1/p' err)
	expect "$what: samples of $1 (status $status: $(cat err))" "$samples" $(($(wc -l <text) + ${strange:-0}))
	case $1 in
	stream)	grep -q '^cut 0$' <<<"$walked" || [ $status = 2 ] || fail "$what: a cut stream reads with status $status";;
	data|data.next)	# Before anything was recorded there is nothing to miss.
		grep -q '^header 0$' <<<"$walked" && [ "$(stat -c %s "$1")" -ge 500 ] || return 0
		[ $status = 2 ] || { cat err; fail "$what: reads with status $status"; }
		expect_finding unfinished err
		[ "$samples" = 0 ] || cut=$((cut + 1));;
	*.new-*) ;;	# a file that was about to begin has not got its name yet
	*)	[ $status = 0 ] || fail "$what: $1, a whole file, reads with status $status";;
	esac
}
while read -r options; do
	[ "$options" != -a ] || "$(workload opens)" all 2>/dev/null || continue
	for _ in 1 2 3 4 5; do
		rm -f data* stream
		ms=$(printf %03d $((RANDOM % 160 + 1))) out=/dev/null
		what="'$options', killed after $ms ms"
		[ "$options" != '-o -' ] || out=stream
		# shellcheck disable=SC2086
		exec "$PREC" record -q -m 16 -e page-faults:u -c 1 -d -o data $options "$FAULTS" 300000 >$out 2>said & prec=$!
		sleep 0.$ms
		command=$(pgrep -P $prec) || true
		# shellcheck disable=SC2086
		kill -KILL $prec $command 2>/dev/null || true
		ended $prec
		for f in data* stream; do
			[ ! -s "$f" ] || check "$f"
		done
	done
done <<MODES

-m 1
-z
-z19
-a
--per-thread
--switch-output=1M
-z --switch-output=200K --switch-max-files 3
--overwrite
-o -
MODES
[ $cut -ge 5 ] || skip "only $cut of the files were cut while samples were in them"
