# For tests of AUX recording: a virtual machine with a test PMU. To be sourced after lib/prec.sh, as
# "$SRC/tests/shell/lib/vm.sh": the test is in another directory by then.
# shellcheck shell=bash

# need_vm [x86_64|arm64]: the machine can be had.
need_vm() {
	local said status=0
	said=$("$SRC/tests/vm/run" --arch "${1:-x86_64}" --have 2>&1 >/dev/null) || status=$?
	[ $status != 77 ] || skip "$(tail -n 1 <<<"$said")"
	[ $status = 0 ] || fail "$said"
}

# in_vm OPTIONS... <<'EOS': run a script there, that has tests/vm/guest/lib.sh; options are those of tests/vm/run. The
# files it leaves are here afterwards.
in_vm() {
	local script
	script=". \$SRC/tests/vm/guest/lib.sh
$(cat)"
	OUT=$PWD "$SRC/tests/vm/run" "$@" -- bash -c "$script" || fail "the script failed in the virtual machine"
}

# check_trace NAME OPTIONS...: the recording NAME of a script there holds what the PMU wrote; says what, in NAME.trace.
check_trace() {
	local name=$1 files
	shift
	files=("$name".data.[0-9]*)	# of --switch-output
	[ -e "${files[0]}" ] || files=("$name.data")
	"$(helper vm/aux_check)" --counts "$name.counts" "$@" "${files[@]}" >"$name.trace" 2>"$name.wrong" ||
		fail "$name: $(cat "$name.said" "$name.wrong" "$name.trace" "$name.counts")"
	cat "$name.trace"
}

# check_killed: what killed_in_snapshot() left is read as far as it goes, and holds what the PMU wrote.
check_killed() {
	local i status snapshots=0
	for i in 0 1 2; do
		status=0
		"$PREC" script -D -i cut$i.data >dump 2>err || status=$?
		[ $status = 0 ] || [ $status = 2 ] || fail "cut$i: status $status: $(cat err)"
		grep -q 'PERF_RECORD_AUXTRACE size' dump || continue
		check_trace cut$i --cut
		snapshots=$((snapshots + 1))
	done
	[ $snapshots -gt 0 ] || fail "no snapshot in the files of killed recorders"
}

# sum NAME WORD: of the numbers after WORD in the lines that check_trace printed.
sum() {
	awk -v w="$2" '{ for (i = 1; i < NF; i++) if ($i == w) n += $(i + 1) } END { print n + 0 }' "$1.trace"
}

# info_words NAME: the words of AUXTRACE_INFO, as they stand in the file.
info_words() {
	"$PREC" script -D -i "$1.data" 2>/dev/null | grep -a -A100 'event: 70$' | sed -n '/^\.  0010/,/^$/p' |
		sed '/^$/,$d' | cut -c 11-58
}

# need_cross: make prec for arm64, and what shell tests record, in BUILD of another name: CROSS_BUILD; SYSROOT is where its
# libraries are.
need_cross() {
	local status=0 work programs=(mkdata/mkdata mkdata/walk trace/csgen)
	for work in "$SRC"/tests/work/*.c; do
		programs+=("work/$(basename "$work" .c)")
	done
	need aarch64-linux-gnu-gcc
	SYSROOT=$("$SRC/tests/vm/sysroot" arm64 2>sysroot.said) || status=$?
	[ $status != 77 ] || skip "$(tail -n 1 sysroot.said)"
	[ $status = 0 ] || fail "$(cat sysroot.said)"
	CROSS_BUILD=$SRC/build-aarch64-linux-gnu
	mkdir -p "$CROSS_BUILD"
	(unset MAKEFLAGS MAKELEVEL
	 flock 9
	 make -s -C "$SRC" -j"$(nproc)" CROSS=aarch64-linux-gnu- "SYSROOT=$SYSROOT" all \
		"${programs[@]/#/build-aarch64-linux-gnu/tests/}") 9>"$CROSS_BUILD/lock" >cross.said 2>&1 || fail "$(cat cross.said)"
}
