/*
 * Every code of a finding, one row each: ROW(identifier, name, severity, sentence, remedy).
 *
 * Sentence and remedy are text in which {n} is the finding's count, {of} of how many, {where} where; {one|many} is the
 * first word where the count is 1. What stands in [brackets] is left out where a placeholder in it has no value.
 * Sentences begin lowercase and end without a full stop, as all messages do. A row is added anywhere: the order is the
 * one in which findings of one severity and share are printed.
 * Layer: base
 */
#ifndef CORE_BASE_FINDING_CODES_H
#define CORE_BASE_FINDING_CODES_H

#define FINDING_CODES(ROW)											\
	ROW(UNFINISHED, "unfinished", DAMAGE,									\
	    "{where} was never finished: {n} {byte|bytes} of data are there",					\
	    "its recorder was killed, or the machine stopped: what it had not written is lost")			\
	ROW(CUT_FILE, "cut-file", DAMAGE,									\
	    "{where} is cut: {n} of [{of} ]bytes of data are missing",						\
	    "copy it again from where it was recorded")								\
	ROW(TRUNCATED, "truncated", DAMAGE,									\
	    "{where} was truncated while it was being read: samples at its end are missing",			\
	    "read it again when nobody writes it any more")							\
	ROW(CUT_RECORD, "cut-record", DAMAGE,									\
	    "no whole record at {where}: {n} {byte|bytes} there were not read",					\
	    "what was recorded after that is missing: copy the file again, or record again")			\
	ROW(CUT_COMPRESSED, "cut-compressed", DAMAGE,								\
	    "what is compressed ends inside a record at {where}: {n} {byte|bytes} of it were not read",		\
	    "what was recorded after that is missing: copy the file again, or record again")			\
	ROW(DAMAGED_RECORDS, "damaged-records", DAMAGE,								\
	    "{n} damaged {record was|records were} left out, the first at {where}",				\
	    "the others are shown; copy the file again from where it was recorded")				\
	ROW(DAMAGED_HEADER, "damaged-header", DAMAGE,								\
	    "a part of the header is damaged: {where}",								\
	    "what it says of the recording is missing; copy the file again from where it was recorded")		\
	ROW(DAMAGED_TRACEPOINTS, "damaged-tracepoints", DAMAGE,							\
	    "the descriptions of tracepoints are damaged[: {where}]",						\
	    "samples of the others are shown as bytes; copy the file again from where it was recorded")		\
	ROW(NO_EVENT, "no-event", DAMAGE,									\
	    "{n} {sample|samples} of no known event {was|were} left out",					\
	    "the header lacks the events that they name: it is damaged, or two recordings were joined")		\
	ROW(LATE_HEADERS, "late-headers", DAMAGE,								\
	    "{n} {record that says|records that say} how to read others came too late, and {was|were} left out",	\
	    "save the stream to a file, and read that")								\
	ROW(UNKNOWN_RECORDS, "unknown-records", WARNING,							\
	    "{n} {record|records} of types unknown to prec {was|were} left out",				\
	    "a newer perf may have written them: report --stats counts what is there")				\
	ROW(DISORDERED, "disordered", WARNING,									\
	    "{n} {record|records} came later than the rounds of the recorder promise: their lines are not in order of time",	\
	    "save the stream to a file, and read that")								\
	ROW(MISSING_PARTS, "missing-parts", WARNING,								\
	    "{where} is part of a directory whose other files are not beside it",				\
	    "name the directory that record --threads wrote")							\
	ROW(LOST_RECORDS, "lost-records", WARNING,								\
	    "{n} {record was|records were} lost while recording[: {where}]",					\
	    "larger buffers (record -m) or a lower rate (record -F, -c) lose less")				\
	ROW(LOST_SAMPLES, "lost-samples", WARNING,								\
	    "{n} [of {of} ]samples {was|were} lost while recording[: {where}]",					\
	    "larger buffers (record -m) or a lower rate (record -F, -c) lose less")				\
	ROW(THROTTLED, "throttled", WARNING,									\
	    "the kernel stopped sampling {n} {time|times} for a moment, as it took too much of a CPU",		\
	    "what ran then is missing; a lower rate (record -F, -c) avoids that")				\
	ROW(CHAINS_CUT_BY_KERNEL, "chains-cut-by-kernel", WARNING,						\
	    "{n} of {of} call chains {is|are} cut at the depth that the kernel records",			\
	    "raise it (sysctl kernel.perf_event_max_stack), and record again")					\
	ROW(CHAINS_CUT_BY_STACK, "chains-cut-by-stack", WARNING,						\
	    "{n} of {of} call chains {is|are} cut at the end of the recorded stack",				\
	    "record more of it: record --call-graph dwarf,BYTES")						\
	ROW(CHAINS_CUT_BY_DEPTH, "chains-cut-by-depth", NOTE,							\
	    "{n} of {of} call chains {is|are} cut at the depth that is shown",					\
	    "--max-stack shows more")										\
	ROW(CHAINS_WITHOUT_USER, "chains-without-user", WARNING,						\
	    "{n} call {chain ends|chains end} in the kernel: no record told what user space had called",	\
	    "the thread was not back there before the end: record for longer")					\
	ROW(NO_SAMPLES, "no-samples", WARNING,									\
	    "{where} has no samples",										\
	    "what was recorded did not run, or nothing of it was counted: see the events of --header")		\
	ROW(NO_SAMPLES_LEFT, "no-samples-left", WARNING,							\
	    "no sample of {where} is left: none can be read, or none is inside the filters' CPUs and times",	\
	    "leave filters out: -C, --pid, --tid, --time")							\
	ROW(NO_SYMBOL, "no-symbol", NOTE,									\
	    "{n} of {of} samples {has|have} no symbol[: {where}]",						\
	    "the files with symbols are needed, as they were when it was recorded: --symfs names another place")	\
	ROW(NO_TARGET_SYMBOL, "no-target-symbol", NOTE,								\
	    "{n} of {of} targets of branches {has|have} no symbol[: {where}]",					\
	    "the files with symbols are needed, as they were when it was recorded: --symfs names another place")	\
	ROW(NO_CHAIN, "no-chain", NOTE,										\
	    "{n} of {of} samples {has|have} no call chain",							\
	    "their events were recorded without (record -g), or the thread had no stack to walk")

#endif
