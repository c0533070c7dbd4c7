#!/bin/bash
# Programs that read perf's files, or call perf, show of prec's recordings what they show of perf's.
# Each one runs where it is installed. With CONSUMERS=all those that take long see all kinds of recordings, and perf, too, runs the
# command lines.
# Runs: alone, as Linux 6.18 gives samples of a software event the ids of another recorder's of the same event.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/firefox.sh"
need_perf
need_events all
newest=${PREC_PERF:-$PERF}
phases=$(workload phases)
compared=0

# recorded KIND PREC'S-OPTIONS PERF'S-OPTIONS: prec.KIND.data, perf.KIND.data.
recorded() {
	# shellcheck disable=SC2086
	"$PREC" record -q -o "prec.$1.data" $2 "$phases" >/dev/null 2>said || fail "record $2: $(cat said)"
	# shellcheck disable=SC2086
	"$newest" record -q -o "perf.$1.data" $3 "$phases" >/dev/null 2>said || fail "perf record $3: $(cat said)"
}

# ---- shares of functions, as each consumer shows them: lines "PERCENT NAME" ----

# Of lines "COUNT NAME", after one of the samples.
shares() {
	awk '$1 == "samples" { all = $2; next }
		$2 ~ /(^|[!;\/])(a_70|b_20|c_10)([\/ ].*)?$/ { sub(/.*!/, "", $2); sub("/.*", "", $2); nr[$2] += $1 }
		END { for (name in nr) printf "%.2f %s\n", 100 * nr[name] / all, name }' | sort -k2
}

same_shares() {	# CONSUMER KIND WANT GOT: files of them; speedscope weighs by time that passes, in which others run, too
	local within=2
	[ "$1" != speedscope ] || within=6
	expect "$1, $2: functions" "a_70 b_20 c_10" "$(awk '{ print $2 }' "$4" | paste -sd' ')"
	awk -v within=$within 'NR == FNR { want[$2] = $1; next }
		{ d = $1 - want[$2]; if (d > within || d < -within) print $2 ": " want[$2] " and " $1 }' \
		"$3" "$4" >apart
	[ ! -s apart ] || fail "$1, $2: shares of perf's recording, and of prec's: $(paste -sd, apart)"
	compared=$((compared + 1))
}

# both CONSUMER KIND: the function CONSUMER, called with WHO.KIND, prints the shares of perf's recording and of prec's.
both() {
	"$1" "perf.$2" >want.shares
	"$1" "prec.$2" >got.shares
	same_shares "$1" "$2" want.shares got.shares
}

# text_of WHO.KIND: what the recorder's own script prints of it, in WHO.KIND.txt.
text_of() {
	[ -s "$1.txt" ] || "bin.${1%.*}/perf" script -i "$1.data" >"$1.txt" 2>/dev/null </dev/null
}

bolt() {	# perf2bolt, which calls perf: that which recorded it
	PATH=$PWD/bin.${1%.*}:$PATH perf2bolt -nl -p "$1.data" -o "$1.fdata" "$phases" >said 2>&1 </dev/null ||
		fail "perf2bolt of $1: $(tail -3 said)"
	{
		sed -n 's/^PERF2BOLT: read \([0-9]*\) samples/samples \1/p' said
		awk '$1 == 1 { print $4, $2 }' "$1.fdata"
	} | shares
}

perfparser() {	# hotspot's
	timeout 60 "$PREC_PERFPARSER" --input "$1.data" --output "$1.pp" </dev/null >said 2>&1 || fail "perfparser of $1: $(tail -3 said)"
	python3 "$SRC/tests/lib/perfparser.py" "$1.pp" | shares
}

flamegraph() {
	text_of "$1"
	stackcollapse-perf.pl "$1.txt" 2>said | awk '{ n = $NF; all += n; sub(/ [0-9]+$/, ""); gsub(/[+]0x[0-9a-f]+/, ""); nr = split($0, f, ";")
		for (i = 1; i <= nr; i++) if (!seen[NR, f[i]]++) sum[f[i]] += n }
		END { print "samples", all; for (name in sum) print sum[name], name }' | shares
	[ ! -s said ] || fail "stackcollapse-perf.pl of $1: $(head -3 said)"
}

speedscope() {	# weighs samples by the time between them: milliseconds of all that it shows
	text_of "$1"
	python3 "$SRC/tests/lib/speedscope.py" "$PREC_NODE_MODULES/speedscope/dist/release" "$1.txt" |
		awk '{ v = $NF; unit = v; sub(/[0-9.]*/, "", unit); v += 0; if (unit == "s") v *= 1000; else if (unit != "ms") v /= 1000
			name = $1; if (name ~ /^(a_70|b_20|c_10)$/) { nr[name] = v; all += v } }
			END { print "samples", all; for (name in nr) print nr[name], name }' | shares
}

firefox() {
	text_of "$1"
	reader_loads "$1.txt"
	reader thread functions --limit 0 | sed -n 's/.*Functions in.*//; s/^  f-[0-9]*[.] \(.*\) - self: .*total: \([0-9]*\) .*/\2 \1/p' >rows
	reader stop >/dev/null
	{ echo "samples $(grep -c '^$' "$1.txt")"; cat rows; } | shares
}

# ---- the recordings ----

recorded flat '-F 1000' '-F 1000'
recorded fp '-F 1000 --call-graph fp' '-F 1000 --call-graph fp'
recorded dwarf '-F 1000 --call-graph dwarf,2048' '-F 1000 --call-graph dwarf,2048'
recorded auto '-F 1000 -g' '-F 1000 -g'
kinds=(flat fp dwarf auto) traced=
if [ "$(id -u)" = 0 ] && [ -r /sys/kernel/tracing/events/syscalls ]; then
	recorded trace '-e syscalls:sys_enter_getppid --call-graph fp' '-e syscalls:sys_enter_getppid --call-graph fp'
	traced=yes
fi
mkdir bin.prec bin.perf
ln -s "$PREC" bin.prec/perf
ln -s "$newest" bin.perf/perf
slow=(auto)
[ "${CONSUMERS:-}" != all ] || slow=("${kinds[@]}")

# ---- the consumers ----

perf2bolt=$(command -v perf2bolt-16 perf2bolt-19 perf2bolt | head -1) || true
if [ "$perf2bolt" ]; then
	for who in prec perf; do	# it knows by its name what it is to do
		ln -s "$perf2bolt" bin.$who/perf2bolt
	done
	both bolt flat	# version 16 reads no samples with call chains, perf's neither
	if command -v llvm-bolt-16 >/dev/null; then
		llvm-bolt-16 "$phases" -o bolted -data prec.flat.fdata -reorder-blocks=ext-tsp >said 2>&1 || fail "llvm-bolt: $(tail -3 said)"
		./bolted 10 >/dev/null || fail 'the program that llvm-bolt makes'
	fi
else
	part_skipped 'perf2bolt: not here (bolt-16)'
fi
if [ -x "${PREC_PERFPARSER:-}" ]; then
	for kind in "${kinds[@]}"; do
		both perfparser "$kind"
	done
	if [ "$traced" ]; then
		perfparser prec.trace >/dev/null
		python3 "$SRC/tests/lib/perfparser.py" prec.trace.pp >out
		expect "perfparser: samples of a tracepoint" "samples 100" "$(grep '^samples' out)"
	fi
else
	part_skipped 'perfparser: no PREC_PERFPARSER (hotspot)'
fi
if command -v stackcollapse-perf.pl >/dev/null; then
	for kind in fp dwarf auto; do
		both flamegraph $kind
	done
	if [ "$traced" ]; then
		text_of prec.trace
		stackcollapse-perf.pl prec.trace.txt >out
		expect "stackcollapse-perf.pl: samples of a tracepoint" 100 "$(awk '{ n += $NF } END { print n }' out)"
	fi
else
	part_skipped 'stackcollapse-perf.pl: not in PATH (FlameGraph)'
fi
if [ -d "${PREC_NODE_MODULES:-}/speedscope" ] && command -v chromium >/dev/null; then
	for kind in "${slow[@]}"; do
		[ "$kind" = flat ] || both speedscope "$kind"
	done
else
	part_skipped 'speedscope: not in PREC_NODE_MODULES, or no chromium'
fi

# ---- command lines, as documented ----

"$(workload spin)" -1 0 >/dev/null & pid=$!
lines=0
while IFS='|' read -r of line; do
	line=${line/PROGRAM/$phases 20}
	for who in prec ${CONSUMERS:+perf}; do
		# shellcheck disable=SC2086
		timeout 60 bin.$who/perf ${line//PID/$pid} >out 2>said </dev/null || fail "$of, by $who: $line: status $?: $(tail -3 said)"
	done
	lines=$((lines + 1))
done <<LINES
wasmtime|record -k mono PROGRAM
wasmtime|report --input perf.data
wasmtime|annotate --input perf.data
CPython|record -F 9999 -g -o perf.data PROGRAM
CPython|report --stdio -n -g
CPython|record -F 9999 -g -k 1 --call-graph dwarf -o perf.data PROGRAM
CPython|report -g -i perf.data
gProfiler|record -F 11 -g -o out.fp --switch-output=60s,signal --switch-max-files=1 -m 129 --pid PID -- sleep 0.2
gProfiler|record -F 11 -g -o out.dwarf --switch-output=60s,signal --switch-max-files=1 -m 257 -a -k 1 --call-graph dwarf,8192 sleep 0.2
gProfiler|script -F +pid -i perf.data
cargo-flamegraph|record -F 997 --call-graph dwarf,64000 -g -z=3 -o perf.data PROGRAM
cargo-flamegraph|record -F 997 --call-graph dwarf,64000 -g -o perf.data PROGRAM
cargo-flamegraph|script --force --no-inline -i perf.data
speedscope|record -a -F 999 -g -p PID -- sleep 0.1
speedscope|script -i perf.data
FlameGraph|record -F 99 -a -g -- sleep 0.1
FlameGraph|script --header
FlameScope|record -F 49 -a -g -- sleep 0.1
FlameScope|script --header -i perf.data
Firefox Profiler|record -g -F 999 PROGRAM
Firefox Profiler|script -F +pid
hotspot|record -o perf.data --call-graph dwarf --switch-events --aio -z PROGRAM
.NET perfcollect|record -k 1 -g -F 999 -e cpu-clock PROGRAM
Node.js|record -i -g -p PID -- sleep 0.1
Node.js|report --stdio --no-children
AutoFDO|script -F ip,sym --show-mmap-events -i perf.data
LINES
kill $pid
wait $pid 2>/dev/null || true

# The reader of the Firefox Profiler needs longest to start, and ends the test where it is not there.
echo "$compared comparisons, $lines command lines"
for kind in "${slow[@]}"; do
	[ "$kind" = flat ] || both firefox "$kind"
done
