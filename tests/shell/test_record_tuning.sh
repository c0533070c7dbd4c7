#!/bin/bash
# The options that tune how rings are emptied and processes described do what the manual says, and perf reads the file.
. "$(dirname "$0")/lib/prec.sh"
need_root
need strace
need_tracepoints
# A shell that does what it is told, line by line: each cd is a hit, which nothing else of it makes.
mkfifo orders
bash orders & shell=$!
exec 9>orders
cd_of_shell() { echo 'cd /' >&9; }
hits() { any_status "$PREC" script -i data -F time 2>/dev/null | wc -l; }
record_shell() {	# OPTION...
	rm -f data
	exec "$PREC" record -e syscalls:sys_enter_chdir -p $shell -o data --control fd:7,8 "$@" 7<>in 8<>out 2>err & prec=$!
	echo ping >in
	read -r _ <out
}
mkfifo in out
exec 5<>in 6<>out

# What was recorded is in the file before anybody asks for it: nothing fills a ring here, and nothing ends.
record_shell
for n in 1 2; do
	cd_of_shell
	await 60 eval '[ "$(hits)" = '$n' ]'
done
kill -KILL $prec
ended $prec
expect 'hits in a file whose recorder was killed' 2 "$(hits)"

# Each record wakes the recorder, and only then.
record_shell --no-buffering
for n in 1 2 3 4 5; do
	cd_of_shell
	await 60 eval '[ "$(hits)" = '$n' ]'
done
kill $prec
wait $prec
woken=$(sed -nE 's/.*Woken up ([0-9]+) times.*/\1/p' err)
[ "$woken" -ge 5 ] || fail "--no-buffering: woken up $woken times for 5 hits"
perf_agrees data
record_shell
cd_of_shell
await 60 eval '[ "$(hits)" = 1 ]'
kill $prec
wait $prec
grep -q 'Woken up 0 times' err || { cat err; fail 'woken up for one hit'; }

# A new file for each hit of an event that is in none of them.
rm -f data*
record_shell -e page-faults:u -c 1 --switch-output-event=syscalls:sys_enter_fchdir
cd_of_shell
expect 'files after a hit of another event' 0 "$(find . -name 'data.20*' | wc -l)"
kill $prec
wait $prec
rm -f data*
exec "$PREC" record -q -e page-faults:u -c 1 --switch-output-event=syscalls:sys_enter_chdir -p $shell -o data \
	--control fd:7,8 7<>in 8<>out 2>err & prec=$!
echo ping >in
read -r _ <out
for n in 1 2 3; do
	cd_of_shell
	await 60 eval '[ "$(ls data.20* 2>/dev/null | wc -l)" = '$n' ]'
done
kill $prec
wait $prec
for f in data.20*; do
	! "$PREC" report -i "$f" --header-only | grep -vE 'cmdline|^# dump for ' | grep -q chdir || fail 'the event that switches is recorded'
done
perf_agrees data.20*
rm -f data*
"$PREC" record -q -e page-faults:u -c 1 --overwrite --switch-output-event=syscalls:sys_enter_chdir -o data \
	bash -c 'cd /; until compgen -G "$0/data.20*"; do :; done' "$PWD" >/dev/null 2>err
[ "$(find . -name 'data.20*' | wc -l)" -ge 2 ] || fail 'a command does not switch files'
perf_agrees data.20*
kill $shell

# Beside each ring.
cpus=$(getconf _NPROCESSORS_ONLN)
strace -e trace=sched_setaffinity -o trace "$PREC" record -q -a -e cpu-clock --affinity=cpu -o data sleep 0.2
expect '--affinity=cpu' "$cpus" "$(sed -nE 's/^sched_setaffinity\(0, [0-9]+, (\[[0-9]+\])\) .*/\1/p' trace | sort -u | wc -l)"
perf_agrees data
if [ -e /sys/devices/system/node/node0/cpulist ]; then
	strace -e trace=sched_setaffinity -o trace "$PREC" record -q -a -e cpu-clock --affinity=node -o data sleep 0.2
	grep -q 'sched_setaffinity(0, ' trace || fail '--affinity=node does not move'
	perf_agrees data
fi
expect_status 129 "$PREC" record --affinity=socket true 2>err
expect_status 129 "$PREC" record --affinity=cpu --threads -o dir true 2>err

# Pieces of a CPU are as long as --mmap-flush says, but one a second and the last. All but CPU 0 have few hits, those of shells
# that begin, too.
if taskset -c 0 true && taskset -c 1 true; then
	short() {	# OPTION...: pieces of less than 1000 samples, of more than 70 bytes each
		"$PREC" record -q -e syscalls:sys_enter_getppid -a -m 512K -o data "$@" -- bash -c \
			"(trap 'exit 0' TERM; while :; do taskset -c 1 $(workload syscalls) 10; done) &
			 taskset -c 0 $(workload syscalls) 300000; kill \$!" >/dev/null
		"$PREC" script -i data --dump-unsorted-raw-trace | awk '/PERF_RECORD_SAMPLE/ {
			if ($1 != cpu) { if (n && n < 1000) short++; n = 0; cpu = $1 }
			n++
		} END { print short + 0 }'
	}
	before=$SECONDS
	flushed=$(short --mmap-flush=128K)
	[ "$flushed" -le $(((SECONDS - before + 4) * (cpus - 1))) ] || fail "--mmap-flush: $flushed short pieces in $((SECONDS - before)) s"
	perf_agrees data
	plain=$(short)
	[ "$plain" -gt "$flushed" ] || echo "the machine is too busy: $plain short pieces without --mmap-flush, $flushed with"
fi
"$PREC" record -e dummy --mmap-flush=1G -o data true 2>err
grep -q 'a quarter of a ring' err || fail 'takes a --mmap-flush of more than a ring'
expect_status 129 "$PREC" record --mmap-flush=x true 2>err

# Rings are as large as the rate of samples asks for, unless their size is given.
ring_bytes() {	# CONFIG OPTION...: of the rings that events with that config lead
	strace -e trace=mmap,perf_event_open -o trace "$PREC" record -a -e cpu-clock -o data "${@:2}" true 2>err
	awk -v config="config=$1" '/^perf_event_open/ { leads[$NF] = index($0, config ",") }
		/^mmap\(.*MAP_SHARED, [0-9]+, 0\) = 0x/ && leads[$5 + 0] { print $2 + 0 }' trace | sort -un
}
sampled=PERF_COUNT_SW_CPU_CLOCK side_band=PERF_COUNT_SW_DUMMY
page=$(getconf PAGESIZE)
expect 'bytes of a ring' $((512 * 1024 + page)) "$(ring_bytes $sampled)"
want=$(ring_bytes $sampled -F max)
rate=$(sed -nE 's/.*sampling ([0-9]+) times a second, the most.*/\1/p' err)
for ((bytes = 512 * 1024; bytes < rate * 32 && bytes < 4 << 20; bytes *= 2)); do :; done
[ $((bytes * $(getconf _NPROCESSORS_ONLN))) -le $((256 << 20)) ] || bytes=$((512 * 1024))
expect "bytes of a ring for $rate samples a second" $((bytes + page)) "$want"
for bytes in 64 1024; do
	expect 'bytes of a ring, as given' $((bytes * 1024 + page)) "$(ring_bytes $sampled -F max -m ${bytes}K)"
	expect 'bytes of a ring of maps' $((128 * 1024 + page)) "$(ring_bytes $side_band -F max -m ${bytes}K)"
done
expect 'bytes of a ring, without rings of maps' $((64 * 1024 + page)) "$(ring_bytes $sampled -N -m 64K)"
expect 'rings of maps where none are looked at' '' "$(ring_bytes $side_band -N -m 64K)"

# Threads that describe what is there.
cp "$(command -v sleep)" dozer
for ((i = 0; i < 40; i++)); do
	./dozer 1000 &
	sleepers+=($!)
done
dozing() {	# as many as have mapped their program
	local pid
	for pid in "${sleepers[@]}"; do
		cat "/proc/$pid/maps"
	done | grep -c 'r-xp.*/dozer$' || true
}
await 60 eval '[ "$(dozing)" = 40 ]'
described() { any_status "$PREC" script -i data --show-task-events --show-mmap-events 2>/dev/null | grep -c 'dozer .*MMAP2.*dozer$' || true; }
"$PREC" record -q -a -e dummy -o data true
one=$(described)
strace -f -e trace=clone,clone3 -o trace "$PREC" record -q -N -a -e dummy --num-thread-synthesize=3 -o data true
expect 'threads' 2 "$(grep -c 'CLONE_THREAD.* = [0-9]' trace)"
[ "$one" -ge 40 ] || fail "$one maps of 40 processes"
expect 'maps of what is there' "$one" "$(described)"
perf_counts data COMM MMAP2
kill "${sleepers[@]}"

# Maps that take too long to read.
"$(workload maps)" 1000 >out2 & maps=$!
await 60 grep -qs ready out2
anon() { "$PREC" script -i data --show-mmap-events | grep -c 'MMAP2.*//anon' || true; }
"$PREC" record -q -e dummy -p $maps -o data true
expect 'maps' 1000 "$(anon)"
"$PREC" record -e dummy -p $maps --proc-map-timeout=0 -o data true 2>err
[ "$(anon)" -lt 1000 ] || fail '--proc-map-timeout=0 has all maps'
expect_finding cut-maps err "the maps of 1 process could not be read in time: some are missing, of $maps"
expect_kept data err
"$PREC" report -i data >out 2>err
expect_finding cut-maps err "the maps of 1 process could not be read in time: some are missing"
perf_counts data MMAP2
kill $maps
"$PREC" record -q --running-time -e cpu-clock -e '{cpu-clock,page-faults}:S' -o data true
expect '--running-time' 3 "$("$PREC" report -i data --header-only | grep -c 'TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING')"
perf_agrees data
"$PREC" record -q --aio=4 -e cpu-clock -o data true
perf_agrees data
expect_status 129 "$PREC" record --aio=x true 2>err
