#!/bin/bash
# Probes that others defined in tracefs are tracepoints: counted exactly, with their arguments, and left where they are.
# Runs: alone, as its probes are in everybody's list of tracepoints.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_tracepoints
[ -w "$TRACEFS/uprobe_events" ] || skip "no uprobe_events"
case $(uname -m) in
x86_64)		FIRST=%di;;
aarch64)	FIRST=%x0;;
*)		skip "the register of a first argument is not known here";;
esac
PLACES=$(workload places) GROUP=prec_test_$$

# Those who recorded it close it some time after they ended.
removed() {
	local probe
	for probe in step back; do
		! grep -q "$GROUP/$probe " "$TRACEFS/uprobe_events" || echo "-:$GROUP/$probe" >>"$TRACEFS/uprobe_events" || return 1
	done
} 2>/dev/null
at_end 'await 60 removed'

# The k-th call of step() has the argument k, from 0, and returns 1. That it is linked at 0 makes addresses offsets.
offset=0x$(nm "$PLACES" | awk '$3 == "step" { print $1 }')
types="all=$FIRST:u64 small=$FIRST:s8 hex=$FIRST:x16 bits=$FIRST:b4@2/8 stack=+0(\$stack):x8[2]"
echo "p:$GROUP/step $PLACES:$offset $types" >>"$TRACEFS/uprobe_events" || skip "no probe can be defined"
echo "r:$GROUP/back $PLACES:$offset result=\$retval:u32" >>"$TRACEFS/uprobe_events"

"$PREC" list "$GROUP:*" >text
grep -q "$GROUP:step" text && grep -q "$GROUP:back" text || fail "list: $(cat text)"

"$PREC" record -q -o data -e "$GROUP:step,$GROUP:back" "$PLACES" 300 >/dev/null
"$PREC" script -i data -F event,trace | tr -s ' ' >text
expect 'calls' 300 "$(grep -c "$GROUP:step:" text)"
expect 'returns' 300 "$(grep -c "$GROUP:back:.* result=1\$" text)"
seq 0 299 | awk '{ printf "all=%d small=%d hex=0x%x bits=%d\n", $1, ($1 % 256 > 127 ? $1 % 256 - 256 : $1 % 256), $1, int($1 / 4) % 16 }' >want
sed -n "s/.*$GROUP:step:.* \(all=.* small=.* hex=.* bits=[^ ]*\) .*/\1/p" text >got
expect_same 'the arguments' want got
"$PREC" report -i data -s "$GROUP:back.result" --stdio >shown
grep -qE '100.00% +1$' shown || fail "a key of a probe: $(cat shown)"

expect 'with a filter' 100 "$("$PREC" record -q -o some -e "$GROUP:step" --filter 'all < 100' "$PLACES" 300 >/dev/null &&
	"$PREC" script -i some -F event | wc -l)"
grep -q "$GROUP/step" "$TRACEFS/uprobe_events" || fail "the probe is gone"

# The stack begins with the address that is returned to, where a call puts it there.
[ "$FIRST" != %di ] || expect 'the first byte of the stack' \
	"$(sed -n 's/.*:back:.* <- [0-9a-f]*\([0-9a-f][0-9a-f]\)).*/\1/p' text | sort -u | sed 's/^0\(.\)/\1/')" \
	"$(sed -n 's/.*:step:.* stack={0x\([0-9a-f]*\),.*/\1/p' text | sort -u)"

# When it is gone, the file tells still what it was; and perf prints the same, but for signed bytes, which are unsigned
# there, and arrays, which the old one begins at the wrong element.
await 60 removed
"$PREC" script -i data -F event,trace | tr -s ' ' >again
expect_same 'without the probe' text again
sed 's/ small=[^ ]*//; s/ stack=.*//' text >got
for perf in $(perfs); do
	[ "$perf" ] && "$perf" --version >/dev/null 2>&1 || continue
	"$perf" script -i data -F event,trace 2>/dev/null </dev/null | tr -s ' ' | sed 's/ small=[^ ]*//; s/ stack=.*//' >want
	expect_same "as $perf prints it" want got
done
