#!/bin/bash
# A tracepoint is a sample a hit: N system calls are N samples, and with a filter exactly those that match.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_tracepoints
# Under a name of its own: others call getppid(2), too.
cp "$(workload syscalls)" asks
SYSCALLS=$PWD/asks
# On one CPU: each has a counter of its own, which keeps what is left of a period.
run=(taskset -c "$(one_cpu)")
# The number of getppid(2).
case $(uname -m) in
x86_64)		GETPPID=110;;
aarch64)	GETPPID=173;;
*)		skip "the number of getppid(2) is not known here";;
esac

hits() {	# WANT OPTIONS...: so many samples with these options
	local want=$1 got
	shift
	"${run[@]}" "$PREC" record -q -o data "$@" -- "$SYSCALLS" 1000 >/dev/null
	got=$("$PREC" script -i data -c asks -F event | wc -l)
	expect "samples of: $*" "$want" "$got"
}

hits 1000 -e syscalls:sys_enter_getppid
hits 2000 -e 'syscalls:sys_*_getppid'
hits 1000 -e raw_syscalls:sys_enter --filter "id == $GETPPID"
hits 1000 -e raw_syscalls:sys_exit --filter "id == $GETPPID"
hits 0 -e 'raw_syscalls:*' --filter "id == $GETPPID" --filter 'common_pid == 1'
hits 2000 -e 'raw_*:sys_e*' --filter "id == $GETPPID" --filter 'common_pid != 1'
hits 3000 -e syscalls:sys_enter_getppid -e 'raw_syscalls:*' --filter "id == $GETPPID"
hits 100 -e raw_syscalls:sys_enter -c 10 --filter "id == $GETPPID"
hits 1000 -e raw_syscalls:sys_enter:k --filter "id == $GETPPID"
hits 1000 -e raw_syscalls:sys_enter -a --filter "id == $GETPPID" --exclude-perf
hits 1000 -e raw_syscalls:sys_enter --per-thread --filter "id == $GETPPID"

# Without PERIOD a sample counts for the period asked for.
"${run[@]}" "$PREC" record -q -o data -e raw_syscalls:sys_enter -c 10 --filter "id == $GETPPID" -- "$SYSCALLS" 1000 >/dev/null
"$PREC" report -i data --stdio >text
grep -q 'Event count (approx.): 1000' text || fail "100 samples of 10 hits are not 1000"

# The rest is filtered by the kernel, not by us: nothing else is in the file.
[ "$("$PREC" script -D -i data | grep -c PERF_RECORD_SAMPLE)" = 100 ] || fail "the file has more samples"

# What is wrong is said.
refused() {	# TEXT OPTIONS...: exit status 1 or more and this text
	local text=$1
	shift
	! "$PREC" record -o data "$@" -- true 2>said || fail "it is not refused: $*"
	grep -qF -- "$text" said || fail "want '$text' for: $*: $(cat said)"
}

refused "the kernel refuses the filter 'foo == 3' of event 'sched:sched_switch': Field not found" \
	-e sched:sched_switch --filter 'foo == 3'
refused "the kernel refuses the filter 'prev_pid ==' of event" -e sched:sched_switch --filter 'prev_pid =='
refused "is expected at 'a == 1'" -e cpu-clock --filter 'a == 1'
refused "belongs after an -e that names tracepoints only" --filter 'a == 1' -e sched:sched_switch
refused "no tracepoint is called 'sched:no_such'" -e sched:no_such
refused "; did you mean sched:sched_switch" -e sched:sched_swich
refused "; did you mean sched:sched_switch" -e shced:sched_switch
refused "no tracepoint is called 'no_such:*'" -e 'no_such:*'
refused "at most three 'p'" -e sched:sched_switch:pppp
[ ! -d "$TRACEFS/instances/prec-$$" ] || fail "an instance is left"

"$PREC" record -o data -e sched:sched_switch -F 100 -- true 2>said
grep -q "only some hits of tracepoints" said || fail "-F with a tracepoint is not explained"

# Where tracefs is not mounted it is said how to mount it; it is found in any place.
cat >nowhere <<'END'
umount -l /sys/kernel/tracing 2>/dev/null
umount -l /sys/kernel/debug 2>/dev/null
for event in sched:sched_switch 'sched:sched_*'; do
	status=0
	"$PREC" record -o data -e "$event" -- true 2>said || status=$?
	[ $status = 1 ] || { echo "$event: status $status, and it is no wrong usage: 1"; exit 1; }
done
grep -F "mount -t tracefs" said || exit 1
mkdir -p elsewhere && mount -t tracefs tracefs elsewhere || exit 1
"$PREC" record -q -o data -e raw_syscalls:sys_enter -- true && "$PREC" script -i data | grep -c 'NR '
END
if unshare -m true 2>/dev/null; then
	unshare -m bash nowhere >said.there || fail "tracefs elsewhere, or nowhere: $(cat said.there)"
fi

# Closing hundreds of tracepoints takes the kernel seconds; the recorder leaves that to another process and ends.
if command -v strace >/dev/null; then
	strace -f -qq -o calls -e trace=perf_event_open,close,clone,clone3,fork,vfork \
		"$PREC" record -q -o data -e 'sched:*,raw_syscalls:*' -a -- true
	awk 'NR == 1 { main = $1 }
		$1 != main { next }
		/ perf_event_open\(/ && $NF > 0 { open[$NF] }
		/ close\(/ { split($2, part, /[()]/); delete open[part[2]] }
		/ (clone3?|v?fork)\(/ { left = 0; for (fd in open) left++ }
		END { exit !(left > 30) }' calls || fail "the recorder closes its tracepoints itself"
fi
# And who reads its output is not kept waiting by that process: the stream ends with the recorder.
"$PREC" record -q -o - -e 'sched:*,raw_syscalls:*' -a -- true | "$PREC" script -i - >text
[ -s text ] || fail "a stream of thirty tracepoints prints nothing"
