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

sum_lines() { awk '{ k = $1 " " $2 " " $3 " " $4 " " $5 " " $6; m[k] += $7; n[k] += $8 } END { for (k in n) print k, m[k], n[k] }' "$1" | sort; }

# same_as_log WHAT FILE: its exports have the counts of the log t.1.exp.
same_as_log() {
	feedback_truth bolt program t.1.exp >want
	export_of "$2" bolt >"$2.fdata"
	sort "$2.fdata" >got
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
feedback_stacks program t.1.exp 97 32 t.maps >text
"$(helper mkdata/mkdata)" text lbr.data
[ "$("$PREC" script -i lbr.data -F ip 2>/dev/null | wc -l)" -gt 50 ] || fail 'hardly any samples'
export_of lbr.data bolt >lbr.fdata
awk '{ $7 = 0; print }' lbr.fdata | sort >got
LBR=97,32 feedback_truth bolt program t.1.exp >want
expect_same 'branch stacks: branches' want got
expect 'mispredicted branches' "$(grep -o ':1\b' text | wc -l)" "$(awk '{ s += $7 } END { print s }' lbr.fdata)"
# Branches among functions that BOLT does not know are left out, those from and to them are not.
objcopy --redefine-sym 'hot=not for BOLT' program partly
sed 's/\/program"/\/partly"/' text >text.partly
"$(helper mkdata/mkdata)" text.partly partly.data
export_of partly.data bolt | sort >got
sed -E '/^1 hot [^ ]+ 1 hot /d; s/1 hot [^ ]+/0 [unknown] 0/' lbr.fdata | sort >want
expect_same 'branch stacks: without a function' <(sum_lines want) <(sum_lines got)
export_of lbr.data autofdo >lbr.afdo
LBR=97,32 feedback_truth autofdo program t.1.exp >want
autofdo_lines lbr.afdo >got
expect_same 'branch stacks: lines' want got

# llvm-profgen calls the perf in PATH: with prec there it makes the same profile as with the newer perf.
profgen=$(command -v llvm-profgen llvm-profgen-14 llvm-profgen-16 llvm-profgen-19 | head -1) || true
if [ "$profgen" ] && with_newperf 'llvm-profgen'; then
	for who in "$PREC" "$PREC_PERF"; do
		rm -rf bin
		mkdir bin
		ln -s "$who" bin/perf
		PATH=$PWD/bin:$PATH timeout 60 "$profgen" --binary=program --perfdata=lbr.data --format=text --output=profgen.${who##*/} </dev/null >said 2>&1 ||
			fail "llvm-profgen with ${who##*/} as perf: $(tail -3 said)"
	done
	expect_same 'llvm-profgen with prec as perf' profgen.perf profgen.prec
	grep -q '^hot:' profgen.prec || fail "llvm-profgen finds no function: $(<said)"
else
	part_skipped 'llvm-profgen: not here (llvm)'
fi

# The compilers take them, and what they make works.
compilers_take t.1.data "$SRC/tests/data/feedback.c"
compilers_take lbr "$SRC/tests/data/feedback.c"

# Of samples alone, each 61 instructions: their counts, which llvm-profdata adds up to the same.
{
	echo 'feature arch=x86_64'
	echo 'attr cycles type=hardware config=0 sample=IP,TID,TIME,IDENTIFIER period=1000 exclude_kernel sample_id_all ids=1'
	echo 'comm 100/100 "program" exec t=1'
	read -r range prot off _ _ path <t.maps
	printf 'mmap2 100/100 0x%s+%#x@0x%s %s "%s" %s t=2\n' "${range%-*}" $((0x${range#*-} - 0x${range%-*})) "$off" "$prot" "$path" \
		"$PT_BUILD_ID"
	awk 'NR % 61 == 0 { print "sample 100/100 t=" 1000 + NR " ip=0x" $1 " mode=user" }' t.1.exp
} >text
"$(helper mkdata/mkdata)" text samples.data
EACH=61 feedback_truth autofdo program t.1.exp >want
export_of samples.data autofdo >samples.afdo
autofdo_lines samples.afdo >got
expect_same 'samples: lines' want got
clang_takes samples "$SRC/tests/data/feedback.c"
profdata=$(command -v llvm-profdata llvm-profdata-14 llvm-profdata-16 llvm-profdata-19 | head -1) || true
if [ "$profdata" ]; then
	"$profdata" show --sample samples.afdo >shown || fail "llvm-profdata of samples"
	expect "samples of hot, by llvm-profdata" "$(sed -n 's/^hot:\([0-9]*\):.*/\1/p' samples.afdo)" \
		"$(sed -n 's/^Function: hot: \([0-9]*\),.*/\1/p' shown)"
fi
expect_status 1 "$PREC" export -i samples.data --format=bolt -o none 2>err
grep -q 'branch' err || fail "bolt without branches: $(cat err)"

# Recordings without branches or code, and invalid options.
{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER period=1 sample_id_all ids=1'
	echo 'sample 7/7 t=200000000 ip=0x100 mode=user cpu=0'
} >text
"$(helper mkdata/mkdata)" text plain.data
for format in bolt autofdo; do
	expect_status 1 "$PREC" export -i plain.data --format=$format -o none 2>err
	[ ! -e none ] || fail 'a file without a profile'
	grep -qE 'branch|lines known' err || { cat err; fail "$format without branches"; }
	expect_status 129 "$PREC" export -i plain.data --format=$format --by comm >out 2>err
done
