#!/bin/bash
# Built for arm64, prec reads a recording as it does here (in user emulation) and records on that machine (in a virtual one).
# Runs: long arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need qemu-aarch64
need_events
need_cross

# With the optional libraries, as here.
for library in ncursesw bpf; do
	readelf -d "$CROSS_BUILD/prec" | grep "NEEDED.*lib$library\." >/dev/null || fail "built without lib$library"
done
for file in gzip xz; do
	[ -e "$CROSS_BUILD/core/compression/$file.o" ] || fail "built without what $file.c needs"
done

# Names of Arm's events, whose tables libpfm4 has there alone.
qemu-aarch64 -L "$SYSROOT" "$CROSS_BUILD/tests/unit/vendor_event_test" >out 2>&1 || fail "names of events: $(<out)"
expect "names of events" "82 names of 3 PMUs" "$(grep names out)"

"$PREC" record -o data -g "$(workload calls)" 20000000 20000000 >said 2>&1 || fail "$(cat said)"
for view in 'report --stdio' 'report --stdio --no-children -g none --sort sym' 'script' 'script -F comm,tid,time,ip,sym,dso'; do
	# shellcheck disable=SC2086
	"$PREC" $view -i data >here 2>here.said
	# shellcheck disable=SC2086
	qemu-aarch64 -L "$SYSROOT" "$CROSS_BUILD/prec" $view -i data >there 2>there.said || fail "$view: $(cat there.said)"
	[ -s here ] || fail "$view: nothing"
	expect_same "$view" here there
done

need_vm arm64
in_vm --arch arm64 <<'EOS'
for event in cpu-clock cycles:u; do
	$PREC record -o $event.data -e $event -g $BUILD/tests/work/demo >$event.said 2>&1 || echo "$event: status $?" >>wrong
	$PREC report --stdio -i $event.data >$event.report 2>>$event.said || echo "$event: report: status $?" >>wrong
done
cat *.said
[ ! -e wrong ]
EOS
for event in cpu-clock cycles:u; do
	grep -q 'demo.*demo' $event.report || fail "$event: $(cat $event.said $event.report)"
	"$PREC" report --stdio -i $event.data >$event.here 2>&1 || fail "$event: not read here: $(cat $event.here)"
	grep -q 'demo.*demo' $event.here || fail "$event: $(cat $event.here)"
	# The caller of a function that makes no frame is in the link register.
	"$PREC" script -i $event.data --header-only | grep -E "^# event : name = $event,.*sample_regs_user = (0x40000000|1073741824)" >/dev/null ||
		fail "$event: recorded without the link register: $("$PREC" script -i $event.data --header-only)"
done
