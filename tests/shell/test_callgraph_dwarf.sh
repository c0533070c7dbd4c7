#!/bin/bash
# Call chains are unwound from recorded stacks: each of a known depth is whole, and they are those of perf.
. "$(dirname "$0")/lib/prec.sh"
need_events
case $(uname -m) in x86_64 | aarch64) ;; *) skip "no user registers on $(uname -m)" ;; esac
NEST=$(workload nest)
DEPTH=20

# The functions of each sample in burn(), from there to main, a line each; how often each line occurs.
chains() { chains_of "$PREC script" "$@"; }
chains_of() {	# COMMAND ARGUMENTS...
	local command=$1
	shift
	# shellcheck disable=SC2086
	$command -F ip,sym "$@" 2>err.script | awk '
		function flush() { if (line ~ /^ burn/) print substr(line, 2); line = ""; done = 0 }
		NF == 0 { flush(); next }
		!done { line = line " " $2; done = $2 == "main" }
		END { flush() }' | sort | uniq -c | sed 's/^ *//'
}

want="burn c b a$(printf ' down%.0s' $(seq $DEPTH)) main"

# known WHAT FILE: every sample in burn() has the chain that it must have.
known() {
	chains -i "$2" >chains
	expect "$1: different chains in burn()" 1 "$(wc -l <chains)"
	expect "$1: the chain" "$want" "$(cut -d ' ' -f 2- chains)"
	[ "$(cut -d ' ' -f 1 chains)" -ge 20 ] || fail "$1: few samples in burn(): $(cut -c 1-40 chains)"
}

"$PREC" record -q -e cpu-clock:u -c 1000000 --call-graph dwarf -o data "$NEST" $DEPTH 200 >out
known 'prec record' data
for jobs in 1 2 4; do
	"$PREC" script -j $jobs -i data -F ip,sym >jobs.$jobs 2>err
	expect_same "with $jobs workers" jobs.1 jobs.$jobs
done

# perf finds what it needs for the same (before 6.2: the maps of data, too).
if with_perf; then
	chains_of "perf script" -i data </dev/null >chains.perf
	expect_same "perf's chains" chains chains.perf
fi

# killed FILE: as its recorder leaves it that is killed before it writes the sections, of which one is of the architecture.
killed() {
	local at size
	read -r at size < <(od -An -tu8 -j40 -N16 "$1")
	head -c $((at + size)) "$1"
}
for from in "$PREC record -N" "$PREC record -N --no-buildid-mmap" "perf record -N"; do
	[ "${from%% *}" != perf ] || with_perf || continue
	if ! $from -q -e cpu-clock:u -c 1000000 --call-graph dwarf -o whole "$NEST" $DEPTH 200 >out 2>err; then
		[ "${from%% *}" = perf ] || fail "$from: $(<err)"	# perf 6.1 aborts at maps that another's build ids mark
		part_skipped "$from: $(tail -1 err)"
		continue
	fi
	killed whole >cut
	printf '\0\0\0\0\0\0\0\0' | dd of=cut bs=1 seek=48 conv=notrunc status=none
	any_status known "$from that is killed" cut
	mv chains chains.cut
	known "$from" whole
	expect_same "$from: chains of one that is killed" chains chains.cut
done

# Cut chains are reported: all but the few of the program's start, which are shorter.
cut_at() {	# WHERE ARGUMENTS...: that is what is told
	local where=$1
	shift
	"$PREC" script "$@" 2>err >out
	sed -nE "s/^prec: (warning: )?([0-9]+) of ([0-9]+) call chains are cut at $where.*/\2 \3/p" err |
		awk '{ n++; few += $1 * 20 < $2 * 19 } END { exit n != 1 || few }' || fail "cut at $where: $(<err)"
	case $where in
	*shown)	expect_finding chains-cut-by-depth err;;
	*)	expect_finding chains-cut-by-stack err;;
	esac
}
cut_at 'the depth that is shown' -i data --max-stack 3
# A frame less than there are is a chain that ends early, not a wrong one.
expect 'at most 3 frames' 'burn c b' "$("$PREC" script -i data -F ip,sym --max-stack 3 2>err | awk '
	NF == 0 { if (line ~ /^ burn/) print line; line = ""; next } { line = line " " $2 } END { if (line ~ /^ burn/) print line }' |
	sort -u | sed 's/^ //')"

# report: who calls, from main on, with the share of the samples that are below each.
"$PREC" report -i data --no-children -g folded,caller -F overhead,sym 2>err >folded
grep -q 'main;down;.*;down;a;b;c;burn$' folded || fail "report: no chain to burn: $(head -40 folded)"
"$PREC" report -i data -g none -F overhead_children,sym 2>err >children
for f in main down a b c burn; do
	share=$(awk -v f=$f '$3 == f { print $1 + 0 }' children)
	awk -v s="$share" 'BEGIN { exit !(s >= 80) }' || fail "report: $f and what it calls has only '$share' %"
done
expect 'report -g none has no callers' 0 "$("$PREC" report -i data -g none 2>err | grep -c -- '--.*down' || true)"

# The whole stack is not there: chains are short, and nothing else is amiss.
"$PREC" record -q -e cpu-clock:u -c 1000000 --call-graph dwarf,128 -o short "$NEST" $DEPTH 100 >out
cut_at 'the end of the recorded stack' -i short
chains -i short | cut -d ' ' -f 2- | while read -r line; do
	[ "${want#"$line"}" != "$want" ] || fail "a chain of 128 bytes of stack: $line"
done

# Others' recordings, whose programs are not here: the sampled address at least.
for f in ${PREC_CORPUS:+"$PREC_CORPUS"/perfparser/*_static_gcc/perf.data "$PREC_CORPUS"/hotspot/perf.data.true.v2}; do
	[ -f "$f" ] || continue
	"$PREC" script -i "$f" -F ip 2>err >ips || fail "$f: $(cat err)"
	expect "$f: samples with an address" "$("$PREC" script -i "$f" -G -F ip 2>err | wc -l)" \
		"$(awk 'NF { n += !inside; inside = 1 } !NF { inside = 0 } END { print n + 0 }' ips)"
done

# The same with perf: what it recorded, and what it makes of ours.
with_perf || exit 0
perf record -q -e cpu-clock:u -c 1000000 --call-graph dwarf -o by.perf "$NEST" $DEPTH 200 >out 2>err
known 'perf record' by.perf
# Perfs with libunwind differ from those with libdw, whose chains these are.
with_newperf || exit 0
for f in data short by.perf; do
	"$PREC" script -i $f -F tid,time,ip >ips.prec 2>err
	"$PREC_PERF" script -i $f -F tid,time,ip >ips.perf 2>err
	expect_same "$f: chains by perf" ips.perf ips.prec
done
