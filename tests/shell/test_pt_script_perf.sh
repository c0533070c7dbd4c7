#!/bin/bash
# What script makes of Intel PT recordings with --itrace is what the newest perf makes of them.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/script.sh"
need_traces pt
need_traces ptt
need_newperf

# Blanks are alignment. Where tracing starts nothing jumped, though newer perfs say so. Times are perf's within a
# microsecond, but not to the digit: they are compared elsewhere.
normal() { sed -E 's/ +[0-9]+\.[0-9]{6,9}: / /; s/tr strt jmp/tr strt/; s/ +\)/)/' | collapse; }

# What has no symbol, these options show by its address; blocks of code have no line for it.
traced() {
	case $1 in
	*call*trace*) sed -E 's/ [0-9a-f]{12}$/ [unknown]/' ;;
	*brstackinsn*) sed -E '/^\[unknown\](\+[0-9]+)?:/d' ;;
	*) cat ;;
	esac
}

# A row: recordings of pt/, options.
rows='
p1.1,p4.3,gzip.10,ls.7	--itrace=i1000i
p1.3,sort.9	--itrace=i1i -F comm,tid,event,ip,period
p4.2,gzip.3,sort.8	--itrace=b
p1.1	--itrace=b -F comm,tid,period,event,ip,addr
p1.7,ls.2	--itrace=ce -F comm,tid,event,ip,addr,flags
p4.7,ls.2	--itrace=re -F comm,tid,event,ip,addr,flags
p4.5,sort.5	--itrace=cre -F +flags,+addr
p1.1,gzip.5	--itrace=i107ig5 -F comm,tid,event,ip,sym --no-inline
ls.10,p4.7	--itrace=i99ig100 -F comm,tid,event,ip,sym --no-inline
p1.10,sort.3	--itrace=i10il -F +brstack
p2.8,ls.4	--itrace=i1000il8 -F +brstack,-dso
p4.1	--itrace=i100igl -F comm,tid,ip,sym,brstack --no-inline
p4.7	--itrace=bg
p4.1,sort.3	--call-trace
p4.7,gzip.10	--call-ret-trace
p4.10	--insn-trace -F +flags
p4.7	--itrace=i100i -F +flags,+insnlen
p1.10,sort.2,p1.1	--itrace=b -F ip,addr,ipc
gzip.10,p1.1	--itrace=ce -F ip,addr,ipc
p4.2	--itrace=i1i -F ip,ipc
sort.2,p4.10	--itrace=i1iy -F ip,event,period
p1.10,gzip.5	--itrace=i1000iy -F ip,event,period
p1.1,gzip.5	--itrace=i10us -F ip,event,period
gzip.5,p1.1	--itrace=i1us -F ip,event,period
p1.5,ls.7	--itrace=iqg -F event,ip,sym --no-inline
ls.7,gzip.10	--itrace=beq -F event,ip,addr,time
ls.7	--itrace=iqq -F event,ip,period
gzip.10	--itrace=i1000ib -F event,ip,period
p4.2	--itrace=i1000ibp -F event,ip
p4.7	--itrace=bwl -F event,ip
gzip.10	--itrace=i1000is10 -F event,ip
ls.7	--itrace=bs1234 -F event,ip,addr
../ptt/tsx-abort	--itrace=xbe -F event,ip
p4.1,ls.7	--itrace=i1000il5 -F ip,sym,brstackinsn,brstackinsnlen
gzip.10	--itrace=i3000il4 -F ip,srcline,brstackinsn --max-blocks 3 --no-inline
p4.1	--itrace=i500nsgl3 -F ip,sym,event,period,brstack --no-inline
'
bad=0
while IFS=$'\t' read -r files options; do
	[ "$files" ] || continue
	for name in ${files//,/ }; do
		data=$PREC_TRACES/pt/$name.data
		# shellcheck disable=SC2086
		"$NEWPERF" script $options -i "$data" 2>perf.err | normal | traced "$options" >want
		# shellcheck disable=SC2086
		"$PREC" script $options -i "$data" 2>prec.err | normal | unnamed | traced "$options" >got
		[ -s want ] || fail "perf script $options: $(head -3 perf.err)"
		cmp -s want got && continue
		echo "$name $options:"
		diff want got | head -6 || true
		bad=1
	done
done <<<"$rows"
[ $bad = 0 ] || fail "see above"
