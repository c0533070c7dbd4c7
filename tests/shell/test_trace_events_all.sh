#!/bin/bash
# Ten thousand traces of Intel PT, and as many of CoreSight, in which whatever may happen happens, in every view of script and report.
# Runs: long slow
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/trace_views.sh"
made_traces pt_events 4 10000
pt=$traces
every_view t.data
made_traces cs_events 2 10000
every_view t.data
echo "$pt traces of Intel PT and $traces of CoreSight, each in ${#TRACE_VIEWS[@]} views of script and report, by one thread and by two"
