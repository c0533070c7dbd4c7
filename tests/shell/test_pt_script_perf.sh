#!/bin/bash
# What script makes of Intel PT recordings with --itrace is what the newest perf makes of them.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/script.sh"
need_traces pt
need_newperf

# Times are perf's within a microsecond, but not to the digit: they are compared elsewhere.
# Where tracing starts nothing jumped, though newer perfs say so.
timeless() { sed -E 's/ +[0-9]+\.[0-9]{6}: / /; s/tr strt jmp/tr strt/' | collapse; }

# A row: recordings of pt/, --itrace, other options.
rows='
p1.1,p4.3,gzip.10,ls.7	i1000i
p1.3,sort.9	i1i	-F comm,tid,event,ip,period
p4.2,gzip.3,sort.8	b
p1.1	b	-F comm,tid,period,event,ip,addr
p1.7,ls.2	ce	-F comm,tid,event,ip,addr,flags
p4.7,ls.2	re	-F comm,tid,event,ip,addr,flags
p4.5,sort.5	cre	-F +flags,+addr
p1.1,gzip.5,p2.8	i107ig5	-F comm,tid,event,ip,sym --no-inline
ls.10,p4.7	i99ig100	-F comm,tid,event,ip,sym --no-inline
p1.10,sort.3	i10il	-F +brstack
p2.8,ls.4	i1000il8	-F +brstack,-dso
p4.1	i100igl	-F comm,tid,ip,sym,brstack --no-inline
p4.7	bg
'
bad=0
while IFS=$'\t' read -r files what options; do
	[ "$files" ] || continue
	for name in ${files//,/ }; do
		data=$PREC_TRACES/pt/$name.data
		# shellcheck disable=SC2086
		"$NEWPERF" script --itrace="$what" $options -i "$data" 2>perf.err | timeless >want
		# shellcheck disable=SC2086
		"$PREC" script --itrace="$what" $options -i "$data" 2>prec.err | timeless >got
		[ -s want ] || fail "perf script --itrace=$what $options: $(head -3 perf.err)"
		cmp -s want got && continue
		echo "$name --itrace=$what $options:"
		diff want got | head -6 || true
		bad=1
	done
done <<<"$rows"
[ $bad = 0 ] || fail "see above"
