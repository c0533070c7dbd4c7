# shellcheck shell=bash
# What decoding CoreSight costs: 54.7 M instructions in 8.1 MB of trace. Rows for tests/bench/run.
trace=${PREC_TRACES:-}/cs/a3.data
if [ -e "$trace" ]; then
	row 'CoreSight, each 1000th instruction' cpu=8 script --itrace=i1000i -F ip -i "$trace"
	row 'CoreSight, branches' cpu=8 script --itrace=b -F ip,addr -i "$trace"
	row 'CoreSight, each instruction' cpu=6 script --itrace=i1i -F ip -i "$trace"
	row 'CoreSight, packets' cpu=8 script -D -i "$trace"
	for what in 'i1000i -F ip' 'b -F ip,addr' 'i1i -F ip'; do
		[[ "CoreSight, two threads" = *$filter* ]] || continue
		# shellcheck disable=SC2086
		"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" "CoreSight, two threads, ${what%% *}" wall=1.82 \
			"$PREC script -j2 -i $trace --itrace=$what" "$PREC script -j1 -i $trace --itrace=$what" || status=1
	done
else
	echo "skipped: PREC_TRACES has no cs/a3.data" >&2
fi
