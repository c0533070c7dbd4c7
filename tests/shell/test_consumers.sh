#!/bin/bash
# Programs that read perf's files, or call perf, show of prec's recordings what they show of perf's.
# Each one runs where it is installed. With CONSUMERS=all perf, too, runs the command lines.
# Runs: alone, as Linux 6.18 gives samples of a software event the ids of another recorder's of the same event.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/firefox.sh"
need_perf
need_events all
newest=${PREC_PERF:-$PERF}
phases=$(workload phases)
compared=0
declare -A table	# of a consumer: what was compared, a word for each kind

# recorded KIND MS PREC'S-OPTIONS PERF'S-OPTIONS: prec.KIND.data, perf.KIND.data, of so much CPU time. perf waits for a thread of its
# own where it looks for programs of BPF.
# A virtual machine whose timers are late samples one run otherwise than the next: two runs that differ by themselves compare nothing.
recorded() {
	local try
	for try in 1 2 3 4 5 6; do
		# shellcheck disable=SC2086
		"$PREC" record -q -o "prec.$1.data" $3 "$phases" "$2" >/dev/null 2>said || fail "record $3: $(cat said)"
		# shellcheck disable=SC2086
		"$newest" record -q --no-bpf-event -o "perf.$1.data" $4 "$phases" "$2" >/dev/null 2>said ||
			fail "perf record $4: $(cat said)"
		! alike "prec.$1.data" "perf.$1.data" || break
		echo "$1: try $try: the runs differ"
	done
}

# alike FILE FILE: their shares of the functions differ by less than a point, as prec reads both.
alike() {
	local file
	for file; do
		"$PREC" report -q --stdio --no-children -g none -s symbol -F sample,symbol -t '|' -i "$file" 2>/dev/null |
			awk -F'|' '{ all += $1 } $2 ~ /a_70/ { n += $1 } $2 ~ /b_20/ { m += $1 } END { all = all ? all : 1; print 100 * n / all, 100 * m / all }'
	done | awk '{ a[NR] = $1; b[NR] = $2 } END { exit !(NR == 2 && (a[1] - a[2]) ^ 2 < 1 && (b[1] - b[2]) ^ 2 < 1) }'
}

# ---- shares of functions, as each consumer shows them: lines "PERCENT NAME" ----

# Of lines "COUNT NAME", after one of the samples.
shares() {
	awk '$1 == "samples" { all = $2; next }
		$2 ~ /(^|[!;\/])(a_70|b_20|c_10)([\/ ].*)?$/ { sub(/.*!/, "", $2); sub("/.*", "", $2); nr[$2] += $1 }
		END { for (name in nr) printf "%.2f %s\n", 100 * nr[name] / all, name }' | sort -k2
}

same_shares() {	# CONSUMER KIND WANT GOT: files of them
	expect "$1, $2: functions" "a_70 b_20 c_10" "$(awk '{ print $2 }' "$4" | paste -sd' ')"
	awk -v within=2 'NR == FNR { want[$2] = $1; next }
		{ d = $1 - want[$2]; if (d > within || d < -within) print $2 ": " want[$2] " and " $1 }' \
		"$3" "$4" >apart
	[ ! -s apart ] || fail "$1, $2: shares of perf's recording, and of prec's: $(paste -sd, apart)"
	compared=$((compared + 1))
}

# both CONSUMER KIND: the function CONSUMER, called with WHO.KIND, prints the shares of perf's recording and of prec's.
both() {
	"$1" "perf.$2" >want.shares &
	"$1" "prec.$2" >got.shares
	wait $! || exit 1
	same_shares "$1" "$2" want.shares got.shares
	table[$1]+=" $2"
}

# all_calls CONSUMER GOT WANT: of the 100 samples of a tracepoint, or of perf's recording of them.
all_calls() {
	expect "$1: samples of a tracepoint" "$3" "$2"
	table[$1]+=" trace"
}

# text_of WHO.KIND: what the recorder's own script prints of it, in WHO.KIND.txt.
text_of() {
	"bin.${1%.*}/perf" script -i "$1.data" >"$1.txt" 2>/dev/null </dev/null
}

bolt() {	# perf2bolt, which calls perf: that which recorded it
	PATH=$PWD/bin.${1%.*}:$PATH perf2bolt -nl -p "$1.data" -o "$1.fdata" "$phases" >"said.$1" 2>&1 </dev/null ||
		fail "perf2bolt of $1: $(tail -3 "said.$1")"
	{
		sed -n 's/^PERF2BOLT: read \([0-9]*\) samples/samples \1/p' "said.$1"
		awk '$1 == 1 { print $4, $2 }' "$1.fdata"
	} | shares
}

perfparser() {	# hotspot's
	timeout 60 "$PREC_PERFPARSER" --input "$1.data" --output "$1.pp" </dev/null >"said.$1" 2>&1 || fail "perfparser of $1: $(tail -3 "said.$1")"
	python3 "$SRC/tests/lib/perfparser.py" "$1.pp" | shares
}

flamegraph() {
	stackcollapse-perf.pl "$1.txt" 2>"said.$1" | awk '{ n = $NF; all += n; sub(/ [0-9]+$/, ""); gsub(/[+]0x[0-9a-f]+/, ""); nr = split($0, f, ";")
		for (i = 1; i <= nr; i++) if (!seen[NR, f[i]]++) sum[f[i]] += n }
		END { print "samples", all; for (name in sum) print sum[name], name }' | shares
	[ ! -s "said.$1" ] || fail "stackcollapse-perf.pl of $1: $(head -3 "said.$1")"
}

# Of all texts at once, as the browser starts slowly: their rows stand in speedscope.rows, that of WHO.KIND after "== even.WHO.KIND.txt".
speedscope() {	# in milliseconds
	awk -v file="even.$1.txt" '$1 == "==" { mine = $2 == file; next } mine' speedscope.rows |
		awk '{ v = $NF; unit = v; sub(/[0-9.]*/, "", unit); v += 0; if (unit == "s") v *= 1000; else if (unit != "ms") v /= 1000
			name = $1; if (name ~ /^(a_70|b_20|c_10)$/) { nr[name] = v; all += v } }
			END { print "samples", all; for (name in nr) print nr[name], name }' | shares
}

# Of all texts at once, each of which is a thread of its session: ${threads[WHO.KIND]}.
firefox_rows() {
	reader thread functions --limit 0 --thread "t-${threads[$1]}" |
		sed -n 's/^  f-[0-9]*[.] \(.*\) - self: .*total: \([0-9]*\) .*/\2 \1/p'
}

firefox() {
	{ echo "samples $(grep -c '^$' "$1.txt")"; firefox_rows "$1"; } | shares
}

# ---- the recordings ----

recorded flat 300 '-F 1000' '-F 1000'
recorded fp 300 '-F 1000 --call-graph fp' '-F 1000 --call-graph fp'
recorded dwarf 300 '-F 1000 --call-graph dwarf,2048' '-F 1000 --call-graph dwarf,2048'
recorded auto 300 '-F 1000 -g' '-F 1000 -g'
chains=(fp dwarf auto) traced=
if [ "$(id -u)" = 0 ] && [ -r /sys/kernel/tracing/events/syscalls ]; then
	recorded trace 1 '-e syscalls:sys_enter_getppid --call-graph fp' '-e syscalls:sys_enter_getppid --call-graph fp'
	traced=trace
fi
mkdir bin.prec bin.perf
ln -s "$PREC" bin.prec/perf
ln -s "$newest" bin.perf/perf
for kind in "${chains[@]}" $traced; do
	text_of "perf.$kind" &
	text_of "prec.$kind"
	wait $! || exit 1
done

# ---- the consumers ----

# This one takes longest, meanwhile.
browser=
if [ -d "${PREC_NODE_MODULES:-}/speedscope" ] && command -v chromium >/dev/null; then
	texts=()
	for text in {perf,prec}.{fp,dwarf,auto,trace}.txt; do
		[ -e $text ] || continue
		# It weighs samples by the time between them, in which others run, too: here all are a millisecond apart.
		awk '/^[^ \t]/ { sub(/[0-9]+[.][0-9]+:/, sprintf("%.6f:", ++nr / 1000)) } { print }' $text >even.$text
		texts+=(even.$text)
	done
	python3 "$SRC/tests/lib/speedscope.py" "$PREC_NODE_MODULES/speedscope/dist/release" "${texts[@]}" >speedscope.rows 2>browser.said &
	browser=$!
fi

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
	for kind in flat "${chains[@]}"; do
		both perfparser "$kind"
	done
	if [ "$traced" ]; then
		perfparser prec.trace >/dev/null
		all_calls perfparser "$(python3 "$SRC/tests/lib/perfparser.py" prec.trace.pp | grep '^samples')" 'samples 100'
	fi
else
	part_skipped 'perfparser: no PREC_PERFPARSER (hotspot)'
fi
if command -v stackcollapse-perf.pl >/dev/null; then
	for kind in "${chains[@]}"; do
		both flamegraph "$kind"
	done
	[ ! "$traced" ] || all_calls flamegraph "$(stackcollapse-perf.pl prec.trace.txt | awk '{ n += $NF } END { print n }')" 100
else
	part_skipped 'stackcollapse-perf.pl: not in PATH (FlameGraph)'
fi
if [ "$browser" ]; then
	wait "$browser" || fail "speedscope: $(<browser.said)"
	for kind in "${chains[@]}"; do
		both speedscope "$kind"
	done
	# In how many functions of the program: their times are all the same.
	of_trace() { awk -v file="even.$1.trace.txt" '$1 == "==" { mine = $2 == file; next } mine { print $1 }' speedscope.rows | sort | paste -sd' '; }
	[ ! "$traced" ] || all_calls speedscope "$(of_trace prec)" "$(of_trace perf)"
else
	part_skipped 'speedscope: not in PREC_NODE_MODULES, or no chromium'
fi

# Its own samples, with its own symbols, beside prec's.
if [ "$(id -u)" = 0 ] && command -v bpftrace >/dev/null; then
	bpftrace -e 'profile:hz:997 /comm == "phases"/ { @[usym(reg("ip"))] = count(); }' -c "$phases 600" >counts 2>said ||
		fail "bpftrace: $(tail -3 said)"
	sed -n 's/^@\[\(.*\)\]: \([0-9]*\)$/\2 \1/p' counts | awk '{ all += $1; print } END { print "samples", all }' | tac | shares >want.shares
	"$PREC" report -i prec.flat.data --stdio -s sym -F period,sym --percent-limit 0 2>/dev/null |
		awk '!/^#/ && NF { all += $1; print $1, $NF } END { print "samples", all }' | tac | shares >got.shares
	same_shares bpftrace flat want.shares got.shares
	table[bpftrace]=" flat"
else
	part_skipped 'bpftrace: not here, or not root'
fi

# ---- command lines, as documented ----

"$(workload spin)" -1 0 >/dev/null & pid=$!
lines=0
while IFS='|' read -r of line; do
	[ "$line" ] || continue
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
${traced:+perf-tools|record -e raw_syscalls:sys_enter -a sleep 0.1
perf-tools|script --fields pid,comm
perf-tools|script --fields comm}
LINES
kill $pid
wait $pid 2>/dev/null || true

# The consumers that read no more of perf's: perf2bolt 16 takes samples without call chains alone, readers of text those with them.
tell_table() {
	for consumer in "${!table[@]}"; do
		echo "$consumer:${table[$consumer]}"
	done | sort
	echo "$compared comparisons of shares, $lines command lines"
}

# The reader of the Firefox Profiler ends the test where it is not there.
[ "${PREC_PROFILER_CLI:-}" ] || tell_table
declare -A threads
nr=0
for kind in "${chains[@]}" $traced; do
	for who in perf prec; do
		cat $who.$kind.txt >&3
		threads[$who.$kind]=$((nr++))
	done
done 3>all.txt
reader_loads all.txt
for kind in "${chains[@]}"; do
	both firefox "$kind"
done
[ ! "$traced" ] || all_calls firefox "$(firefox_rows prec.trace | awk '/getppid/ { print $1 }')" 100
reader stop >/dev/null
tell_table
