#!/bin/bash
# An existing output file is kept as .old, and stays where it is as long as nothing was recorded.
. "$(dirname "$0")/lib/prec.sh"
need_events
"$PREC" record -q -e cpu-clock true
cp perf.data first
"$PREC" record -q -e cpu-clock true
cmp first perf.data.old || fail 'perf.data.old is not the file that was there'
cmp -s first perf.data && fail 'perf.data is still the old one'
cp perf.data second
# The command cannot be executed; the event cannot be opened; the file cannot be begun.
printf '#!/nonexistent\n' >script
chmod +x script
for i in 1 2; do
	expect_status 127 "$PREC" record -q -e cpu-clock ./script 2>err
	grep -q 'the interpreter that it names does not exist' err || fail "no interpreter: $(<err)"
	expect_status 1 "$PREC" record -q -e cpu-clock -p 999999999 2>err
	expect_status 1 "$PREC" record -q -e cpu-clock --cgroup=/nowhere -a true 2>err
done
cmp first perf.data.old && cmp second perf.data || fail 'starts that failed took the files away'
expect 'what they left' 'perf.data perf.data.old' "$(echo perf.data*)"
"$PREC" record -q -o perf.data -e cpu-clock true
cmp -s second perf.data.old || fail 'perf.data.old is the one before the last'
# What is no file is written where it is; what cannot be replaced, too.
"$PREC" record -q -o /dev/null -e cpu-clock true
[ -c /dev/null ] || fail '/dev/null is a file now'
mkdir d
touch d/data
chmod 777 d d/data
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 . d
	status=0
	setpriv --reuid 65534 --regid 65534 --clear-groups "$PREC" record -q -e cpu-clock:u -o d/data true 2>err || status=$?
	[ $status = 0 ] || grep -q perf_event_paranoid err || fail "a file in a folder that cannot be written: $(<err)"
	[ $status != 0 ] || expect 'what it left' data "$(ls d)"
fi
true
