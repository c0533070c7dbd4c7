#!/bin/bash
# What cannot be recorded of hardware trace is refused before anything runs, and each refusal says why.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/sysfs.sh"

make_sysfs sys
pmu sys intel_pt 9 nr_addr_filters=2 format/tsc=config:10 format/mtc=config:9 format/mtc_period=config:14-17 \
	format/cyc=config:1 format/ptw=config:12 caps/mtc=1 caps/mtc_periods=249 caps/psb_cyc=0 caps/ptwrite=0
pmu sys cs_etm 11 nr_addr_filters=4 format/timestamp=config:28 sinks/tmc_etr0=0x12
pmu sys arm_spe_0 10 format/ts_enable=config:0
mkdir sys/bus/event_source/devices/intel_bts
export SYSFS_PATH=$PWD/sys

refused() {	# message options...
	local message=$1 status=0
	shift
	"$PREC" record --dry-run "$@" true >said 2>&1 || status=$?
	expect "status of: $*" 129 $status
	grep -qF -e "$message" said || fail "$*: wanted '$message', got: $(cat said)"
}

refused 'a snapshot needs an event that fills AUX areas' -S
refused 'a snapshot needs an event that fills AUX areas' -S -e cpu-clock
refused '--aux-sample needs an event that fills AUX areas' --aux-sample -e cpu-clock
for term in aux-output aux-action=pause aux-action=start-paused aux-sample-size=4096; do
	refused "event 'cpu-clock/$term/' needs an event that fills AUX areas" -e cpu-clock/$term/
done

# One trace, of one device, by one event.
refused "'intel_pt' is traced by another event already" -e intel_pt//u -e intel_pt//k
refused 'of different devices' -e intel_pt//u -e cs_etm//u
refused 'of different devices' -e arm_spe_0// -e '{cs_etm//u,cpu-clock}'

# What the PMU does not have, or does not tell.
refused "unknown term 'nosuch' of PMU 'intel_pt'" -e intel_pt/nosuch=1/
refused "unknown event or PMU 'intel_bts'" -e intel_bts//
refused "does not have 'ptw'" -e intel_pt/ptw=1/
refused "does not have 'cyc'" -e intel_pt/cyc=1/
refused 'cannot do mtc_period=1; it has: 0, 3, 6, 9' -e intel_pt/mtc_period=1/
refused "no trace sink 'nosink'" -e cs_etm/@nosink/

refused 'of no other (-k)' -k mono -e intel_pt//

# Areas.
refused 'overwrite rings cannot be had together with AUX areas' --overwrite -e cs_etm//
refused 'snapshots of 1048576 bytes do not fit into areas of 65536' -S1M -m,64K -e cs_etm//
refused 'but areas of 16384' --aux-sample=32K -m,16K -e '{intel_pt//,cpu-clock}'

# Trace in samples, and what else needs a group that trace leads.
refused "needs a size of up to 61440 bytes, not '61441'" --aux-sample=61441 -e '{intel_pt//,cpu-clock}'
refused 'no event is sampled with trace' --aux-sample -e intel_pt//
refused 'no event is sampled with trace' --aux-sample -e intel_pt// -e cpu-clock
refused "such as -e '{intel_pt//,cpu-clock:u}'" --aux-sample -e '{cpu-clock,intel_pt//}'
refused 'or saved in snapshots (-S)' --aux-sample -S -e '{intel_pt//,cpu-clock}'
refused "begins with 'page-faults', which fills none" -e '{page-faults,cpu-clock/aux-sample-size=100/}' -e intel_pt//
refused 'do not fit into a sample' -e '{intel_pt//,cpu-clock/aux-sample-size=61441/}'
refused 'aux-sample-size is for the other events of its group' -e intel_pt/aux-sample-size=4/
refused "'pause' and 'resume' are for the other events" -e intel_pt/aux-action=pause/
refused 'aux-output is for the other events' -e intel_pt/aux-output/
refused 'fills no area that could start paused' -e intel_pt// -e cpu-clock/aux-action=start-paused/
refused 'an action is one of start-paused, pause, resume' -e cpu-clock/aux-action=other/

# And what can be is taken: the attrs of the group.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
attrs() {
	ATTRS=$PWD/attrs "$(workload attrs)" "$PREC" record -o data "$@" true >said 2>&1 || true
}
has() {	# line fields...
	local line=$1 field
	shift
	for field; do
		grep cpu=0 attrs | sed -n "${line}p" | grep -qE " $field( |\$)" || fail "line $line has no '$field': $(cat attrs said)"
	done
}
attrs -e intel_pt/aux-action=start-paused/u -e cpu-clock/aux-action=resume/u -e page-faults/aux-action=pause/u
has 1 type=9 aux_action=1
has 2 type=1 aux_action=4
has 3 type=1 config=2 aux_action=2
expect "a group" "group=-1 group=0 group=0 group=-1" "$(sed -n 's/^cpu=0 \(group=[-0-9]*\) .*/\1/p' attrs | xargs)"
attrs -e cycles/aux-output/u -e intel_pt//u
has 1 type=9
has 2 type=0 aux_output=1
attrs --aux-sample=8K -e '{intel_pt//u,cycles:u,cpu-clock/aux-sample-size=0/u,page-faults/aux-sample-size=512/u}'
has 1 type=9 sample_period=1
has 2 type=0 aux_sample_size=2000
has 4 type=1 aux_sample_size=200
! grep cpu=0 attrs | sed -n 3p | grep -q aux_sample || fail "aux-sample-size=0: $(cat attrs)"
