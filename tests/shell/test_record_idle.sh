#!/bin/bash
# Nothing to record wakes nobody: a recording of a dummy event sleeps until its command ends, then writes at once.
. "$(dirname "$0")/lib/prec.sh"
need strace
need_events
strace -e trace=epoll_wait,write,writev -o trace "$PREC" record -e dummy -o data sleep 0.5 2>err
grep -q 'Woken up 0 times' err || fail "woken: $(cat err)"
expect 'times that it waited' 1 "$(grep -c epoll_wait trace)"
