#!/bin/bash
# With -C, a program that maps its files on another CPU and then moves here is known by its name and symbols.
. "$(dirname "$0")/lib/prec.sh"
need taskset
need_events all
need_cpus 0 1
# shellcheck disable=SC2016
"$PREC" record -q -e cpu-clock:u -C 0 -o data taskset -c 1 "$(workload spin)" 0 200 >/dev/null
"$PREC" script -i data -F comm,cpu,ip,sym >text
[ "$(grep -c 'spin *\[000\].*spin' text)" -gt 100 ] || { sort text | uniq -c | sort -rn | head; fail 'samples of spin'; }
! grep -q '\[001\]' text || fail 'samples of another CPU'
