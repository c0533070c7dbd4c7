#!/bin/bash
# Nothing to record wakes nobody: a recording of a dummy event sleeps until its command ends, then writes at once.
. "$(dirname "$0")/lib/prec.sh"
need strace
# Leaks cannot be looked for under strace.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
need_events
strace -ttt -e trace=epoll_wait,write,writev -o trace "$PREC" record -e dummy -o data sleep 0.5 2>err
grep -q 'Woken up 0 times' err || fail "woken: $(cat err)"
# Its command's end shows twice: the event hangs up, and the child has ended. Where that took more than a second the file was
# brought up to date.
awk '/epoll_wait/ { n++ } NR == 1 { from = $1 } { to = $1 } END { exit !n || n > 2 + int(to - from) }' trace || fail "woken: $(cat trace)"
