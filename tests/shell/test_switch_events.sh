#!/bin/bash
# Two events of the recording switch on and off what script and report show, as in perf, in any number of jobs.
. "$(dirname "$0")/lib/prec.sh"

{
	cat <<'E2'
attr start type=software config=1 sample=IP,TID,TIME,CPU,ID,PERIOD sample_id_all ids=1
attr stop type=software config=2 sample=IP,TID,TIME,CPU,ID,PERIOD sample_id_all ids=2
attr work type=software config=0 sample=IP,TID,TIME,CPU,ID,PERIOD sample_id_all ids=3
feature arch=x86_64
comm 100/100 "one" t=1
E2
	# Out of order, as two rings leave them: what counts is time. Every seventh starts, every eleventh stops.
	for n in $(seq 1 400); do
		at=$((n % 2 ? n + 2 : n))
		event=work
		[ $((at % 7)) -ne 0 ] || event=start
		[ $((at % 11)) -ne 0 ] || event=stop
		echo "sample 100/100 t=$((at * 1000)) cpu=$((n % 2)) ip=$((0x400000 + at)) event=$event period=1"
	done
} >in.txt
"$(helper mkdata/mkdata)" in.txt in.data

# The addresses that should be left, by the rule of the man page: should ON OFF SHOW, "-" standing for no event.
should() {
	sed -n 's/^sample .* t=\([0-9]*\) .* ip=\([0-9]*\) event=\([a-z]*\) .*/\1 \2 \3/p' in.txt | sort -n |
		awk -v on="$1" -v off="$2" -v show="$3" 'BEGIN { shown = on == "-" } {
			switches = shown ? $3 == off : $3 == on
			if (switches ? show : shown)
				printf "%x\n", $2
			if (switches)
				shown = !shown
		}'
}

# shows ON OFF SHOW OPTIONS...
shows() {
	should "$1" "$2" "$3" >want
	shift 3
	for jobs in 1 2; do
		"$PREC" script -i in.data -F ip -j$jobs "$@" | tr -d ' ' >got
		expect_same "script $*" want got
	done
	expect "report $*" "$(wc -l <want)" "$("$PREC" report -i in.data -s comm -F sample,comm -t, "$@" 2>err |
		awk -F, '/^ *[0-9]+,one/ { n += $1 } END { print n + 0 }')"
}

[ "$(should start stop 0 | wc -l)" -gt 50 ] || fail "the test's own rule shows too little"
shows start stop 0 --switch-on start --switch-off stop
shows start stop 1 --switch-on start --switch-off stop --show-on-off-events
shows start - 0 --switch-on start
shows start - 1 --switch-on start --show-on-off-events
shows - stop 0 --switch-off stop
shows - stop 1 --switch-off stop --show-on-off-events
shows - - 0

if PERF=$(command -v perf); then
	for options in "--switch-on start --switch-off stop" "--switch-on start --switch-off stop --show-on-off-events" \
		"--switch-on start"; do
		# shellcheck disable=SC2086
		"$PERF" script -i in.data -F ip $options 2>err | tr -d ' ' >want
		# shellcheck disable=SC2086
		"$PREC" script -i in.data -F ip $options | tr -d ' ' >got
		[ -s want ] || fail "perf prints nothing: $(cat err)"
		expect_same "as perf: $options" want got
	done
fi

for command in script report; do
	expect_status 1 "$PREC" $command -i in.data --switch-on nothing >out 2>err
	grep -q "no event 'nothing'" err || fail "$command: $(cat err)"
done
