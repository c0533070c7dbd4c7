# Recordings of Intel PT made from known executions; after lib/prec.sh.
# shellcheck shell=bash
. "$SRC/tests/shell/lib/aux.sh"

# PT_KERNEL: as if it ran in the kernel. PT_CLEAN: without the environment, so that it runs the same whoever starts the test.
# pt_traces BASE INSTRUCTIONS SET... -- PROGRAM...: BASE.N.pt for each set of options of tests/trace/ptgen.c, and BASE.maps.
pt_traces() {
	local base=$1 most=$2 sets=() status=0
	shift 2
	for (( ; $# > 0; )); do
		[ "$1" != -- ] || break
		sets+=(-s "$1")
		shift
	done
	${PT_CLEAN:+env -i PATH=/usr/bin:/bin} "$(helper trace/ptgen)" ${PT_KERNEL:+-k} -o "$base" -n "$most" "${sets[@]}" "$@" >ptgen.out || status=$?
	[ $status != 77 ] || skip "ptrace is refused here"
	expect "the generator's exit status" 0 $status
}

# pt_portion FILE AT SIZE CPU TID: the records of that part of a trace. Their reference is a TSC, to which perf adds what the
# packets leave out: without one it takes no packet's time, and ends in a fault.
pt_portion() {
	local pad=$((($3 + 7) / 8 * 8 - $3))
	echo "aux 100/$(($5 < 0 ? 100 : $5)) off=$2 size=$3 t=$((900000000 + $2)) cpu=$(($4 < 0 ? 0 : $4)) event=intel_pt id=1"
	echo "raw type=71 $(le 16 $(($3 + pad)))$(le 16 "$2")$(le 16 "${PT_REFERENCE:-$((0x8000000 + $2))}")$(le 8 0)$(
		le 8 $(($5 & 0xffffffff)))$(
		le 8 $(($4 & 0xffffffff)))$(le 8 0)"
	printf 'bytes %s%s\n' "$(od -An -v -tx1 -j "$2" -N "$3" "$1" | tr -d ' \n')" \
		"$(printf '%*s' $((pad * 2)) '' | tr ' ' 0)"
}

# pt_recording BASE N CONFIG CPU TID PORTION: the trace BASE.N.pt as BASE.N.data, in AUXTRACE records of PORTION bytes, of a
# CPU or of a thread (the other is -1). PT_CPUID, PT_FILTER: the processor, as "GenuineIntel,6,61,4", and the address filter.
# PT_SNAPSHOTS: which bytes were saved one after the other, "0-5000 3000-9000", in place of all. PT_SECOND: another trace,
# of the next CPU or thread, whole. PT_MISSING: the AUXTRACE records, from 0, that are not there. PT_EVENTS, PT_RECORDS: lines
# of more events, and of records behind all others. PT_KERNEL: the lines that describe the kernel, in which it
# was traced. PT_REFERENCE: when the trace was written, in TSC ticks. PT_SWITCH=none: no record tells of a context switch.
# PT_TRACING: the format file of a tracepoint, as mkdata wants it. PT_BUILD_ID: of what is mapped, as build_id_of() has it.
pt_recording() {
	local PT_SNAPSHOTS=${PT_SNAPSHOTS:-} filter=${PT_FILTER:-} pt=$1.$2.pt config=$3 cpu=$4 tid=$5 portion=$6 size at n portions=()
	size=$(stat -c %s "$pt")
	for ((at = 0; at < size; at += portion)); do
		portions+=("$at-$((size - at < portion ? size : at + portion))")
	done
	[ -z "$PT_SNAPSHOTS" ] || read -ra portions <<<"$PT_SNAPSHOTS"
	{
		echo "feature arch=x86_64 auxtrace"
		[ -z "${PT_TRACING:-}" ] || echo "feature tracing=$PT_TRACING"
		[ -z "${PT_CPUID:-}" ] || echo "feature cpuid=$PT_CPUID"
		echo "attr intel_pt type=8 config=$config sample=IP,TID,TIME,CPU,IDENTIFIER read=ID period=1 $([ "${PT_KERNEL:-}" ] && echo exclude_user || echo exclude_kernel) exclude_hv" \
			"sample_id_all ids=1"
		[ -z "${PT_EVENTS:-}" ] || echo "$PT_EVENTS"
		printf 'raw type=70 %s' "$(le 8 1)$(le 8 0)"
		for word in 8 1 1 0 1 0x400 0x800 0 $((${#PT_SNAPSHOTS} > 0)) $((cpu >= 0)) 0x200 0x3c000 168 2 2 20 ${#filter}; do
			le 16 "$word"
		done
		[ -z "$filter" ] ||
			printf '%s%*s' "$(printf '%s' "$filter" | od -An -v -tx1 | tr -d ' \n')" $(((8 - ${#filter} % 8) * 2)) '' | tr ' ' 0
		le 16 $((config >> 31 & 1))	# event trace is known
		echo
		echo 'comm 100/100 "program" exec t=1 event=intel_pt id=1'
		[ -z "${PT_KERNEL:-}" ] || echo "$PT_KERNEL"
		while [ -z "${PT_KERNEL:-}" ] && read -r range prot off _ _ path; do
			[ -n "$path" ] || continue
			[[ $path == /* ]] || path=$PWD/$path
			printf 'mmap2 100/100 0x%s+%#x@%s %s "%s" %s t=2 event=intel_pt id=1\n' "${range%-*}" \
				$((0x${range#*-} - 0x${range%-*})) "0x$off" "$prot" "$path" "${PT_BUILD_ID:-}"
		done <"$1.maps"
		[ "${PT_SWITCH:-}" = none ] || echo "switch in 100/100 t=3 cpu=0 event=intel_pt id=1"
		echo "itrace_start 100/100 t=4 cpu=0 event=intel_pt id=1"
		for ((k = 0; k < ${#portions[@]}; k++)); do
			[[ " ${PT_MISSING:-} " != *" $k "* ]] || continue
			n=${portions[k]}
			at=${n%-*} n=$((${n#*-} - ${n%-*}))
			# The size counts padding to 8 bytes, the next offset does not.
			pt_portion "$pt" $at $n $cpu $tid
		done
		[ -z "${PT_SECOND:-}" ] ||
			pt_portion "$PT_SECOND" 0 "$(stat -c %s "$PT_SECOND")" $((cpu + (cpu >= 0))) $((tid + (tid >= 0)))
		[ -z "${PT_RECORDS:-}" ] || echo "$PT_RECORDS"
	} >made.txt
	"$(helper mkdata/mkdata)" made.txt "$1.$2.data"
}

# The perfs beside which these tests were written: PREC_PERF and, where that is set, Debian 12's. (What a trace holds depends on
# the machine, and so does which of an old perf's errors it meets: not everywhere is that to be looked into.)
known_perfs() {
	with_newperf || return 0
	echo "$PREC_PERF"
	if perf --version 2>/dev/null | grep -q ' 6\.1\.'; then
		command -v perf
	fi
}
