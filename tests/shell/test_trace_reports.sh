#!/bin/bash
# Every trace that is known, with its gaps, makes a report: as many samples as script prints.
. "$(dirname "$0")/lib/prec.sh"
need_traces
n=0
for f in "$PREC_TRACES"/{pt,ptt,cs}/*.data; do
	[ -e "$f" ] || continue
	n=$((n + 1))
	status=0
	"$PREC" script -F event,ip --itrace=i1000ibe -i "$f" >lines 2>messages || status=$?
	[ $status -le 2 ] || fail "script of $f: status $status: $(<messages)"
	"$PREC" report --stdio -n --percent-limit 0 -s pid --itrace=i1000ibe -i "$f" >got 2>messages || status=$?
	[ $status -le 2 ] || fail "report of $f: status $status: $(<messages)"
	expect "samples of $f" "$(grep -cv ' error ' lines)" "$(awk '!/^#/ && NF { n += $2 } END { print n + 0 }' got)"
done
[ $n -gt 100 ] || fail "only $n traces"
