#!/bin/bash
# An existing output file is kept as .old.
. "$(dirname "$0")/lib/prec.sh"
need_events
"$PREC" record -q -e cpu-clock true
cp perf.data first
"$PREC" record -q -e cpu-clock true
cmp first perf.data.old || fail 'perf.data.old is not the file that was there'
cmp -s first perf.data && fail 'perf.data is still the old one'
"$PREC" record -q -o perf.data -e cpu-clock true
cmp -s first perf.data.old && fail 'perf.data.old is the one before the last'
true
