# Tests for every view of a hardware trace. Sourced behind prec.sh.
# shellcheck shell=bash

# These letters and, with them, whatever else can be made of a trace.
TRACE_VIEWS=(b c r i i1i iq i3iqq i1il i1ig bx i7ie L G "cr,l8,g" y1i bqe i1ixwpeG)

# every_view FILE.data: script and report show it in each of TRACE_VIEWS, and two threads what one does.
every_view() {
	local view command jobs status
	for view in "${TRACE_VIEWS[@]}"; do
		for command in script "report --stdio"; do
			for jobs in 1 2; do
				status=0
				# shellcheck disable=SC2086
				"$PREC" $command -j$jobs --itrace="$view" -i "$1" >out.$jobs 2>messages || status=$?
				[ $status = 0 ] || fail "$command --itrace=$view ends with $status: $(<messages)"
			done
			expect_same "$command --itrace=$view by two threads" out.1 out.2
		done
	done
}

# made_traces GENERATOR EACH LEAST: t.data, of each EACHth trace that pt_events or cs_events knows, at least LEAST of them, and
# want, "TID IP" of all instructions; script shows just these.
made_traces() {
	"$(helper "trace/$1")" -r "$PWD/code" -e "$2" truth >made.txt
	"$(helper mkdata/mkdata)" made.txt t.data
	sort -s -n -k1,1 truth >want
	"$PREC" script --itrace=i1i -F tid,ip -i t.data 2>messages | awk '{ print $1, $2 }' | sort -s -n -k1,1 >got
	expect_same "instructions" want got
	traces=$(grep -c '^itrace_start' made.txt)
	[ "$traces" -ge "$3" ] || fail "only $traces traces"
}
