#!/bin/bash
# Every task of its CPUs is in a recording with -C, and none of others; with --per-thread only the command, there alone.
# Runs: alone
. "$(dirname "$0")/lib/prec.sh"
need_root
need_events all
need taskset
need_cpus 0 1

"$(workload spin)" 0 0 >here & here=$!
"$(workload spin)" 1 0 >there & there=$!
await 60 grep -q ready here
await 60 grep -q ready there

samples() {	# OF-PID [ON-CPU]
	"$PREC" script -i data -F pid,cpu | awk -v p="$1" -v c="[00${2-}]" '$1 == p && (c == "[00]" || $2 == c)' | wc -l
}

"$PREC" record -q -e cpu-clock -F 1000 -C 0 -o data taskset -c 1 "$(workload spin)" 1 300 >/dev/null
expect 'CPUs of -C 0' '[000]' "$("$PREC" script -i data -F cpu | tr -d ' ' | sort -u)"
[ "$(samples $here)" -gt 5 ] || fail "-C 0 has $(samples $here) samples of the spinner there"
expect 'samples of a task of CPU 1' 0 "$(samples $there)"

# The command alternates between the CPUs; the spinners beside it are nobody's business.
cat >moves <<'EOF'
for i in 1 2 3 4; do
	taskset -pc $((i % 2)) $$ >/dev/null
	n=0; while [ $n -lt 60000 ]; do n=$((n + 1)); done
done
EOF
"$PREC" record -q -e cpu-clock -F 1000 -C 0 --per-thread -o data sh moves
expect 'CPUs of -C 0 --per-thread' '[000]' "$("$PREC" script -i data -F cpu | tr -d ' ' | sort -u)"
expect 'tasks of -C 0 --per-thread' sh "$("$PREC" script -i data -F comm | tr -d ' ' | sort -u)"
expect 'samples of the spinner there' 0 "$(samples $here)"
kill $here $there
