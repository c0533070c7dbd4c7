#!/bin/bash
# Every system call of the start may fail: recording does without, or ends with a reason and leaves no process behind.
. "$(dirname "$0")/lib/prec.sh"
need strace
# Leaks cannot be looked for under strace.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
need_events
# Under a name of its own: whether it is still there is asked of the whole machine.
cp "$(workload faults)" touch_100
inject() {	# WANT-STATUS CALL ERROR WHEN OPTIONS...
	local want=$1 call=$2 error=$3 when=$4 status=0
	shift 4
	what="$call: $error, when=$when, $*"
	rm -f data
	timeout -s KILL 60 strace -e "trace=$call" -e signal=none -e "inject=$call:error=$error:when=$when" -o trace \
		"$PREC" record -e page-faults:u -c 1 -o data "$@" ./touch_100 100 >/dev/null 2>err ||
		status=$?
	grep -q INJECTED trace || return 3
	[ $status = "$want" ] || { cat err; fail "$what: want status $want, got $status"; }
	[ $status = 0 ] || grep -q '^prec: ' err || { cat err; fail "$what: no reason"; }
	[ $status != 0 ] || expect "$what: samples" 100 "$("$PREC" script -i data -F ip,sym | grep -c touch_pages)"
}
says() { grep -q -- "$1" err || { cat err; fail "$what: does not say: $1"; }; }
silent() { ! grep -q "$1" err || { cat err; fail "$what: says: $1"; }; }
calls() {	# CALL OPTION...: those of a recording, one a line
	command strace -e "trace=$1" -e signal=none -o /dev/stdout "$PREC" record -e page-faults:u -o data "${@:2}" true 2>err
}
# A sanitizer maps memory of its own in between, each time elsewhere.
memory=(EPERM ENOMEM) other=(EINVAL EACCES ENODEV EAGAIN)
! sanitized || memory=() other=()
page=$(getconf PAGESIZE)
# Which call is the first that maps a ring; of the bytes that are given.
ring_call() {	# BYTES OPTION...
	calls mmap "${@:2}" >trace
	grep -nE "^mmap\(NULL, $(($1 + page)), .*MAP_SHARED, [0-9]" trace | sed 's/:.*//;q' | grep . || { cat trace >&2; fail 'no ring is mapped'; }
}
# Those that are there in the end, one for each CPU, are all of the size that was said.
rings_are() {	# KIB
	sed '1,/INJECTED/d; /INJECTED/d' trace | sed -nE 's/^mmap\(NULL, ([0-9]+), .*MAP_SHARED, [0-9].* = 0x.*/\1/p' >sizes
	expect "$what: bytes of rings" "$(($1 * 1024 + page))" "$(sort -u sizes)"
	expect "$what: rings" "$(getconf _NPROCESSORS_ONLN)" "$(grep -c . sizes)"
}
asked=$((64 * page / 1024))
first=$(ring_call $((asked * 1024)) -m 64)
maps=$(ring_call $((128 * 1024)) -m 64)
alone=$(ring_call $((asked * 1024)) -N -m 64)
[ "$maps" -gt "$first" ] || fail 'maps have their rings before samples have'

# Rings: less memory is tried, and it is said; what has nothing to do with memory is not tried again. Those of maps go first, whichever
# it was that could not be mapped: samples have what was asked for.
for error in ${memory[@]+"${memory[@]}"}; do
	for when in "$first" "$maps"; do
		inject 0 mmap $error "$when" -v -m 64
		says 'no rings for the side band'
		silent 'rings of [0-9]* KiB, not'
		rings_are $asked
	done
	inject 0 mmap $error "$first..$((first + 1))" -m 64
	says "rings of $((asked / 2)) KiB, not $asked"
	rings_are $((asked / 2))
	inject 0 mmap $error "$first..$((first + 3))" -m 64
	says "rings of $((asked / 8)) KiB, not $asked"
	rings_are $((asked / 8))
	inject 0 mmap $error "$alone" -N -m 64
	says "rings of $((asked / 2)) KiB, not $asked"
	rings_are $((asked / 2))
	inject 0 mmap $error "$alone..$((alone + 2))" -N -m 64
	says "rings of $((asked / 8)) KiB, not $asked"
	rings_are $((asked / 8))
	inject 1 mmap $error "$first+" -m 64
	[ $error = ENOMEM ] || says "perf_event_mlock_kb and 'ulimit -l'"
done
for error in ${other[@]+"${other[@]}"}; do
	inject 1 mmap $error "$first"
	says 'cannot map the ring buffers'
done

# An older kernel refuses what it does not know: what is given up, newest first, is said where somebody asked for it.
opens() { inject "$1" perf_event_open EINVAL "$2" -k mono --all-cgroups --namespaces --switch-events; }
opens 0 1
! grep records err || fail "$what: says something"
opens 0 1..2
says 'cgroup records (Linux 5.7)'
opens 0 1..3
says 'the choice of a clock (Linux 4.1)'
! grep -v INJECTED trace | grep use_clockid=1 || fail "$what: a clock is still chosen"
opens 1 1..4
says 'the kernel refuses'
nr=$(calls perf_event_open | grep -c ^perf_event_open)
inject 0 perf_event_open EINVAL $((nr / 2 + 1))..$((nr / 2 + 5)) -k mono --namespaces --switch-events
says 'namespace records (Linux 4.12)'
! grep -v INJECTED trace | grep namespaces=1 || fail "$what: namespaces are still asked for"

# What each errno of perf_event_open(2) means to who reads it.
while read -r error words; do
	inject 1 perf_event_open "$error" 1+
	says "$words"
done <<ERRNOS
EACCES	allow it; a security module may refuse it
EPERM	allow it; a security module may refuse it
EMFILE	too many open files: the limit is
ENFILE	fs.file-max
ENOMEM	no memory
ENOSPC	debug registers
ENODEV	this kernel does not have the event
EOPNOTSUPP	this kernel does not have the event
ENOENT	this kernel does not have the event
ENXIO	this kernel does not have the event
ENOSYS	without perf events
E2BIG	too old
EBUSY	exclusively
ESRCH	does not exist
EINVAL	refuses the combination
EINTR	Interrupted
EIO	Input/output error
ERRNOS

# The rest of the start.
while read -r call error; do
	for when in 1 2; do
		inject 1 "$call" "$error" $when || break
	done
done <<CALLS
signalfd4	EMFILE
pipe2	ENFILE
clone	EAGAIN
epoll_ctl	ENOSPC
CALLS
inject 1 epoll_create1 EMFILE 1
inject 1 timerfd_create EMFILE 1 -D 100
inject 1 ioctl EINVAL "$(calls ioctl -N | grep -n SET_OUTPUT | sed 's/:.*//;q')" -N
says 'cannot share a ring buffer'

# Maps that cannot be waited for by a thread of their own: their rings are waited for with those of samples.
for failing in epoll_create1:error=EMFILE:when=2 epoll_create1:error=EMFILE:when=3 epoll_ctl:error=ENOSPC:when="$(calls epoll_ctl | grep -c CTL_ADD)"; do
	what=$failing
	command strace -e trace=mmap,epoll_create1,epoll_ctl -e signal=none -e "inject=$failing" -o trace \
		"$PREC" record -v -e page-faults:u -c 1 -o data ./touch_100 100 >/dev/null 2>err || fail "$what: $(cat err)"
	if grep -q INJECTED trace; then says 'maps are not looked at as they come'; else silent 'maps are not looked at as they come'; fi
	waited=$(sed -nE 's/^epoll_ctl\([0-9]+, EPOLL_CTL_ADD, ([0-9]+), .* = 0$/\1/p' trace | sort -u)
	rings=$(sed -nE 's/^mmap\(NULL, .*MAP_SHARED, ([0-9]+), 0\) = 0x.*/\1/p' trace | sort -u)
	[ "$(wc -l <<<"$rings")" -gt "$(getconf _NPROCESSORS_ONLN)" ] || part_skipped "$what: no rings for maps here"
	expect "$what: rings that nobody waits for" '' "$(comm -13 <(echo "$waited") <(echo "$rings"))"
	expect "$what: samples" 100 "$("$PREC" script -i data -F ip,sym | grep -c touch_pages)"
done

# A thread that vanishes between listing and opening is left out; the others are recorded.
"$(workload syscalls)" 100000000 3 >/dev/null & pid=$!
await 60 eval '[ $(ls /proc/$pid/task | wc -l) = 3 ]'
for when in 1 2 1..2; do
	rm -f data
	command strace -e trace=perf_event_open -e signal=none -e "inject=perf_event_open:error=ESRCH:when=$when" -o trace \
		"$PREC" record -q -e dummy:u -o data --per-thread -p $pid true 2>err || fail "a thread vanishes: $(cat err)"
	[ ! -s err ] || fail "a thread vanishes, and it is told: $(cat err)"
	"$PREC" script -i data >/dev/null
done
inject=perf_event_open:error=ESRCH:when=1+
expect_status 1 strace -e trace=perf_event_open -e signal=none -e inject=$inject -o trace "$PREC" record -o data -p $pid true 2>err
grep -q "does not exist" err || fail "all threads vanish: $(cat err)"
kill $pid
! pgrep -x touch_100 || fail 'a command was left running'
