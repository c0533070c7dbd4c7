#!/bin/bash
# With -o -, or into a pipe, a recording is a stream that perf and prec read.
. "$(dirname "$0")/lib/prec.sh"
need_events
spin=$(workload spin)
record=("$PREC" record -e 'cpu-clock:u,page-faults:u' -g)
# What the command itself prints goes elsewhere.
"${record[@]}" "$spin" -1 100 2>err | "$PREC" script -i - -F event,ip,sym >text
told=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)
grep -q ready err || fail 'the output of the command is not on standard error'
[ "$told" -gt 100 ] || fail "$told samples"
expect 'samples by prec' "$told" "$(grep -c ':u: *$' text)"
need_perf
"${record[@]}" -o - "$spin" -1 100 2>err >stream
told=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)
expect 'samples by perf' "$told" "$("$PERF" script -i - -G -F event 2>perf_err <stream | wc -l)"
[ ! -s perf_err ] || fail "$(cat perf_err)"
"$PERF" report -i - --stdio <stream 2>/dev/null | grep 'spin.*\[\.\] spin' >/dev/null || fail 'perf report does not show spin'

# A machine that tells nothing of dies, as those of Arm: this one's topology without them, which ends amid eight bytes.
. "$SRC/tests/shell/lib/sysfs.sh"
make_sysfs sys
for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
	mkdir -p "sys${cpu#/sys}/topology"
	for file in core_id physical_package_id core_siblings_list thread_siblings_list; do
		cp "$cpu/topology/$file" "sys${cpu#/sys}/topology/" || skip "no $file of CPUs"
	done
done
SYSFS_PATH=$PWD/sys "${record[@]}" -o - "$spin" -1 100 2>err >stream
! with_newperf ||
	expect 'lines by the newer perf, without dies' "$("$PREC" script -i - -G -F event <stream | wc -l)" \
		"$("$PREC_PERF" script -i - -G -F event 2>/dev/null <stream | wc -l)"
told=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)
expect 'samples by prec, without dies' "$told" "$("$PREC" script -i - -G -F event <stream | wc -l)"
expect 'samples by perf, without dies' "$told" "$("$PERF" script -i - -G -F event 2>perf_err <stream | wc -l)"
[ ! -s perf_err ] || fail "$(cat perf_err)"
