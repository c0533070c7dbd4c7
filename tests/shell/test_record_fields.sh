#!/bin/bash
# The options that choose fields of samples set in the attrs what perf's do, and what has no branches is refused.
. "$(dirname "$0")/lib/prec.sh"
# Leaks cannot be looked for in a program that is traced.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
. "$SRC/tests/shell/lib/sysfs.sh"
need_newperf
need_events
ATTRS_OF=$(workload attrs)
make_sysfs_one sys
export SYSFS_PATH=$PWD/sys

# Left out: the id's place, side band, wake-ups, the clock, which is CLOCK_MONOTONIC by default, with -s what keeps counts right, and
# events without a copy of the stack, which are there for when there is no room.
plain() {
	sed -E '/type=1 config=9 sample_period=1 .*mmap=1/d; / sample_stack_user=8( |$)/d; s/ sample_type=(40|10000)( |$)/\2/g;
		s/ (mmap|mmap_data|comm|task|mmap2|comm_exec|ksymbol|bpf_event|build_id|watermark|defer_output|use_clockid|clockid|pinned)=1//g; s/ wakeup_events=[0-9a-f]+//g' "$1"
}

same() {
	ATTRS=got.raw "$ATTRS_OF" "$PREC" record -o data "$@" true > log 2>&1 || fail "prec record $*: $(cat log)"
	ATTRS=want.raw "$ATTRS_OF" "$NEWPERF" record -o data "$@" true > log 2>&1 || fail "perf record $*: $(cat log)"
	plain got.raw > got
	plain want.raw > want
	expect_same "record $*" want got
}

for options in -d --data-mmap --sample-mem-info --phys-data --data-page-size --code-page-size -W --weight \
	--transaction -I --intr-regs=ax,bx --user-regs --user-regs=ip,sp --sample-identifier --sample-cpu -b '-j any_call,u' \
	'-j any,save_type' '-j any,k,counter' '-j ind_call,cond,no_flags' -R -P -T -s '-P -c 5' '-g -c 7' '--call-graph fp' '--call-graph fp,defer' \
	'--call-graph dwarf' '--call-graph dwarf,4000' '--call-graph lbr' '--call-graph fp --user-callchains' '-c 100' '-F 99' \
	'-d -c 5' '-d -W -I --phys-data -g -c 7'; do
	# shellcheck disable=SC2086
	same -e cycles $options
done
same -e page-faults -g -c 7
same -e page-faults --call-graph fp
same -e page-faults --call-graph dwarf
same -e mem:0x1000:x -F 99
same -e mem:0x1000:x -c 5
same -e '{page-faults,cs}:S' -s
same -e '{page-faults,cs}:S' -c 7
unset SYSFS_PATH

for event in page-faults cpu-clock mem:0x1000:x; do
	for option in -b '-j any_call' '--call-graph lbr'; do
		# shellcheck disable=SC2086
		if "$PREC" record -q -e $event $option -o data true 2> err; then fail "$event $option was taken"; fi
		grep -q "event '$event' has no branch stacks" err || fail "$event $option: $(cat err)"
	done
done
if "$PREC" record -j any_cal true 2> err; then fail 'a kind of branch that there is not'; fi
grep -q 'did you mean any_call' err || fail "$(cat err)"
if "$PREC" record --intr-regs=nothing true 2> err; then fail 'a register that there is not'; fi
if [ "$(uname -m)" = x86_64 ]; then
	expect 'names of registers' 'AX BX CX DX SI DI BP SP IP FLAGS CS SS R8 R9 R10 R11 R12 R13 R14 R15' \
		"$("$PREC" record '--intr-regs=?' | tr a-z A-Z)"
fi

# What was recorded is read: registers, and the stack of dwarf call graphs.
"$PREC" record -q -e cpu-clock:u -I --user-regs=sp,ip -o data "$(workload spin)" 0 50 > out
"$PREC" script -i data -F ip,iregs 2> err | grep -q 'IP:' || fail 'no registers'
"$PREC" record -q -e cpu-clock:u --call-graph dwarf,1024 -o data "$(workload spin)" 0 50 > out
"$NEWPERF" evlist -v -i data 2> err | grep -q 'sample_stack_user: 1024' || fail 'no stack'
# 99 times a second is a fixed period of a clock.
"$PREC" record -q -e cpu-clock:u -F 99 -o data "$(workload spin)" 0 100 > out
expect 'the period of 99 Hz' 10101010 "$("$PREC" script -i data -F period | tr -d ' ' | sort -u)"
