#!/bin/bash
# A CPU that goes offline while it is watched, and comes back, ends nothing: what is missed there is said.
# Runs: long vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm
workload faults >/dev/null
in_vm <<'EOS'
cpu() { echo "$2" >/sys/devices/system/cpu/cpu$1/online; }
# run NAME OPTIONS...: record until a script of commands is over.
run() {
	local name=$1 status=0
	shift
	timeout 60 "$PREC" record -o $name.data "$@" sh -c "$script" >/dev/null 2>$name.said || status=$?
	echo $status >$name.status
	"$PREC" script -i $name.data -F comm,ip,sym >$name.text 2>$name.err
	cpu 1 1
}
off=/sys/devices/system/cpu
faults="taskset -c 0 $BUILD/tests/work/faults 2000"
script="$faults; echo 0 >$off/cpu1/online; $faults"
run off -a -e page-faults:u -c 1
script="$faults; echo 0 >$off/cpu1/online; $faults; echo 1 >$off/cpu1/online; taskset -c 1 $BUILD/tests/work/faults 2000"
run back -a -e page-faults:u -c 1
run listed -C 0 -e page-faults:u -c 1
run listed_1 -C 1 -e page-faults:u -c 1
cpu 1 0
script="echo 1 >$off/cpu1/online; $faults"
run new -a -e page-faults:u -c 1
# A command's own events go where it goes.
script="$faults; echo 0 >$off/cpu1/online; $faults; echo 1 >$off/cpu1/online; taskset -c 1 $BUILD/tests/work/faults 2000"
run command -e page-faults:u -c 1
sleep 100 & pid=$!
script="echo 0 >$off/cpu1/online; echo 1 >$off/cpu1/online; $faults"
run other -p $pid -e page-faults:u -c 1
script="echo 0 >$off/cpu1/online; $faults"
run overwrite -a --overwrite -e page-faults:u -c 1
run switched -a --switch-output=1M -e page-faults:u -c 1
EOS
touched() { grep -c ' touch_pages' "$1.text" || true; }
says() { grep -q "$2" "$1.said" || { cat "$1.said"; fail "$1: does not say: $2"; }; }
for name in off back listed listed_1 new command other overwrite; do
	expect "$name: status" 0 "$(cat $name.status)"
	# A reader says again what the recorder said of CPUs, and nothing else.
	awk '/\[cpu-(off|on)line\]$/ { hint = 1; next } hint && /^ / { next } { hint = 0; print }' $name.err >$name.more
	[ ! -s $name.more ] || fail "$name: $(cat $name.more)"
done
says off 'warning: CPU 1 went offline'
expect 'samples of what goes on elsewhere' 4000 "$(touched off)"
says back 'warning: CPU 1 went offline: from then on nothing was recorded there.* \[cpu-offline\]'
expect 'samples of all but what runs on the CPU that came back' 4000 "$(touched back)"
expect 'what is said of a CPU' 1 "$(grep -c 'CPU 1' back.said)"
! grep 'CPU [0-9]' listed.said || fail 'a CPU that is not watched is spoken of'
expect 'samples of the CPUs of -C' 4000 "$(touched listed)"
says listed_1 'warning: CPU 1 went offline'
says new 'warning: CPU 1 came online: nothing was recorded there \[cpu-online\]'
! grep 'CPU 1' command.said || fail 'a command does not care'
expect 'samples of a command' 6000 "$(touched command)"
! grep 'CPU 1' other.said || fail 'a process does not care'
