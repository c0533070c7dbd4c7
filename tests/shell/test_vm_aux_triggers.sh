#!/bin/bash
# A snapshot of hardware trace by a trigger is exactly the newest bytes since the last one.
# Runs: long vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm x86_64

in_vm --pmu name=intel_pt <<'EOS'
cp "$BUILD/tests/work/sequence" .
by=trigger
pmu
walk trigger 2 '4000 9000 32768 40000 65536 98305 131100 300000' -a -e intel_pt// -m 64,8 -S '--on=u:./sequence:fire%return'
pmu head=2
walk free 2 '4000 30000 100000' -a -e intel_pt// -m 64,8 -S --on=u:./sequence:fire

# Of one only, with which the recording ends, not its command.
pmu limit=50000
rec once -a -e intel_pt// -m 64,8 -S --once --on=u:./sequence:fire bash -c 'until has 2 bytes 50000; do :; done
	tail -n +$((told + 1)) $debug/streams >once.steps
	taskset -c 0 ./sequence 1 fire 1 >sequence.said
	until grep -q "1 trigger seen" once.said; do :; done
	echo on >went_on; exit 3'

# While a snapshot is saved there is no trace: what is triggered then is missed. Many in a row: each is one or the other.
pmu limit=50000
rec many -a -e intel_pt// -m 64,8 -S --on=u:./sequence:fire bash -c 'until has 2 bytes 50000; do :; done
	taskset -c 0 ./sequence 1000 $(for ((i = 1; i <= 1000; i++)); do echo fire $i; done) >sequence.said'
"$PREC" report -i many.data --header-only >many.header 2>&1
EOS

check_trace trigger --area 32768 --steps trigger.steps
grep -q '8 triggers seen, 8 dumped, 0 missed' trigger.said || fail "the closing lines: $(<trigger.said)"
check_trace free --area 32768 --steps free.steps
grep -q '3 triggers seen, 3 dumped, 0 missed' free.said || fail "the closing lines: $(<free.said)"

check_trace once --area 32768 --steps once.steps
expect 'status of the command, which went on' '3 on' "$(<once.status) $(<went_on)"
grep -q '1 trigger seen, 1 dumped, 0 missed' once.said || fail "the closing lines: $(<once.said)"

read -r dumped missed <<<"$(sed -nE 's/.*1000 triggers seen, ([0-9]+) dumped, ([0-9]+) missed.*/\1 \2/p' many.said)"
expect "of many triggers ($(<many.said))" 1000 $((dumped + missed))
[ "$dumped" -ge 1 ] || fail 'none of many triggers was dumped'
grep -q "^# triggers : 1000 seen, $dumped dumped, $missed missed" many.header || fail "the header: $(grep trigger many.header)"
expect 'dumps in the header' "$dumped" "$(grep -c '^# dump for : u:./sequence:fire of thread' many.header)"
