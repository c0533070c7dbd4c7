#!/bin/bash
# Stacks of waits are whole with -g, in programs and libraries without frame pointers, and as shares of a report as long as they were.
. "$(dirname "$0")/lib/prec.sh"
need_events
need_tracepoints
case $(uname -m) in x86_64 | aarch64) ;; *) skip "no user registers on $(uname -m)" ;; esac

cat >sleeps.c <<'E2'
#include <unistd.h>
int inner(unsigned us); int outer(unsigned us); int other(unsigned us);
int inner(unsigned us) { return usleep(us) + 1; }
int outer(unsigned us) { return inner(us) + 1; }
int other(unsigned us) { return inner(us) + 2; }
int main(void)
{
	int sum = 0;

	for (int i = 0; i < 20; i++)
		sum += outer(3000) + other(1000);
	return sum < 0;
}
E2
"${CC:-cc}" -O2 -fno-inline -fno-optimize-sibling-calls -fno-ipa-icf -fomit-frame-pointer -o sleeps sleeps.c

for graph in -g '--call-graph auto' '--call-graph dwarf'; do
	# shellcheck disable=SC2086
	"$PREC" record -q $graph --off-cpu -o data ./sleeps 2>err || fail "record $graph: $(<err)"
	"$PREC" script --off-cpu --no-inline -i data -F event,ip,sym 2>/dev/null |
		awk '/offcpu-time/ { wait = 1; chain = ""; next } NF == 0 { if (wait) print chain; wait = 0; next } { chain = chain " " $2 }
			END { if (wait) print chain }' | grep nanosleep >waits || fail "$graph: no sleeps"
	# A woken thread may have to wait for a CPU before it has left the sleep.
	for function in outer other; do
		[ "$(grep -c " inner $function main " waits)" -ge 20 ] || fail "$graph: sleeps of $function(): $(sort waits | uniq -c)"
	done
	expect "$graph: stacks that are not whole" '' "$(grep -v ' main .*_start' waits || true)"
done
# Other code that ran at the time is unrelated to a wait.
"$PREC" report -i data -g none >table 2>err
expect 'a latency of waits' 0 "$(grep -c Latency table)"
"$PREC" report -i data -g none --latency >table 2>err
grep -q Latency table || fail 'latencies that were asked for'

# A copy at each switch takes its whole size of a ring: it is of 8192 bytes, whatever the ring has room for. attrs gives no rings.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
for options in -g '--call-graph auto'; do
	# shellcheck disable=SC2086
	ATTRS=attrs "$(workload attrs)" "$PREC" record -q --off-cpu $options -m 16M -e cpu-clock -o data true >log 2>&1 || true
	expect "$options: the largest copies of stacks" 8192 "$(sed -nE 's/.* sample_stack_user=([0-9a-f]+).*/0x\1/p' attrs |
		while read -r size; do echo $((size)); done | sort -n | tail -1)"
done

# There is a stack at each switch, for which rings have room whatever the rate of the clock is.
rings() {	# ARGUMENTS...: the bytes of the largest ring of a recorder, without the page of control
	local from to
	exec "$PREC" record -q --off-cpu --call-graph auto,32768 -e cpu-clock:u "$@" -o rings.data sleep 1 2>err & prec=$!
	await 60 eval "grep -q perf_event /proc/$prec/maps 2>/dev/null"
	sleep 0.2
	awk '/perf_event/ { sub("-", " ", $1); print $1 }' /proc/$prec/maps |
		while read -r from to; do echo $((0x$to - 0x$from - $(getconf PAGESIZE))); done | sort -n | tail -1
	wait $prec
}
expect 'bytes of a ring at 99 Hz' "$(rings -F 4000)" "$(rings -F 99)"
expect 'bytes of a ring of -m' $((1 << 18)) "$(rings -F 99 -m 256K)"
