#!/bin/bash
# Profiles for compilers count what ran as the generator's log does, of traces and of branch stacks; clang and BOLT take them.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
. "$(dirname "$0")/lib/calls.sh"
. "$(dirname "$0")/lib/feedback.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
need python3
need clang
need llvm-symbolizer
clang "${FEEDBACK_FLAGS[@]}" -o program "$SRC/tests/data/feedback.c"
sets=(psb=2048 psb=700,async=500)
pt_traces t 400000 "${sets[@]}" -- ./program
elf_maps program >t.maps
PT_BUILD_ID=$(build_id_of program)

export_of() { "$PREC" export -q -i "$1" --format="$2" "${@:3}"; }

# same_as_log WHAT FILE: its exports have the counts of the log t.1.exp.
same_as_log() {
	feedback_truth bolt program t.1.exp >want
	export_of "$2" bolt >"$2.fdata"
	# A branch that was not taken leads to what stands behind it.
	awk 'NR == FNR { taken[$2, $3, $5, $6]; next } ($2, $3, $5, $6) in taken' want "$2.fdata" | sort >got
	expect_same "$1: branches" want got
	feedback_truth autofdo program t.1.exp >want
	export_of "$2" autofdo >"$2.afdo"
	autofdo_lines "$2.afdo" >got
	expect_same "$1: lines" want got
}

pt_recording t 1 0xe601 -1 100 10000000
same_as_log 'Intel PT' t.1.data
pt_recording t 1 0xe601 0 -1 3001
same_as_log 'Intel PT of a CPU, in portions' t.1.data
pt_recording t 2 0xe601 -1 100 10000000
same_as_log 'Intel PT with interrupts' t.2.data

# Heads are the calls of a function, from wherever.
expect 'calls of hot' 80 "$(sed -n 's/^hot:[0-9]*://p' t.1.data.afdo)"

# Samples each 97 branches, with the last 32 of them.
{
	echo 'feature arch=x86_64'
	echo 'attr branches type=hardware config=4 sample=IP,TID,TIME,BRANCH_STACK,IDENTIFIER branch_type=0x8 period=97 exclude_kernel sample_id_all ids=1'
	echo 'comm 100/100 "program" exec t=1'
	read -r range prot off _ _ path <t.maps
	printf 'mmap2 100/100 0x%s+%#x@0x%s %s "%s" %s t=2\n' "${range%-*}" $((0x${range#*-} - 0x${range%-*})) "$off" "$prot" "$path" "$PT_BUILD_ID"
	objdump -d --no-show-raw-insn program | awk -F'\t' '/^ / { sub(/^ */, "", $1); sub(/:$/, "", $1); print $1 }' >insns
	awk 'NR == FNR { if (FNR > 1) follows[before] = $1; before = $1; next }
		FNR > 1 && follows[last] != $1 { from[n] = last; to[n] = $1; n++
			if (n % 97 == 0) { s = ""
				for (k = n - 1; k >= n - 32 && k >= 0; k--) s = s (s == "" ? "" : ",") "0x" from[k] ":0x" to[k] ":" (k % 7 ? 2 : 1)
				print "sample 100/100 t=" 1000 + n " ip=0x" $1 " mode=user branch=" s } }
		{ last = $1 }' insns t.1.exp
} >text
"$(helper mkdata/mkdata)" text lbr.data
[ "$("$PREC" script -i lbr.data -F ip 2>/dev/null | wc -l)" -gt 50 ] || fail 'hardly any samples'
export_of lbr.data bolt >lbr.fdata
awk '{ $7 = 0; print }' lbr.fdata | sort >got
LBR=97,32 feedback_truth bolt program t.1.exp >want
awk 'NR == FNR { taken[$2, $3, $5, $6]; next } ($2, $3, $5, $6) in taken' want got | sort >kept
expect_same 'branch stacks: branches' want kept
expect 'mispredicted branches' "$(grep -o ':1\b' text | wc -l)" "$(awk '{ s += $7 } END { print s }' lbr.fdata)"
export_of lbr.data autofdo >lbr.afdo
LBR=97,32 feedback_truth autofdo program t.1.exp >want
autofdo_lines lbr.afdo >got
expect_same 'branch stacks: lines' want got

# clang takes it without a word, and knows what is hot.
for profile in t.1.data.afdo lbr.afdo; do
	clang "${FEEDBACK_FLAGS[@]}" -Wprofile-instr-unprofiled -Wall -Rpass=sample-profile-inline -fprofile-sample-use=$profile \
		-o again "$SRC/tests/data/feedback.c" 2>said
	! grep -E 'warning|error' said || fail "clang with $profile"
	grep "inlined into 'hot' to match profiling context" said >/dev/null || { cat said; fail "what $profile does to hot()"; }
	./again || fail "the program that $profile makes"
	clang "${FEEDBACK_FLAGS[@]}" -fprofile-sample-use=$profile -S -emit-llvm -o again.ll "$SRC/tests/data/feedback.c"
	grep 'function_entry_count", i64' again.ll >counts || fail "$profile: no function has a count"
done

# BOLT counts the same from addresses, makes a program of it, and that still works.
bolt=$(command -v llvm-bolt-16 llvm-bolt llvm-bolt-19 | head -1) || true
[ "$bolt" ] || { part_skipped 'what BOLT says: no llvm-bolt-16'; exit 0; }
"$bolt" program -o bolted -data t.1.data.fdata -reorder-blocks=ext-tsp -split-functions >said 2>&1 || { cat said; fail 'llvm-bolt'; }
grep -E ' [1-9][0-9]* out of [0-9]* functions in the binary .* have non-empty execution profile' said >/dev/null || { cat said; fail 'what BOLT took'; }
! grep -E 'invalid .*profile|profile for [0-9]* objects was ignored|stale' said || fail 'what BOLT ignored'
./bolted || fail 'the program that BOLT makes'

# What has no branches, and what is none of its options.
{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER period=1 sample_id_all ids=1'
	echo 'sample 7/7 t=200000000 ip=0x100 mode=user cpu=0'
} >text
"$(helper mkdata/mkdata)" text plain.data
for format in bolt autofdo; do
	expect_status 1 "$PREC" export -i plain.data --format=$format -o none 2>err
	[ ! -e none ] || fail 'a file without a profile'
	grep -q 'branch' err || { cat err; fail "$format without branches"; }
	expect_status 129 "$PREC" export -i plain.data --format=$format --by comm >out 2>err
done
