#!/bin/bash
# Where --switch-output cannot begin a file, or not name the last, recording ends there, and all that was recorded is kept.
. "$(dirname "$0")/lib/prec.sh"
need_events
spin=$(workload spin)
samples() {	# FILES...
	local f n=0
	for f; do
		n=$((n + $(any_status "$PREC" script -i "$f" | wc -l)))
	done
	echo $n
}
recorded() { sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err; }
start() {	# ARGUMENTS... : in the folder d
	mkdir -p d
	: >out
	exec "$PREC" record -e cpu-clock:u --switch-output "$@" -o d/data "$spin" -1 0 >>out 2>err & prec=$!
	await 60 grep -q ready out
	await 60 has_run "$(pgrep -P $prec -x spin)" 50
}
ended() {	# WHAT
	local status=0
	wait $prec || status=$?
	[ $status != 0 ] || { cat err; fail "$1: exit status 0"; }
	[ "$(recorded)" -gt 0 ] || { cat err; fail "$1: nothing was recorded"; }
	expect "$1: samples that are kept" "$(recorded)" "$(samples d/data*)"
}
# There is no room for another file.
crowd() { while : 2>/dev/null >"d/fill.$((n++))"; do :; done; }
if [ "$(id -u)" = 0 ] && mkdir d && mount -t tmpfs -o nr_inodes=50 none d 2>/dev/null; then
	at_end 'mountpoint -q d && umount d'
	for options in '' --threads=cpu; do	# and with a file for each thread
		start $options
		n=0
		crowd
		kill -USR2 $prec
		ended "next $options"
		grep -q "cannot \(write\|create directory\) 'd/data': No space left" err || { cat err; fail 'the reason is not told'; }
		ls -d d/data.2* >/dev/null || fail 'the file has not got its name'
		rm -r d/*
	done
	umount d
else
	part_skipped 'no room for another file: cannot mount a small disk'
fi
rm -rf d
# The folder goes away: neither a next file nor another name.
start
mv d gone
kill -USR2 $prec
status=0
wait $prec || status=$?
[ $status != 0 ] || fail 'the folder: exit status 0'
expect 'samples in what was open' "$(recorded)" "$(samples gone/data)"
