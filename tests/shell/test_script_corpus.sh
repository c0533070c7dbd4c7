#!/bin/bash
# Script prints what the newest perf prints of recordings by many versions of perf on other machines.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/script.sh"
need_newperf
need_corpus
# Not the kernel's symbols: perf takes this machine's for any other's. Not the CPU: it is 0 to perf where this
# machine has fewer.
FIELDS=comm,pid,tid,time,event,ip,dso,period

# Why a file is not compared.
exception() {
	case $1 in
	*/perf.data.true.v1)		echo "perf refuses version 1";;
	*/perf.data.true.v2)		echo "perf cuts the path of a file below /usr/lib64";;
	*.piped.ctx_switch_namespaces*)	echo "perf does not take the event's name from a stream's header";;
	*.piped.header_features*)	echo "perf stops at a record of 20 bytes";;
	*/probe.data.stream)		echo "the event's name is in the tracepoint formats, which are not read";;
	*/quipper_corpus/*)		echo "damaged on purpose";;
	esac
}

find "$PREC_CORPUS" -type f ! -name README.md | sort >files
while read -r file; do
	why=$(exception "$file")
	if [ "$why" ]; then
		echo "${file##*/}: not compared: $why"
		"$PREC" script -i "$file" >/dev/null 2>&1 || [ $? -le 2 ]
		continue
	fi
	compare "$NEWPERF" "$file" -G -F $FIELDS
done <files

compare "$NEWPERF" "$PREC_CORPUS/quipper/perf.data.branch-4.14" -F comm,time,ip,brstack
compare "$NEWPERF" "$PREC_CORPUS/quipper/perf.data.branch-4.14" -F comm,brstackoff,dso
compare "$NEWPERF" "$PREC_CORPUS/quipper/perf.data.callgraph_and_branch-3.4" -F ip,dso,brstack
compare "$NEWPERF" "$PREC_CORPUS/quipper/perf.data.callgraph-3.8" -F comm,tid,time,ip,dso
