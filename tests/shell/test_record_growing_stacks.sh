#!/bin/bash
# Copies of the stack become as large as chains need (--call-graph dwarf,MIN-MAX): for all events, or only for the thread that needs it.
. "$(dirname "$0")/lib/prec.sh"
# Runs: slow
need_events
case $(uname -m) in x86_64 | aarch64) ;; *) skip "no user registers on $(uname -m)" ;; esac
RATE=(-e cpu-clock:u -c 500000 -m 4M)
DEEP=$(workload deep)
skips_if_shed data

# Of thread TID of FILE, a line a sample in order of time: how many calls of down() its chain has.
calls_of() {	# FILE TID
	"$PREC" script --no-inline -i "$1" --tid "$2" -F tid,ip,sym 2>err.script | awk '
		NF == 0 { if (seen) print n + 0; n = seen = 0; next }
		$2 == "burn" { seen = 1 }
		$2 == "down" { n++ }'
}
# The sizes of copies that were asked for: the sizes of the samples, less what else is in them.
sizes_of() {	# FILE TID
	"$PREC" script -D -i "$1" 2>/dev/null | sed -nE "s|^[0-9]+ 0x[0-9a-f]+ \[(0x[0-9a-f]+)\]: PERF_RECORD_SAMPLE\(.*\): [0-9]+/$2: .*|\1|p" |
		while read -r size; do echo $((size / 8192 * 8192)); done | uniq
}

for mode in '' --unwind=live; do
	# shellcheck disable=SC2086
	"$PREC" record "${RATE[@]}" --call-graph dwarf,8192-65528 $mode -o data "$DEEP" 1500 10 1 >tids 2>err
	grep -q 'Copies of the stack grew to 65528 bytes' err || fail "$mode: they did not grow: $(<err)"
	deep=$(awk '$2 == 10 { print $1 }' tids) flat=$(awk '$2 == 1 { print $1 }' tids)
	calls_of data "$deep" >calls
	expect "$mode: calls at the end" 10 "$(tail -1 calls)"
	expect "$mode: fewer at first" 1 "$(($(head -1 calls) < 10))"
	expect "$mode: each size is at least as long as the one before" '' "$(sort -nc calls 2>&1 | head -1)"
	# A page that the host of a virtual machine has not mapped cannot be copied: the finding of the chain's cut says so.
	calls_of data "$flat" >calls
	! grep -q 'chains-uncopied' err.script || sed -i '/^0$/d' calls
	expect "$mode: the other thread" 1 "$(sort -u calls)"
	# It is one event to whoever reads the file.
	expect "$mode: events" 'cpu-clock:u' "$("$PREC" script -i data -G -F event 2>/dev/null | sed 's/: *$//; s/ //g' | sort -u)"
	perf_agrees data
done
# What was cut before is told.
expect_finding chains-cut-by-stack err

# Of a thread alone, where each has its own ring.
"$DEEP" 3000 10 1 >tids &
await 60 eval '[ "$(wc -l <tids)" = 2 ]'
deep=$(awk '$2 == 10 { print $1 }' tids) flat=$(awk '$2 == 1 { print $1 }' tids)
"$PREC" record "${RATE[@]}" --call-graph dwarf,8192-65528 -t "$deep,$flat" --per-thread -o data 2>err
expect 'calls at the end' 10 "$(calls_of data "$deep" | tail -1)"
expect 'the largest copy of the thread that needs it' 57344 "$(sizes_of data "$deep" | sort -n | tail -1)"
[ "$(sizes_of data "$flat" | sort -n | tail -1)" -le 16384 ] || fail "the other thread has copies of $(sizes_of data "$flat" | xargs)"

# Enough from the start, nothing grows.
"$PREC" record "${RATE[@]}" --call-graph dwarf,16384-65528 -o data "$DEEP" 200 1 >tids 2>err
! grep -E 'grew|chains-cut' err || fail "they grow for nothing: $(<err)"

# With -g copies are smaller while no chain needs more. Each chain is whole, or cut and counted as such, and at the end they are whole.
# A line a sample in burn(): how many frames its chain has.
frames_of() { "$PREC" script --no-inline -i "$1" -F ip,sym 2>err.script | awk 'NF { if (!n++) leaf = $2; next } n { if (leaf == "burn") print n; n = 0 }'; }
nr_found() { sed -nE "s/^prec: (warning: )?([0-9]+) of [0-9]+ call chains? .* \\[$1\\]\$/\\2/p" err; }
if [ "$(id -u)" = 0 ]; then
	"$PREC" record -v -e cpu-clock:u -F 4000 -g -o data "$DEEP" 1000 0-10 >tids 2>err
	expect "sizes that were taken" "smaller larger" "$(sed -nE 's/.*copies of stacks are ([a-z]*) .*/\1/p' err | xargs)"
	frames_of data >frames
	flat=$(head -1 frames) deep=$(tail -1 frames)
	expect "more frames of whole chains" 10 "$((deep - flat))"
	cut=$(awk -v flat="$flat" -v deep="$deep" '$1 != flat && $1 != deep' frames | wc -l)
	expect "chains cut" "$(($(nr_found chains-cut-by-stack) + $(nr_found chains-uncopied)))" "$cut"
	[ "$cut" -lt 2000 ] || fail "$cut chains are cut before copies are larger again"
	# Chains that need more from the start on keep larger copies.
	"$PREC" record -v -e cpu-clock:u -F 4000 -g -o data "$DEEP" 500 10 >tids 2>err
	! grep 'copies of stacks are' err || fail "copies change for nothing"
	frames_of data >frames
	expect "chains that are not whole" "$(($(nr_found chains-uncopied)))" "$(awk -v deep="$deep" '$1 != deep' frames | wc -l)"
fi

# What makes no sense.
for sizes in 8192- 8192-4096 8192-8192 -8192 8192-65536; do
	expect_status 129 "$PREC" record -q --call-graph dwarf,$sizes -o data true 2>err
done
expect_status 129 "$PREC" record -q --call-graph dwarf,8192-65528 --threads -o data true 2>err
expect_status 129 "$PREC" record -q --call-graph dwarf,8192-65528 --overwrite -o data true 2>err
