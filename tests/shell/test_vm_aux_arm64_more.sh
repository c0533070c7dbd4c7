#!/bin/bash
# On arm64 what is hard for a recorder of trace works, too: full areas, another user, samples, signals in masses, a kill, a full disk.
# Runs: long arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
. "$SRC/tests/shell/lib/aux.sh"
need_vm arm64
need_cross

in_vm --arch arm64 --pmu name=cs_etm <<'EOS'
etm=(-a -e cs_etm// -m 64,8)
# The area is full on each CPU, more than once.
pmu chunk=20001;	until_has 2 truncated 2 truncated "${etm[@]}"
pmu chunk=4096 paced=1
"$PREC" record -o second.data -a -e cycles -e cs_etm// -m 64,8 -- sleep 2 >second.said 2>&1; echo $? >second.status
keep second
pmu chunk=100
begin hog "${etm[@]}"
await has 2 bytes 1
"$PREC" record -o busy.data --per-thread -e cs_etm//u true >busy.said 2>&1; echo $? >busy.status
end hog
pmu chunk=333
until_has 2 bytes 40000 sampled -a --aux-sample=1024 -e '{cs_etm//,cpu-clock}' -c 10000000 -m 64,4
# Signals from the program's first moment to its end.
pmu chunk=3001
"$PREC" record -e cs_etm//u -S -a -m 64,8 -o loop.data sleep 3 >loop.said 2>&1 &
recorder=$!
until held $recorder || [ ! -e /proc/$recorder ]; do :; done
"$PREC" script -D -i loop.data 2>/dev/null | grep -ac 'PERF_RECORD_AUXTRACE size' >loop.before
while kill -USR2 $recorder 2>/dev/null; do read -rt 1 -u 8; done
wait $recorder; echo $? >loop.status
keep loop
pmu chunk=3001
begin storm "${etm[@]}" -S
await has 2 bytes 1
for ((i = 0; i < 1000; i++)); do kill -USR2 $recorder; done
end storm
pmu chunk=3001; rec last "${etm[@]}" -S bash -c 'kill -USR2 $PPID'
pmu chunk=65536 limit=100000; killed_in_snapshot "${etm[@]}" -S
full_disk -a -e cs_etm//
EOS
in_vm --arch arm64 --pmu 'name=arm_spe_0 split=1' <<'EOS'
both=(-a -e arm_spe_0// -e arm_spe_1// -m 64,8)
pmu chunk=4099 paced=1 skip=31;	full both 2 60001 "${both[@]}"
pmu chunk=8191;			walk both_snap 2 '1003 40000 131100' -S "${both[@]}"
pmu chunk=4099 paced=1;		full one 1 60001 -a -e arm_spe_1// -m 64,8
echo $(cat /sys/bus/event_source/devices/arm_spe_[01]/type) >types
cat /sys/devices/system/cpu/cpu*/regs/identification/midr_el1 >midr
pmu chunk=4099 paced=1 flags=8;	full collided 2 60001 "${both[@]}"
EOS

for name in truncated hog storm last both one collided; do
	expect "$name: status" 0 "$(cat $name.status)"
done
check_trace truncated
check_trace second
expect "second: status" 0 "$(cat second.status)"
check_trace hog
grep -q 'cannot open .*cs_etm' busy.said && grep -q 'another' busy.said || fail "busy: $(cat busy.said)"
check_trace sampled
for name in loop storm last; do
	check_trace $name --area 32768
	expect "$name: both CPUs" "0 1" "$(awk '/snapshot/ { print $2 }' $name.trace | sort -u | xargs)"
done
expect "loop: status, trace before the first signal" "0 0" "$(cat loop.status loop.before | xargs)"
check_killed
check_full_disk

for name in both one collided; do
	check_trace $name
done
check_trace both_snap --area 32768 --steps both_snap.steps
expect "one: of CPU 1 alone" "cpu 1" "$(awk '{ print $1, $2 }' one.trace)"
read -r first second <types
{
	le 16 2; le 16 4; le 16 "$first"; le 16 2
	for cpu in 0 1; do
		le 16 0x1010101010101010; le 16 $cpu; le 16 4; le 16 "$(sed -n $((cpu + 1))p midr)"
		[ $cpu = 0 ] && le 16 "$first" || le 16 "$second"
		le 16 1024; le 16 0
	done
} >want
info_words both | tr -d ' \n' >got
expect_same "each CPU with its own PMU" want got
expect_finding trace-collisions collided.said
expect_kept collided.data collided.said
