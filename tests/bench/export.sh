# shellcheck shell=bash
# What exporting costs, beside the report of the same recording; folded stacks beside perf's text and a script that folds it.
# Rows for tests/bench/run.
beside() {	# NAME GOALS EXPORT-OPTIONS...
	local name=$1 goals=$2
	shift 2
	[[ $name = *$filter* ]] || return 0
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" "$name" "$goals" "$PREC export -q -i chain.data $*" "$PREC report -i chain.data --stdio" || status=1
}
smaller() {	# NAME FILE OTHER: how many times
	[[ $1 = *$filter* ]] || return 0
	awk -v name="$1" -v ours="$(stat -L -c %s "$2")" -v theirs="$(stat -L -c %s "$3")" -v goal="$4" 'BEGIN {
		printf "%-34s %-4s %-4s %10.2f %10.2f %8.2f %6s%s\n", name, "size", "MB", ours / 1e6, theirs / 1e6, theirs / ours, goal,
			theirs / ours < goal ? " missed" : "" }'
}
if make_data chain.data -m 8M -e cpu-clock -c 25000 -g "$SRC/tests/bench/run" --compile 20; then
	beside 'export html, beside report' cpu=0.67 -o out.html
	beside 'export parquet, beside report' cpu=0.67 -o out.parquet
	beside 'export folded, beside report' cpu=0.67 -o out.folded
	if [ -s out.html ] && [ -s out.parquet ]; then
		smaller 'html, beside the recording' out.html chain.data 10
		zstd -q -f chain.data -o chain.zst && smaller 'parquet, beside it compressed' out.parquet chain.zst 1
	fi
	if [ "$PERF" ] && [[ 'export folded, beside a script' = *$filter* ]]; then
		export PERF
		"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" 'export folded, beside a script' cpu=20 \
			"$PREC export -q -i chain.data -o out.folded" "$SRC/tests/bench/run --fold chain.data" || status=1
	fi
fi
