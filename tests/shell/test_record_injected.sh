#!/bin/bash
# Whatever perf_event_open(2) fails with, recording ends with a reason and without a file, or does without.
. "$(dirname "$0")/lib/prec.sh"
need strace
# Leaks cannot be looked for under strace, which not only the function runs here.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
need_events
for errno in EACCES EPERM ENOENT EMFILE ENFILE EBUSY EINVAL ENOSYS ENODEV EOPNOTSUPP ENOMEM ENOSPC E2BIG EINTR; do
	for when in 1+ 2 3 3+; do
		rm -f data
		status=0
		strace -f -o /dev/null -e trace=perf_event_open -e inject=perf_event_open:error=$errno:when=$when \
			"$PREC" record -e cpu-clock:u,page-faults:u -o data true 2>err || status=$?
		case $status in
		0)	[ -s data ] || fail "$errno, $when: no file";;
		1)	grep -q '^prec: cannot' err || { cat err; fail "$errno, $when: no reason"; }
			[ ! -e data ] || fail "$errno, $when: a file";;
		*)	cat err; fail "$errno, $when: status $status";;
		esac
		[ $when != 1+ ] || [ $status = 1 ] || fail "$errno: recorded without events"
	done
done
# The system calls of the loop, interrupted or failing now and then.
for call in epoll_wait writev pwrite64; do
	strace -o /dev/null -e trace=$call -e inject=$call:error=EINTR:when=2+3 \
		"$PREC" record -q -e cpu-clock:u -c 100000 -m 1 -o data "$(workload spin)" -1 300 >/dev/null 2>err ||
		{ cat err; fail "EINTR of $call"; }
	"$PREC" script -i data >text
	[ "$(wc -l <text)" -gt 100 ] || fail "EINTR of $call: $(wc -l <text) samples"
done
# Interrupted for ever, it ends all the same: by itself, or when it is told to.
libraries=$(strace -e trace=read -o /dev/stdout "$PREC" record -e dummy -o data true 2>/dev/null | grep -c ELF)
for call in "read $((libraries + 2))" "writev 1" "pwrite64 1"; do
	read -r call first <<<"$call"
	[ "$call" != read ] || ! sanitized || continue
	status=0
	timeout -s KILL 60 strace -o /dev/null -e trace=$call -e inject=$call:error=EINTR:when=$first+ \
		"$PREC" record -q -e cpu-clock:u -o data "$(workload spin)" -1 50 >/dev/null 2>err || status=$?
	[ $status = 1 ] || { cat err; fail "EINTR of $call for ever: status $status"; }
done
mkfifo ready
env strace -o /dev/null -e trace=epoll_wait -e inject=epoll_wait:error=EINTR \
	"$PREC" record -q -e cpu-clock:u -o data "$(workload spin)" -1 0 >ready 2>err & tracer=$!
read -r _ <ready
kill "$(pgrep -P $tracer)"
wait $tracer || true
[ "$("$PREC" script -i data | wc -l)" -gt 0 ] || fail 'EINTR of epoll_wait for ever: no samples'

expect_status 1 strace -o /dev/null -e trace=writev -e inject=writev:error=EIO:when=1 \
	"$PREC" record -e cpu-clock:u -o data true 2>err
grep -q 'Input/output error' err || fail 'a failing write is not told'
for output in . /proc/prec /dev/full; do
	expect_status 1 "$PREC" record -e cpu-clock:u -o $output true 2>err
	grep -q "$output" err || fail "$output: no reason"
done
