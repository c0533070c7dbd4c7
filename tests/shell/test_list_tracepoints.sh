#!/bin/bash
# List shows all tracepoints that tracing/events holds, wherever tracefs is mounted, and says how to mount it.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_tracepoints

# "system:event" of those that can be opened; the ftrace ones have no id of their own to open.
(cd "$TRACEFS/events" && for f in */*/id; do
	f=${f%/id}
	[ "${f%%/*}" = ftrace ] || [[ $f = prec_test_* ]] || echo "${f/\//:}"
done) | sort >there
names() {
	sed 's/ *\[.*//; s/^ *//' | grep -v '^prec_test_' | sort	# without the probes of other tests
}
"$PREC" list tracepoint | names >listed
[ "$(wc -l <there)" -gt 100 ] || fail 'few tracepoints'
expect_same 'all of them' there <(grep -v '^ftrace:' listed)
"$PREC" list 'sched:sched_wak*' | names >listed
expect_same 'a pattern' <(grep '^sched:sched_wak' there) listed

# With its fields, but for those that all have, and how it is printed, as its format says.
"$PREC" list --details sched:sched_switch >details
grep -oE 'field:[^;]*' "$TRACEFS/events/sched/sched_switch/format" | grep -v common_ |
	sed -E 's/field://; s/(.*[ *])([a-z_]+)(\[[0-9]+\])?$/\2 \1\3/; s/ \[/[/; s/ *$//' >want
sed -nE 's/^ {10}([^ ]+) +/\1 /p' details >got
[ -s want ] || fail 'no fields'
expect_same 'fields' want got
expect 'how it is printed' "$(sed -n 's/^print fmt: /print /p' "$TRACEFS/events/sched/sched_switch/format")" "$(grep -o 'print ".*' details)"
if command -v python3 >/dev/null; then
	"$PREC" list -j --details sched:sched_switch >json
	python3 -c 'import json, sys
for f in json.load(open("json"))[0]["Fields"]: print(f["Name"], f["Type"])' >got
	expect_same 'fields in JSON' want got
fi
expect 'fields of all' "$(wc -l <there)" "$("$PREC" list --details tracepoint | grep -c '^        print ')"

# The reader has seen enough: no error, and nothing is said.
for n in 1 30; do
	status=$("$PREC" list tracepoint 2>err | head -$n >some; echo "${PIPESTATUS[0]}")
	[ "$status" = 0 ] && [ ! -s err ] || fail "status $status where nobody reads: $(cat err)"
done
{ "$PREC" list tracepoint 2>err || true; } | sed 5q >some || true
[ ! -s err ] || fail "a closed pipe is told: $(cat err)"

unshare -m true 2>/dev/null || skip 'no mount namespaces'
mkdir elsewhere
export TRACEFS
cat >moved <<'END'
set -euo pipefail
umount -l /sys/kernel/tracing 2>/dev/null || true
umount -l /sys/kernel/debug 2>/dev/null || true
status=0
"$PREC" list tracepoint >none 2>said || status=$?
[ $status = 1 ] && [ ! -s none ] && grep -q "mount -t tracefs tracefs /sys/kernel/tracing" said || { cat said; exit 1; }
# Other events are there all the same.
"$PREC" list >others 2>said
grep -q 'page-faults' others && grep -q 'tracepoints are not listed' said || { cat said; exit 1; }
"$PREC" list sw >others 2>said
[ ! -s said ] || { cat said; exit 1; }
# As debugfs shows it, and in a place of somebody's own.
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null && [ -d /sys/kernel/debug/tracing/events ] && "$PREC" list tracepoint >debug
umount -l /sys/kernel/debug/tracing 2>/dev/null || true
umount -l /sys/kernel/debug 2>/dev/null || true
mount -t tracefs tracefs elsewhere
"$PREC" list tracepoint >own
END
unshare -m bash moved >out 2>&1 || fail "without or with another tracefs: $(cat out)"
expect_same 'tracefs elsewhere' there <(names <own | grep -v '^ftrace:')
[ ! -e debug ] || expect_same 'tracefs below debugfs' there <(names <debug | grep -v '^ftrace:')
