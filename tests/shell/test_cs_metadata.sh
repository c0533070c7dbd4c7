#!/bin/bash
# CoreSight is decoded whatever way its recording describes it: old and new metadata, trace IDs by record, snapshots, times.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/cs.sh"

event="event=cs_etm id=1"

# trailer TIME CPU: of a record made by hand; as the attr's sample fields have it.
trailer() {
	printf '%s' "$(le 8 4242)$(le 8 4242)$(le 16 "$1")$(le 8 "$2")$(le 8 0)$(le 16 1)"
}

# described INFO [LINE...]: made.data, with AUXTRACE_INFO's words in hexadecimal, the LINEs, and trace.bin between them.
described() {
	local info=$1
	shift
	{
		echo "feature arch=aarch64 nrcpus=8 auxtrace"
		echo "attr cs_etm type=8 sample=IP,TID,TIME,CPU,IDENTIFIER read=ID period=1 sample_id_all ids=1"
		echo "raw type=70 $(le 8 3)$(le 8 0)$info"
		echo "comm 4242/4242 \"program\" exec t=1 $event"
		echo "mmap2 4242/4242 0x400000+$(stat -c %s trace/code.bin)@0 r-xp \"$PWD/trace/code.bin\" t=2 $event"
		echo "itrace_start 4242/4242 t=4 cpu=0 $event"
		for line; do
			[ "$line" != TRACE ] || line=$(auxtrace trace/trace.bin 0 -1)
			echo "$line"
		done
	} >made.txt
	"$mkdata" made.txt made.data
}

# registers NAME...: of the trace unit, as words; NAME=VALUE stands for itself.
registers() {
	local name
	for name; do
		case $name in *=*) le 16 "${name#*=}" ;; *) le 16 "$(setting "TRC$name" trace/etm_0.ini)" ;; esac
	done
}

exact() { # exact WHAT
	local jobs
	for jobs in 1 3; do
		"$PREC" script -j$jobs --itrace=i1i -F ip -i made.data 2>messages | tr -d ' ' >got
		expect_same "$1" trace/expected got
	done
}

v4=$(le 16 $((0x4040404040404040)))
one=$(le 16 $((8 << 32 | 1)))
"$gen" -s 5 -n 3000 -o user -o rs trace
size=$(stat -c %s trace/trace.bin)
aux="aux 4242/4242 off=0 size=$size flags=0 t=900000000 cpu=0 $event"
regs=$(registers CONFIGR TRACEIDR IDR0 IDR1 IDR2 IDR8 AUTHSTATUS)

described "$(words 0)$one$(words 0)$v4$(words 0)$regs" "$aux" TRACE
exact "metadata of version 0"
described "$(words 1)$one$(words 0)$v4$(words 0 7)$regs" "$aux" TRACE
exact "metadata of version 1"
described "$(words 1)$one$(words 0)$v4$(words 0 9)$regs$(words 0 0x1234)" "$aux" TRACE
exact "metadata with words to come"
described "$(words 1)$one$(words 1)$v4$(words 0 7)$regs" "aux 4242/4242 off=0x5550 size=$size flags=2 t=900000000 cpu=0 $event" TRACE
exact "a snapshot"

described "$(words 1)$one$(words 0)$v4$(words 0 7)$(registers CONFIGR=0x30000 TRACEIDR IDR0 IDR1 IDR2 IDR8 AUTHSTATUS)" "$aux" TRACE
"$PREC" script --itrace=i1i -F ip -i made.data >got 2>messages
expect_finding unsupported-trace messages "bytes of trace cannot be decoded: data trace"

# ---- a record has the ID, which is another than the register's, or none ----

id=$(($(setting TRCTRACEIDR trace/etm_0.ini)))
hw_id() { # hw_id WORD: AUX_OUTPUT_HW_ID
	echo "raw type=21 $(le 16 "$1")$(trailer 3 0)"
}
for register in 0x33 $((1 << 31)); do
	words=$(registers CONFIGR TRACEIDR=$register IDR0 IDR1 IDR2 IDR8 AUTHSTATUS)
	described "$(words 1)$one$(words 0)$v4$(words 0 7)$words" "$aux" TRACE
	"$PREC" script --itrace=i1i -F ip -i made.data >got 2>messages
	[ ! -s got ] || fail "trace of an ID that no CPU has is decoded"
	expect_finding trace-of-no-cpu messages
	for word in "$id" $((1 << 56 | 7 << 8 | id)); do
		described "$(words 1)$one$(words 0)$v4$(words 0 7)$words" "$(hw_id "$word")" "$aux" TRACE
		exact "the ID by a record (register $register, $word)"
	done
done

# ---- each AUX record is a new start; one whose trace is not there is a gap ----

lines=()
for at in 0 $size; do
	lines+=("aux 4242/4242 off=$at size=$size flags=0 t=90000000$((at > 0)) cpu=0 $event")
done
described "$(words 1)$one$(words 0)$v4$(words 0 7)$regs" "${lines[@]}" "$(auxtrace trace/trace.bin 0 -1)" "$(auxtrace trace/trace.bin 0 -1 100000000 $size)"
"$PREC" script -j2 --itrace=i1i -F ip -i made.data 2>messages | tr -d ' ' >got
expect_same "two AUX records" <(cat trace/expected trace/expected) got
described "$(words 1)$one$(words 0)$v4$(words 0 7)$regs" "${lines[0]}" \
	"aux 4242/4242 off=$size size=$size flags=1 t=900000001 cpu=0 $event" \
	"aux 4242/4242 off=$((2 * size)) size=$size flags=0 t=900000002 cpu=0 $event" \
	"$(auxtrace trace/trace.bin 0 -1)" "$(auxtrace trace/trace.bin 0 -1 100000000 $((2 * size)))"
"$PREC" script -j2 --itrace=i1i -F ip -i made.data 2>messages | tr -d ' ' >got
expect_same "what is behind a lost part" <(cat trace/expected trace/expected) got
expect_finding trace-buffer-full messages 'interrupted 1 time '

# ---- virtual timestamps are perf's times ----

clock="raw type=79 $(words 0 1 500 0 0)0100000000000000"
described "$(words 1)$one$(words 0)$v4$(words 0 8)$regs$(words 1)" "$clock" "$aux" TRACE
exact "with times"
last=$("$PREC" script --ns --itrace=i1i -F time -i made.data 2>/dev/null | tail -1 | tr -d ' .:')
expect "the last time" "$(($(awk '{ t = $2 } END { print t }' trace/sums) + 500))" "$((10#$last))"
# Each instruction's is a timestamp of the trace, and no time goes back.
"$PREC" script --ns --itrace=i1i -F time -i made.data 2>/dev/null | tr -d ' .:' | uniq >got
[ "$(wc -l <got)" -gt 20 ] || fail "hardly any times"
expect_same "times in order" <(sort -n got) got
"$PREC" script -D --no-itrace -i made.data 2>/dev/null | sed -n 's/.*I_TIMESTAMP.*val = \(0x[0-9a-f]*\).*/\1/p' |
	while read -r time; do echo $((time + 500)); done | sort >want
expect "times that are no timestamps" "" "$(sort got | comm -13 want -)"
described "$(words 1)$one$(words 0)$v4$(words 0 8)$regs$(words 0)" "$clock" "$aux" TRACE
expect "other clocks' times are those of AUX records" "0.900000000:" \
	"$("$PREC" script --ns --itrace=i1i -F time -i made.data 2>/dev/null | sort -u | tr -d ' ')"

# With T they are perf's all the same.
expect "the last time, with T" "$last" \
	"$("$PREC" script --ns --itrace=i1iT -F time -i made.data 2>/dev/null | tail -1 | tr -d ' .:')"

# ---- options for other devices change nothing, and some are reported ----

for letters in i100iG i100iL i100is5; do
	"$PREC" script --itrace=i100i -i made.data >want 2>/dev/null
	"$PREC" script --itrace=$letters -i made.data >got 2>messages
	expect_same $letters want got
	grep -q 'of CoreSight changes nothing' messages || fail "$letters is not told of: $(<messages)"
done
