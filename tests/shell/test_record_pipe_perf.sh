#!/bin/bash
# A recording goes through a pipe from prec to prec, from prec to perf and from perf to prec.
# Runs: alone, as the kernel leaves the mark of another recorder's build ids on maps, at which perf 6.1 aborts.
. "$(dirname "$0")/lib/prec.sh"
need_perf
need_events
# perf lets the command write into its pipe.
echo 'exec "$@" >/dev/null' >quiet
spin=(sh quiet "$(workload spin)" -1 200)
perfs=("$PERF")
! with_newperf || perfs+=("$PREC_PERF")
check() {	# WHAT: the report that wrote text
	grep 'spin .*\[\.\] spin' text >/dev/null || { head -20 text; fail "$1 does not show spin"; }
}
"$PREC" record -q -e cpu-clock:u -o - "${spin[@]}" | "$PREC" report -i - --stdio >text
check 'prec to prec'
"$PREC" record -q -z -e cpu-clock:u -o - "${spin[@]}" | "$PREC" report -i - --stdio >text
check 'prec -z to prec'
for perf in "${perfs[@]}"; do
	"$PREC" record -q -e cpu-clock:u -o - "${spin[@]}" | "$perf" report -i - --stdio >text 2>/dev/null
	check "prec to $perf"
	"$perf" record -e cpu-clock:u -o - "${spin[@]}" 2>/dev/null | "$PREC" report -i - --stdio >text
	check "$perf to prec"
done
# A reader that leaves ends the recording with a word, not with a signal.
status=0
command "$PREC" record -e cpu-clock:u -c 10000 -o - "$(workload spin)" -1 0 2>err | head -c 1000 >/dev/null || status=${PIPESTATUS[0]}
[ "$status" = 141 ] && ! grep -q 'Broken pipe' err && fail 'killed by SIGPIPE'
grep -q 'Broken pipe' err || { cat err; fail 'does not say why it ended'; }
