#!/bin/bash
# Terms of one event are for it alone: its ring, period, call graph, inheritance and name, beside others without them.
. "$(dirname "$0")/lib/prec.sh"
need_events
# On one CPU: each has a ring of its own, which keeps its newest, and a counter, which keeps what is left of a period.
FAULTS=$(workload faults)
run=(taskset -c "$(one_cpu)")

# Each event's samples: "name samples".
numbers() {
	"$PREC" script -G -i "$1" -F event,ip,sym 2>/dev/null | awk '/touch_pages/ { sub(/:$/, "", $1); n[$1]++ } END { for (e in n) print e, n[e] }' | sort
}

# A ring of 1 MiB holds all samples of one event; those of the other are larger by their call chains, and of them it has
# the newest.
"${run[@]}" "$PREC" record -q -m 1M -d -o data -e page-faults/period=1,overwrite,call-graph=fp,name=newest/u \
	-e minor-faults/period=1,name=every/u "$FAULTS" 20000 >/dev/null
numbers data >found
expect 'the event without overwrite has all' 20000 "$(awk '$1 == "every" { print $2 }' found)"
newest=$(awk '$1 == "newest" { print $2 }' found)
[ "$newest" -gt 1000 ] && [ "$newest" -lt 20000 ] || fail "$newest of 20000 samples in a ring that keeps the newest"
"$PREC" script -G -i data -F event,addr,ip,sym | awk '/newest.*touch_pages/ { print $2 }' >kept
"$PREC" script -G -i data -F event,addr,ip,sym | awk '/every.*touch_pages/ { print $2 }' | tail -n "$newest" >last
expect_same 'what is kept is what came last' last kept
# Chains are printed below the line of their sample.
"$PREC" script -i data -F event,ip | awk '/^ *[a-z]+: *$/ { e = $1; n[e] } /^ *[a-z]+: +[0-9a-f]+$/ { flat[$1]++ } /^\t/ { chains[e]++ }
	END { exit !(chains["newest:"] && !chains["every:"] && flat["every:"]) }' || fail 'call graphs belong to one event only'

# Periods: of 1000 hits every 7th and every 10th. (Of two software events of one kind Linux 6.2 and later takes the samples
# of one for the other's, so here are two kinds.)
"${run[@]}" "$PREC" record -q -o data -e page-faults/period=7,name=seven/u,minor-faults/period=10,name=ten/u "$FAULTS" 1000 >/dev/null
"$PREC" script -i data -F event,period,ip,sym | awk '/touch_pages/ { print $2, $1 }' | sort | uniq -c | awk '{ print $2, $3, $1 }' >found
# What the program touches before changes which hit is the seventh.
awk '$1 == "seven:" && $2 == 7 && $3 >= 142 && $3 <= 143 { ok++ }
	$1 == "ten:" && $2 == 10 && $3 == 100 { ok++ } END { exit ok != 2 }' found || fail "periods: $(cat found)"

# A chain of at most two, where others have more.
"$PREC" record -q -o data -e page-faults/period=1,call-graph=fp,max-stack=2,name=short/u,minor-faults/period=1,call-graph=fp,name=long/u \
	"$(workload calls)" >/dev/null
"$PREC" script --no-inline -i data -F event,ip | awk '/:/ { e = $1; d = 0 } /^\t/ { d++; if (d > max[e]) max[e] = d }
	END { exit !(max["short:"] <= 2 && max["long:"] > 2) }' || fail 'max-stack'

# Children count only where they are inherited.
"$PREC" record -q -o data -e page-faults/period=1,no-inherit,name=alone/u,minor-faults/period=1,name=family/u \
	bash -c "$FAULTS 300; true" >/dev/null
expect 'no-inherit' 'family 300' "$(numbers data)"

# What makes no sense is refused, with the place or the event.
refused() {	# TEXT OPTIONS...
	local text=$1
	shift
	! "$PREC" record -o data "$@" true >out 2>said || fail "it is not refused: $*"
	grep -qF -- "$text" said || fail "want '$text' for: $*: $(cat said)"
}
refused "unknown term 'perido'" -e cpu-clock/perido=5/
refused "did you mean period?" -e cpu-clock/perido=5/
refused "prec makes no periods from those of other events" -e "{cpu-clock,task-clock/ratio-to-prev=0.5/}"
refused "needs an event that fills AUX areas" -e page-faults/aux-output/
refused "needs an event that fills AUX areas" -e page-faults/aux-sample-size=100/
refused "needs an event that fills AUX areas" -e page-faults/aux-action=pause/
for event in page-faults cpu-clock mem:0x1000:x; do
	refused "has no branch stacks: only counters of the processor have" -b -e $event:u
	refused "has no branch stacks" -j any,u -e $event:u
	refused "has no branch stacks" --call-graph lbr -e $event:u
done
refused "event 'page-faults/branch_type=any/u' has no branch stacks" -e page-faults/branch_type=any/u

if [ "$(id -u)" = 0 ] && [ -r /sys/kernel/tracing/events/header_page ] && "$(workload opens)" kernel; then
	SYSCALLS=$(workload syscalls) GETPPID=syscalls:sys_enter_getppid
	"$PREC" record -q -o data -e $GETPPID/period=10/,$GETPPID/no-inherit/,$GETPPID/call-graph=fp/ \
		bash -c "${run[*]} $SYSCALLS 100; true" >/dev/null
	"$PREC" script -i data -F comm,event,period -G | awk '$1 == "syscalls" { n[$2 " " $3]++ } END { for (e in n) print n[e], e }' | sort >found
	expect 'tracepoints' "10 10 $GETPPID:
100 1 $GETPPID:" "$(cat found)"
	refused "event '$GETPPID' has no branch stacks" -b -e $GETPPID
fi
