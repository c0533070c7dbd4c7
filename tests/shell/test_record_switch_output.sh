#!/bin/bash
# With --switch-output each file is complete by itself, and all samples are in one of them.
. "$(dirname "$0")/lib/prec.sh"
need_events
spin=$(workload spin)
touch out
check() {	# FILE...: each shows the program
	local f
	for f; do
		"$PREC" report -i "$f" --stdio 2>err | grep 'spin .*\[\.\] spin' >/dev/null || { cat err; fail "$f does not show spin"; }
		! with_perf ||
			perf report -i "$f" --stdio 2>perf_err </dev/null | grep 'spin .*\[\.\] spin' >/dev/null ||
			{ cat perf_err; fail "perf does not see spin in $f"; }
	done
}
samples() {
	local f n=0
	for f; do
		n=$((n + $("$PREC" script -i "$f" | wc -l)))
	done
	echo $n
}
# By signal; its own name is that of the file being written, and nothing of it is left.
runs() {	# MS: until the program that is recorded has had that much CPU time more
	local pid
	pid=$(pgrep -P $prec -x spin)
	await 60 has_run "$pid" $(($(had_ms "$pid") + $1))
}
exec "$PREC" record -e cpu-clock:u --switch-output=1h,1G,signal -o data "$spin" -1 0 >out 2>err & prec=$!
await 60 grep -q ready out
for n in 1 2 3; do
	runs 50
	kill -USR2 $prec
	await 60 eval '[ "$(ls data.20* 2>/dev/null | wc -l)" = '$n' ]'
done
runs 50
kill $prec
ended $prec
files=(data.20*)
expect 'files' 4 ${#files[@]}
[ ! -e data ] || fail 'the unfinished name is still there'
expect 'samples in all files' "$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)" "$(samples "${files[@]}")"
check "${files[@]}"
rm data*
# By size and by time; the oldest go.
"$PREC" record -q -e cpu-clock:u -c 20000 -m 64 --switch-output=600K --switch-max-files=2 -o data "$spin" -1 1500 >/dev/null
files=(data.20*)
expect 'files that are kept' 2 ${#files[@]}
[ "$(stat -c %s "${files[0]}")" -ge 600000 ] || fail 'a file is smaller than --switch-output'
check "${files[0]}"
rm data*
"$PREC" record -q -e cpu-clock:u --switch-output=1s,signal -o data "$spin" -1 1500 >/dev/null
files=(data.20*)
[ ${#files[@]} -ge 2 ] || fail "${#files[@]} files in more than a second"
# The program may have ended just after the last began.
check "${files[@]::${#files[@]}-1}"
rm data* out
# A flight recorder: what it writes at a signal are the last moments, and it goes on.
taskset -c "$(one_cpu)" "$PREC" record -q -e cpu-clock:u -c 100000 --overwrite -m 1 --switch-output -o data "$spin" -1 0 >out & prec=$!
await 60 grep -qs ready out
for n in 1 2; do
	runs 100
	kill -USR2 $prec
	await 60 eval '[ "$(ls data.20* 2>/dev/null | wc -l)" = '$n' ]'
done
runs 100
kill $prec
ended $prec
files=(data.20*)
expect 'files' 3 ${#files[@]}
check "${files[@]}"
for f in "${files[@]}"; do
	n=$(samples "$f")
	[ "$n" -gt 20 ] && [ "$n" -lt 200 ] || fail "$n samples of rings of a page"
done
"$PREC" record -q -e cpu-clock:u --timestamp-filename -o data true
ls data.2* >/dev/null || fail 'no name with a time'
perf_agrees data.2*
expect_status 129 "$PREC" record --switch-output=never true 2>err
expect_status 129 "$PREC" record --switch-output -o - true 2>err >stream
