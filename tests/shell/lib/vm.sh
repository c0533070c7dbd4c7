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

modes=(all cpu process thread command perthread)

# check_all_full: what all_full() recorded.
check_all_full() {
	local mode chunk
	for mode in "${modes[@]}"; do
		for chunk in odd even; do
			check_trace ${chunk}_$mode
		done
	done
	grep -q 'cpu -1 .* bytes 150001 ' odd_perthread.trace || fail "not per thread: $(cat odd_perthread.trace)"
	expect "of a CPU" "cpu 1" "$(awk '{ print $1, $2 }' odd_cpu.trace)"
	expect "of a thread" "bytes 150001" "$(awk '$2 == 1 { print $7, $8 }' odd_thread.trace)"
}

# check_all_snapshots NAME: what all_snapshots() recorded.
check_all_snapshots() {
	local mode
	for mode in "${modes[@]}"; do
		check_trace "$1_$mode" --area 32768 --steps "$1_$mode.steps"
	done
	# One step has nothing new, 19 have, on each CPU.
	expect "$1: snapshots" 38 "$(grep -c 'snapshot' "$1_all.trace")"
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

# check_through NAME BYTES: what through() recorded was whole: so many bytes of each CPU, and nothing was truncated.
check_through() {
	expect "$1: status $(cat "$1.wrong" "$1.said")" 0 "$(cat "$1.status")"
	expect "$1: bytes of each CPU" "$2 $2" "$(awk '{ print $4 }' "$1.trace" | xargs)"
	expect "$1: bytes left out" "$(awk '{ print $8 }' "$1.counts" | xargs)" "$(awk '{ print $6 }' "$1.trace" | xargs)"
	expect "$1: records that were truncated" "0 0" "$(awk '{ print $12 }' "$1.counts" | xargs)"
}

# check_beside_perf BYTES CHUNK: beside_perf() with chunks of so many bytes and paced=2, woken each 64 KiB. A record ends with
# the first chunk that reaches a multiple of 64 KiB, the last one when recording ends; perf reads what it writes.
check_beside_perf() {
	check_trace ours
	awk -v bytes="$1" -v chunk="$2" 'function line(from, to) {
			printf "PERF_RECORD_AUX offset: %s size: 0x%x flags: 0 []\n", from ? sprintf("0x%x", from) : "0", to - from }
		BEGIN { for (q = 65536; q < bytes; q += 65536) {
				end = int((q + chunk - 1) / chunk) * chunk
				line(from, end)
				from = end }
			line(from, bytes) }' >want
	sed 's/offset: 0x0 /offset: 0 /; s/flags: 0x0 /flags: 0 /' ours.aux >got
	expect_same "AUX records" want got
	expect "room was made at each" "$(($1 / 65536))" "$(awk '{ print $18 }' ours.counts)"
	expect_same "AUX records as perf's" theirs.aux ours.aux
	expect_same "AUXTRACE records as perf's" theirs.pieces ours.pieces
	grep -q 'contains AUX area data' ours.header || fail "no AUXTRACE feature: $(cat ours.header)"
}

# check_full_disk: full_disk() ended with a reason, and left a file that is read whole.
check_full_disk() {
	check_trace full
	expect "full: status" 1 "$(cat full.status)"
	grep -q 'No space left' full.said || fail "full: $(cat full.said)"
	"$PREC" script -D -i full.data >full.dump
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
	local status=0 work programs=(mkdata/mkdata mkdata/walk trace/cs_insn trace/csgen trace/spegen vm/aux_stream unit/vendor_event_test)
	for work in "$SRC"/tests/work/*.c; do
		[[ $work = *.bpf.c ]] || programs+=("work/$(basename "$work" .c)")
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

# pass_on_arm64 PREFIX EXCEPT: the tests test_PREFIX_*.sh, but those whose names EXCEPT says, pass on arm64.
pass_on_arm64() {
	local t names=()
	for t in "$SRC"/tests/shell/test_"$1"_*.sh; do
		t=$(basename "$t" .sh)
		[[ " $2 " = *" ${t#test_"$1"_} "* ]] || names+=("$t.sh")
	done
	[ ${#names[@]} -gt 0 ] || fail "no tests of $1"
	need_vm arm64
	need_cross
	# Timers are late in emulation, which is to be no reason for the kernel to sample less.
	in_vm --arch arm64 --memory 2G --timeout 2400 <<-EOS
	echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
	TIMEOUT=900 JOBS=2 \$SRC/tests/run ${names[*]}
	EOS
}
