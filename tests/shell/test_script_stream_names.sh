#!/bin/bash
# A tracepoint that no record of a stream names has the name of its description.
. "$(dirname "$0")/lib/prec.sh"
need_corpus perfparser/probe.data.stream
stream=$PREC_CORPUS/perfparser/probe.data.stream
expect "script" "probe_untitled1:main:" "$("$PREC" script -i "$stream" -F event 2>/dev/null | sort -u | xargs)"
"$PREC" report -i "$stream" 2>/dev/null | grep "of event 'probe_untitled1:main'" >/dev/null || fail "report has another name"
