#!/bin/bash
# Whatever the kernel's settings are, who has no privileges records what they allow, or learns which one forbids it.
# Runs: alone
. "$(dirname "$0")/lib/prec.sh"
need_root
need setpriv
need_events all
settings=(perf_event_paranoid kptr_restrict perf_event_mlock_kb perf_event_max_sample_rate perf_event_max_stack)
declare -A old
for s in "${settings[@]}"; do
	old[$s]=$(cat /proc/sys/kernel/$s 2>/dev/null) || skip "no kernel.$s"
done
write() { echo "$2" 2>/dev/null >"/proc/sys/kernel/$1"; }
# The depth of call chains cannot be changed while anybody on this machine has events with chains open, not even to what it is.
write_within() {	# SECONDS SETTING VALUE
	local end=$((SECONDS + $1))
	until write "$2" "$3"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}
set_to() {
	write_within 10 "$1" "$2" || skip "cannot set kernel.$1 to $2"
}
top=$(mktemp -d /tmp/prec-sysctls.XXXXXX)
restore() {
	for s in "${settings[@]}"; do
		[ "$(cat /proc/sys/kernel/$s)" = "${old[$s]}" ] || write_within 60 $s "${old[$s]}" ||
			{ echo "cannot set kernel.$s back to ${old[$s]}" >&2; status=1; }
	done
	rm -rf "$top"
}
at_end 'restore'
# The test's own directory is nobody's.
chmod 777 "$top"
cp "$PREC" "$top/prec"
cp "$(workload faults)" "$top/faults"
chmod 755 "$top"/*
cd "$top"
become=(setpriv --reuid 65534 --regid 65534 --clear-groups)
"${become[@]}" ./prec record -q -e dummy:u -o data true 2>err || { is_crash $? && fail "$(cat err)" || skip "nobody cannot record in /tmp: $(cat err)"; }

try() {	# WANT-STATUS OPTIONS...: record page faults, or other events, as nobody
	local want=$1 status=0
	shift
	rm -f data
	[[ " $* " = *' -e '* ]] || set -- -e page-faults "$@"
	"${become[@]}" ./prec record -o data "$@" >/dev/null 2>err || status=$?
	[ $status = "$want" ] || { cat err; fail "$what: want status $want, got $status: $*"; }
	[ $status = 0 ] || [ ! -e data ] || fail "$what: refused, and a file: $*"
}
says() { grep -q -- "$1" err || { cat err; fail "$what: does not say: $1"; }; }
silent() { ! grep -v '^\[ prec' err || fail "$what: has something to say"; }

# The kernel asks for the capability alone, so no value of perf_event_paranoid lets nobody have a probe.
no_probe() {	# EVENT OPTIONS...
	try 1 -e "$@"
	says "cannot open event '$1': a probe needs CAP_PERFMON (before Linux 5.8 CAP_SYS_ADMIN), whatever kernel.perf_event_paranoid is"
	! grep -q 'security module\|sysctl kernel' err || { cat err; fail "$what: false advice for $1"; }
}
probes() {
	if [ -e /sys/bus/event_source/devices/uprobe/type ]; then
		no_probe "u:$top/faults:touch_pages" ./faults 50
		no_probe "u:$top/faults:touch_pages" -a ./faults 50
	fi
	[ ! -e /sys/bus/event_source/devices/kprobe/type ] || no_probe kprobe:0xffffffff81000000 true
}
for paranoid in -1 0 1 2 3 4; do
	set_to perf_event_paranoid $paranoid
	what="perf_event_paranoid $paranoid"
	if [ $paranoid -le 1 ]; then
		try 0 ./faults 50
		silent
		try 0 -e page-faults:k true
	else
		# Where a kernel of Debian's refuses everything from 3 on.
		"${become[@]}" "$(workload opens)" 2>/dev/null || break
		try 0 ./faults 50
		says 'recording user space only'
		expect "$what: the event" page-faults:u "$("$PREC" script -i data -F event | tr -d ' ' | sort -u | sed 's/:$//')"
		try 1 -e page-faults:k true
		says "needs CAP_PERFMON or kernel.perf_event_paranoid of at most 1, and that is $paranoid"
		says "':u' after the event"
	fi
	probes
	try 0 -e page-faults:u true
	try 1 -p 1
	says "process 1 is another user's"
	for all in -a '-C 0'; do
		if [ $paranoid -le 0 ]; then
			# shellcheck disable=SC2086
			try 0 $all true
			silent
		else
			# shellcheck disable=SC2086
			try 1 $all true
			says "at most 0, and that is $paranoid; .*sysctl kernel.perf_event_paranoid=0"
		fi
	done
done

set_to perf_event_paranoid 1
for restrict in 0 1 2; do
	set_to kptr_restrict $restrict
	what="kptr_restrict $restrict"
	try 0 ./faults 50
	if [ $restrict = 0 ]; then
		silent
	else
		says "no names: .*kernel.kptr_restrict is $restrict"
		try 0 -e page-faults:u true
	fi
done
set_to kptr_restrict 0

# Whatever may be locked, the largest rings that do are taken, and it is said.
ulimit -l 0
for kb in 0 4 12 100 516 2000; do
	set_to perf_event_mlock_kb $kb
	what="perf_event_mlock_kb $kb"
	if [ $kb -lt 8 ]; then
		try 1 -e page-faults:u -m 1M ./faults 50
		says 'perf_event_mlock_kb'
		continue
	fi
	try 0 -e page-faults:u -c 1 -m 1M ./faults 50
	if [ $kb = 2000 ]; then silent; else says 'rings of [0-9]* KiB, not 1024: kernel.perf_event_mlock_kb'; fi
	"$PREC" report -i data --stdio 2>/dev/null | grep touch_pages >/dev/null || fail "$what: no samples"
done
set_to perf_event_mlock_kb "${old[perf_event_mlock_kb]}"

set_to perf_event_max_sample_rate 1000
what='perf_event_max_sample_rate 1000'
try 0 -e cpu-clock:u -F 5000 true
says 'sampling 1000 times a second, not 5000'
expect "$what: the rate" 1000 "$("$PREC" report -i data --header-only | sed -nE 's/.*name = cpu-clock:u.*sample_freq \} = ([0-9]+).*/\1/p')"
try 0 -e cpu-clock/freq=5000/u true
says "event 'cpu-clock/freq=5000/u': sampling 1000 times a second, not 5000"
try 0 -e cpu-clock:u -F max true
says 'sampling 1000 times a second, the most'
try 129 -e cpu-clock:u -F 5000 --strict-freq true
says 'cannot sample 5000 times'
try 129 -e cpu-clock/freq=5000/u --strict-freq true
says 'cannot sample 5000 times'
try 0 -e cpu-clock:u -F 1000 --strict-freq true
silent
set_to perf_event_max_sample_rate "${old[perf_event_max_sample_rate]}"

write_within 30 perf_event_max_stack 20 || { part_skipped 'perf_event_max_stack: others record call chains'; exit; }
what='perf_event_max_stack 20'
try 0 -e page-faults/max-stack=100/u -g true
says 'perf_event_max_stack allows no call chains as long'
try 0 -e page-faults/max-stack=20/u -g true
silent
