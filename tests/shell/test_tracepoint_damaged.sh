#!/bin/bash
# A format that is beyond prec falls back for its event alone, and descriptions that are cut cost names, not the file.
. "$(dirname "$0")/lib/prec.sh"
MKTRACE=$(helper mkdata/mktrace)

# format EVENT ID PRINT-FORMAT: a format file with one field.
format() {
	mkdir -p "made/$1"
	printf 'name: %s\nID: %d\nformat:\n' "$1" "$2" >"made/$1/format"
	printf '\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n' 'unsigned short common_type' 0 2 0 \
		'unsigned char common_flags' 2 1 0 'unsigned char common_preempt_count' 3 1 0 'int common_pid' 4 4 1 >>"made/$1/format"
	printf '\n\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n\nprint fmt: %s\n' 'int value' 8 4 1 "$3" >>"made/$1/format"
}
format before 11 '"value is %d", REC->value'
format strange 12 '"value is %s", __print_strange(REC->value, { 1, "one" })'
format after 13 '"%d and %x", REC->value, REC->value'
make_data() {
	"$MKTRACE" data 20 1 made/before/format made/strange/format made/after/format
}
make_data

"$PREC" script -i data -F event,trace >text 2>err
[ ! -s err ] || fail "$(cat err)"
expect 'lines' 60 "$(wc -l <text)"
expect 'those that are understood' 20 "$(grep -cE '^ *made:before: +value is -?[0-9]+$' text)"
expect 'those behind' 20 "$(grep -cE '^ *made:after: +-?[0-9]+ and [0-9a-f]+$' text)"
expect 'the strange one, by name' 20 "$(grep -cE '^ *made:strange: +\[FAILED TO PARSE\] value=-?[0-9]+$' text)"
# The values are those of the other program that reads the same file.
if with_perf; then
	perf script -i data -F event,trace </dev/null 2>/dev/null | tr -s ' ' | grep -v strange >want || true
	[ ! -s want ] || expect_same 'the others as perf prints them' want <(tr -s ' ' <text | grep -v strange)
fi
"$PREC" report -i data -s trace >text 2>err || fail "report: $(cat err)"
grep -q 'FAILED TO PARSE' text && grep -q 'value is' text || fail "report: $(cat text)"

# The section of the descriptions is the first behind the data; say that it has fewer bytes than it has.
word() {	# OFFSET: 8 bytes of the file
	od -An -t u8 -j "$1" -N 8 data | tr -d ' '
}
sections=$(($(word 40) + $(word 48)))
size=$(word $((sections + 8)))
[ "$size" -gt 500 ] || fail "the section has $size bytes"
cut_to() {
	make_data
	printf "$(printf '%016x' "$1" | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\\x\8\\x\7\\x\6\\x\5\\x\4\\x\3\\x\2\\x\1/')" |
		dd of=data bs=1 seek=$((sections + 8)) conv=notrunc status=none
}
some=
for ((left = 0; left < size; left += 173)); do
	cut_to $left
	expect_status 2 "$PREC" script -i data -F event,time >text 2>err
	expect_finding damaged-tracepoints err
	expect "lines with $left of $size bytes" 60 "$(grep -c 'made:' text)"
	expect_status 2 "$PREC" script -i data -F event,trace >text 2>err
	grep -q 'value is' text && some=yes
	expect_status 2 "$PREC" report -i data -s sym >text 2>err
	grep -q "event 'made:before'" text || fail "report with $left bytes: $(cat text err)"
done
[ "$some" ] || fail 'what stands before the cut is not read'

# Repaired, each tracepoint is described, by its name if by nothing else: so perf reads it.
for left in 0 200 $((size / 2)); do
	cut_to $left
	expect_status 0 "$PREC" verify --repair -o clean data >text 2>err
	any_status "$PREC" verify clean >text 2>err
	! grep -q 'damaged' text || fail "still damaged: $(cat text)"
	for reader in "$PREC" $(perfs); do
		expect "lines of what is repaired, $left bytes left, by $reader" 60 \
			"$("$reader" script -i clean -F event,trace 2>/dev/null </dev/null | grep -c 'made:')"
	done
done
make_data

# A cut stream, and a recording that has none at all.
head -c $((sections - 100)) data >short
"$PREC" script -i short -F event >text 2>err && fail 'a cut file is not told'
[ "$(wc -l <text)" -ge 50 ] || fail "a cut file has $(wc -l <text) lines"
