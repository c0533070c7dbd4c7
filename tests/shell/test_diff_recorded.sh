#!/bin/bash
# The intervals of prec diff hold the known differences of 200 recordings of each of two programs as often as they say.
# Runs: long alone
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/differences.sh"
need jq
need_events
RUNS=${DIFF_RUNS:-200}
DIFF_OPTIONS=
costs=$(workload costs)
for i in $(seq "$RUNS"); do
	"$PREC" record -q -N -F 4000 -e cpu-clock:u -o "a$i" "$costs" 3000 >"a$i.out"
	"$PREC" record -q -N -F 4000 -e cpu-clock:u -o "b$i" "$costs" 3000 f=5 g=-3 >"b$i.out"
done 2>err || fail "cannot record: $(tail -3 err)"
groups 100 "$RUNS" | judge_groups
pairs "$RUNS" | judge_pairs
