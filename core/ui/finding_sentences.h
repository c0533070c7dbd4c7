/*
 * Lists the findings (problems of a recording, finding.h) that prec can report, one row each, with a sentence that describes the
 * problem and a remedy. finding.c fills the counts into the sentences.
 */
#ifndef CORE_UI_FINDING_SENTENCES_H
#define CORE_UI_FINDING_SENTENCES_H

#define LOSS_HINT "what helps is, in this order, rings of the default size (no -m), real-time priority (-r 1, as root), "	\
	"smaller copies of stacks (--call-graph), larger rings (-m) where it is short, a lower rate (-F, -c) where it lasts"

/*
 * {n}: the count, {of}: the total, {where}: the place, {one|many}: the first word for one. [Text] is left out if a placeholder in
 * it has no value. Lowercase begin, no full stop. Findings of the same severity and share are printed in the order of the rows.
 */
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
	ROW(DAMAGED_INDEX, "damaged-index", DAMAGE,								\
	    "the index of the data does not fit them: {where}",							\
	    "samples there may be missing; copy the file again from where it was recorded")			\
	ROW(DAMAGED_TRACEPOINTS, "damaged-tracepoints", DAMAGE,							\
	    "the descriptions of tracepoints are damaged[: {where}]",						\
	    "samples of the others are shown as bytes; copy the file again from where it was recorded")		\
	ROW(NO_EVENT, "no-event", DAMAGE,									\
	    "{n} {sample|samples} of no known event {was|were} left out",					\
	    "the header lacks the events that they name: it is damaged, or two recordings were joined")		\
	ROW(LATE_HEADERS, "late-headers", DAMAGE,								\
	    "{n} {record that says|records that say} how to read others came too late, and {was|were} left "	\
	    "out",												\
	    "save the stream to a file, and read that")								\
	ROW(UNKNOWN_RECORDS, "unknown-records", WARNING,							\
	    "{n} {record|records} of types unknown to prec {was|were} left out",				\
	    "a newer perf may have written them: report --stats counts what is there")				\
	ROW(DISORDERED, "disordered", WARNING,									\
	    "{n} {record|records} came later than the rounds of the recorder promise: their lines are not in "	\
	    "order of time",											\
	    "save the stream to a file, and read that")								\
	ROW(MISSING_PARTS, "missing-parts", WARNING,								\
	    "{where} is part of a directory whose other files are not beside it",				\
	    "name the directory that record --threads wrote")							\
	ROW(READ_FAILED, "read-failed", DAMAGE,									\
	    "the rest of the recording was not read: {where}",							\
	    "what came before is shown; read it again, or record again")					\
	ROW(KERNEL_HIDDEN, "kernel-hidden", WARNING,								\
	    "{where} hides addresses: the kernel's functions have no names",					\
	    "sysctl kernel.kptr_restrict=0 shows them, to root 1 does; or give the kernel's vmlinux with -k")	\
	ROW(UNUSABLE_KALLSYMS, "unusable-kallsyms", WARNING,							\
	    "cannot use {where} as kallsyms",									\
	    "give a copy of /proc/kallsyms that root made on the machine of the recording, with addresses in "	\
	    "it")												\
	ROW(UNUSABLE_VMLINUX, "unusable-vmlinux", WARNING,							\
	    "{where}: its symbols are not used",								\
	    "give the vmlinux, with symbols, of the kernel that was recorded")					\
	ROW(CHANGED_FILE, "changed-file", WARNING,								\
	    "{where} has changed since the recording: its symbols are not used",				\
	    "keep the files that were recorded, and name the directory with --symfs")				\
	ROW(UNPROVEN_FILE, "unproven-file", WARNING,								\
	    "{where}: its symbols are not used, as no build id says that it is the file that was recorded",	\
	    "--symfs DIR (/ for the files that are here) takes them all the same")				\
	ROW(JIT_CLOCK, "jit-clock", WARNING,									\
	    "{where} tells times of another clock: of code that replaced other code, all has the name of the last",	\
	    "record with the default clock, that of JIT compilers")						\
	ROW(NO_KERNEL_CODE, "no-kernel-code", WARNING,								\
	    "no code of {where}: what ran there cannot be followed",						\
	    "record with --kcore, or give the kernel's vmlinux with -k")					\
	ROW(NO_CODE, "no-code", WARNING,									\
	    "no code of {where}",										\
	    "keep the files that were recorded, and name the directory with --symfs; or prec archive --code")	\
	ROW(NO_RUN_TIME_CODE, "no-run-time-code", WARNING,							\
	    "no code of {where}: it was made at run time, and is in no file",					\
	    "what ran there cannot be followed")								\
	ROW(NO_DISASSEMBLY, "no-disassembly", WARNING,								\
	    "no disassembly: cannot load '{where}'",								\
	    "install libcapstone: without it, instructions are shown as bytes")					\
	ROW(UNKNOWN_TRACE, "unknown-trace", WARNING,								\
	    "{where} holds a hardware trace that prec cannot decode",						\
	    "the other samples are shown")									\
	ROW(TRACE_GAPS, "trace-gaps", WARNING,									\
	    "the trace has {n} {gap|gaps} in {of} instructions[: {where}]",					\
	    "script --itrace=e shows each of them where it is")							\
	ROW(TRACE_TIME_LOST, "trace-time-lost", WARNING,							\
	    "of the traced time {where}",									\
	    "a larger area (record -m ,SIZE) helps where buffers were full, --kcore or the files that ran "	\
	    "where code is missing")										\
	ROW(TRACE_WITHOUT_START, "trace-without-start", WARNING,						\
	    "{n} {byte|bytes} of trace {is|are} left out: no PSB packet is there to begin at",			\
	    "make PSB packets more frequent, as intel_pt/psb_period=0/")					\
	ROW(TRACE_BUFFER_FULL, "trace-buffer-full", WARNING,							\
	    "the trace was interrupted {n} {time|times} because its buffer was full[: {where}]",		\
	    "a larger area (record -m ,SIZE) or less trace, as that of user space only (:u), is interrupted "	\
	    "less")												\
	ROW(TRACE_COLLISIONS, "trace-collisions", WARNING,							\
	    "{n} {sample|samples} of the trace came while one was being taken, and {was|were} dropped by the "	\
	    "processor[: {where}]",										\
	    "sample less often (record -c)")									\
	ROW(TRACE_PARTIAL, "trace-partial", WARNING,								\
	    "the trace has {n} {gap|gaps} that its device reported[: {where}]",					\
	    "another user of the device or its own buffers were in the way")					\
	ROW(TRACE_ABSENT, "trace-absent", WARNING,								\
	    "{n} {byte|bytes} of trace that AUX records describe {is|are} not in the file",			\
	    "the recorder was stopped before it wrote them, or the file is not whole")				\
	ROW(DAMAGED_TRACE, "damaged-trace", DAMAGE,								\
	    "{n} damaged {record|records} of the trace {was|were} left out",					\
	    "copy the file again from where it was recorded")							\
	ROW(UNNAMED_TRACE_SAMPLES, "unnamed-trace-samples", WARNING,						\
	    "nothing tells which event {n} {sample|samples} in the trace {is|are} of: {it is|they are} shown "	\
	    "as {where}",											\
	    "record one event with aux-output at a time")							\
	ROW(CUT_TRACE_SAMPLES, "cut-trace-samples", WARNING,							\
	    "{n} {sample|samples} in the trace {lacks its|lack their} end and {is|are} not shown",		\
	    "a larger area (record -m ,SIZE) is interrupted less")						\
	ROW(DAMAGED_SPE, "damaged-spe", WARNING,								\
	    "{n} of {of} SPE records ended in bytes that are no packet",					\
	    "what they sampled is shown as far as it could be read")						\
	ROW(CUT_BRANCH_TRACE, "cut-branch-trace", WARNING,							\
	    "{n} {part|parts} of the branch trace {ends|end} within a record",					\
	    "the last branches before an interruption are missing: record with a larger area (-m ,SIZE)")	\
	ROW(UNSUPPORTED_TRACE, "unsupported-trace", WARNING,							\
	    "{n} {byte|bytes} of trace cannot be decoded: {where}",						\
	    "the other samples are shown")									\
	ROW(TRACE_OF_NO_CPU, "trace-of-no-cpu", WARNING,							\
	    "{n} {byte|bytes} of trace {has an ID|have IDs} that no CPU of the recording has",			\
	    "record with the recorder that belongs to this kernel: it tells which ID a CPU has")		\
	ROW(SCHED_PARTIAL, "sched-partial", WARNING,								\
	    "only some of the hits of {where} were recorded: the lengths of run queues are guesses",		\
	    "record each of them (record -c 1)")								\
	ROW(SCHED_NO_EVENT, "sched-no-event", WARNING,								\
	    "no event {where}: run queues may have been longer than is shown",					\
	    "record -a -e "											\
	    "sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_migrate_task")		\
	ROW(SCHED_GAPS, "sched-gaps", WARNING,									\
	    "at least {where}: the lengths of run queues around them are guesses",				\
	    "larger buffers (record -m) lose less")								\
	ROW(BPF_LARGE, "bpf-large", WARNING,									\
	    "{n} {record|records} of BPF programs {was|were} left out: larger than a sample can be",		\
	    "have the program write less than 63 KiB at once")							\
	ROW(BPF_FULL, "bpf-full", WARNING,									\
	    "the ring buffer of a BPF program ({where}) was full {n} {time|times} when it was to be emptied: "	\
	    "later data was dropped, which only the program sees",						\
	    "give the map more room (max_entries), and let the program count in a map what it could not write")	\
	ROW(BPF_DROPPED, "bpf-dropped", NOTE,									\
	    "the BPF program of {where}",									\
	    "the program returned 0 for the others")								\
	ROW(WAITS_GAPS, "waits-gaps", WARNING,									\
	    "{n} context {switch is|switches are} missing: waits around them are missing or too long",		\
	    "larger buffers (record -m) lose less")								\
	ROW(WAITS_NO_ARGS, "waits-no-args", WARNING,								\
	    "{where} has no arguments of system calls: locks, and who holds them, are not known",		\
	    "record with --off-cpu-args")									\
	ROW(RUNNING_UNSEEN, "running-unseen", WARNING,								\
	    "{n} {thread seems|threads seem} to run by {its|their} switches where the clock that was sampled did not tick: "	\
	    "{where}",												\
	    "their time on the CPU is unsure by up to that: the host of a virtual machine took the CPU (steal in /proc/stat), "	\
	    "switches are missing, or samples were lost")							\
	ROW(WAITS_CUT, "waits-cut", WARNING,									\
	    "{n} {wait|waits} had not ended where the recording was cut: how long {it was|they were}, and what came after it, "	\
	    "is not known",											\
	    "a recorder that ends by SIGINT or SIGTERM writes all that there is")				\
	ROW(WAITS_SUMS, "waits-sums", NOTE,									\
	    "{n} of {of} waits were shorter than a threshold: of them only sums by thread, stack and state are known",	\
	    "record without --off-cpu-thresh tells when each was, and who ended it")				\
	ROW(WAITS_EARLIER, "waits-earlier-stacks", NOTE,							\
	    "stacks of waits are those of the thread's last sample before: where it left the CPU was not recorded",	\
	    "record --off-cpu with kernel.perf_event_paranoid 1 or less, or CAP_PERFMON")			\
	ROW(WAITS_NO_WAKER, "waits-no-wakers", NOTE,								\
	    "who woke a thread, and how long it was ready and waited for a CPU, was not recorded",		\
	    "record --off-cpu with kernel.perf_event_paranoid -1, or CAP_PERFMON, and a tracefs that can be read")	\
	ROW(LOST_RECORDS, "lost-records", WARNING,								\
	    "{n} {record was|records were} lost while recording[: {where}]",					\
	    LOSS_HINT)												\
	ROW(LOST_SAMPLES, "lost-samples", WARNING,								\
	    "{n} [of {of} ]samples {was|were} lost while recording[: {where}]",					\
	    LOSS_HINT)												\
	ROW(THROTTLED, "throttled", WARNING,									\
	    "the kernel stopped sampling {n} {time|times} for a moment, as it took too much of a CPU",		\
	    "what ran then is missing; a lower rate (record -F, -c) avoids that")				\
	ROW(LOST_SIDE_BAND, "lost-side-band", WARNING,								\
	    "{n} {record|records} of maps, names or tasks {was|were} lost while recording[: {where}]",		\
	    "names of functions and threads are missing or wrong: larger rings (record -m) lose less")		\
	ROW(MISSED_THREADS, "missed-threads", WARNING,								\
	    "{n} {thread that was|threads that were} made while events were opened may be missing, and what "	\
	    "{it makes|they make}[: {where}]",									\
	    "attach again when the process makes fewer, or record it from its start")				\
	ROW(CUT_MAPS, "cut-maps", WARNING,									\
	    "the maps of {n} {process|processes} could not be read in time: some are missing[, of {where}]",	\
	    "what ran there has no names: --proc-map-timeout gives more time")					\
	ROW(BINARIES_GONE, "binaries-gone", NOTE,								\
	    "{n} {binary that ran was|binaries that ran were} gone before {it|they} could be kept[: {where}]",	\
	    "their functions have no names: leave the files where they are until the recording has ended")		\
	ROW(JIT_MAPS_LEFT, "jit-maps-left", NOTE,								\
	    "{n} {file|files} with names of code made at run time {was|were} not kept in the recording[: {where}]",	\
	    "that code has no names unless the file is there, and right, when it is read")			\
	ROW(PYTHON_UNKNOWN, "python-unknown", NOTE,								\
	    "Python's frames are not known of {n} of {of} {sample|samples} in its interpreter",			\
	    "these samples have the interpreter's own functions instead")						\
	ROW(JVM_UNNAMED, "jvm-unnamed", NOTE,									\
	    "{n} {JVM|JVMs} did not give the names of {its|their} code[: {where}]",				\
	    "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (17 and later) writes them when it ends")	\
	ROW(JS_UNNAMED, "js-unnamed", NOTE,									\
	    "{n} of {of} samples {is|are} of Node.js that writes no names of its JavaScript[: process {where}]",	\
	    "node --perf-basic-prof --interpreted-frames-native-stack writes them")				\
	ROW(JAVA_INLINED, "java-inlined", NOTE,									\
	    "the JVM does not say which inlined method ran in {n} of {of} samples: they count for the method around it",	\
	    "the hottest method may be another: java -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints shows it")	\
	ROW(UNWRITTEN, "unwritten", WARNING,									\
	    "{n} {sample that was|samples that were} taken could not be written[, and {where}]",			\
	    "what was written until then can be read: make room on the disk, or record less (-F, --max-size)")	\
	ROW(LOSS_GAPS, "loss-gaps", NOTE,									\
	    "{n} {gap|gaps} of {where}",									\
	    "report --header lists them")									\
	ROW(LOSS_REMEDY, "loss-remedy", NOTE,									\
	    "they would have been kept by {where}",								\
	    "it is the first of rings of the default size, priority, copies of stacks, larger rings and rate that is "	\
	    "enough")			\
	ROW(RECORDER_STOPPED, "recorder-stopped", NOTE,								\
	    "the rings were not emptied for {where}: the recorder was stopped, or got no CPU or disk",		\
	    "until it goes on only what fits into the rings is kept")						\
	ROW(RECORDER_BUSY, "recorder-busy", NOTE,								\
	    "the recorder itself had no more CPU time to take[: {where}]",					\
	    "a lower rate (record -F, -c), fewer events or no -z lose less")					\
	ROW(CPU_OFFLINE, "cpu-offline", WARNING,								\
	    "{where} went offline: from then on nothing was recorded there, even if it came back",		\
	    "record again when all CPUs stay online")								\
	ROW(DEBUGINFOD, "debuginfod", WARNING,									\
	    "debuginfod cannot be asked for debug information: {where}",					\
	    "see DEBUGINFOD_URLS and DEBUGINFOD_TIMEOUT, or go without: --no-debuginfod")			\
	ROW(UNUSABLE_ARCHIVE, "unusable-archive", WARNING,							\
	    "the names that prec archive added cannot be read: they are damaged, or of a later prec",		\
	    "names come from the files that are here; archive the recording again where it was made")		\
	ROW(CPU_ONLINE, "cpu-online", WARNING,									\
	    "{where} came online: nothing was recorded there",							\
	    "record again when all CPUs are online")								\
	ROW(CHAINS_CUT_BY_KERNEL, "chains-cut-by-kernel", WARNING,						\
	    "{n} of {of} call chains {is|are} cut at the depth that the kernel records",			\
	    "raise it (sysctl kernel.perf_event_max_stack), and record again")					\
	ROW(CHAINS_CUT_BY_STACK, "chains-cut-by-stack", WARNING,						\
	    "{n} of {of} call chains {is|are} cut at the end of the recorded stack",				\
	    "record more where it is needed: record --call-graph dwarf,8192-65528")				\
	ROW(CHAINS_BROKEN, "chains-broken", WARNING,								\
	    "{n} of {of} call chains[ of {where}] {leaves|leave} the program's code: it was built without frame pointers",	\
	    "record --call-graph auto uses unwind tables, where code has them; what cannot have called is shown as one "	\
	    "frame, broken")											\
	ROW(CHAINS_WITHOUT_CALLER, "chains-without-caller", WARNING,						\
	    "{n} of {of} call chains[ of {where}] {lacks|lack} the caller of the innermost function: no frame pointer",		\
	    "record with --call-graph auto")									\
	ROW(CHAINS_UNCOPIED, "chains-uncopied", WARNING,							\
	    "{n} of {of} call chains {is|are} cut at a page of the stack that was not in memory",		\
	    "their outer callers are not known, and no option helps: the kernel copies a stack up to a page that "	\
	    "was swapped out, or that the program has not written to yet, as of a large array")			\
	ROW(CHAINS_OTHER_STACK, "chains-other-stack", WARNING,							\
	    "{n} of {of} call chains {is|are} cut where one stack goes on to another",				\
	    "a signal handler with a stack of its own (sigaltstack) hides what it interrupted")			\
	ROW(CHAINS_WITHOUT_TABLES, "chains-without-tables", WARNING,						\
	    "{n} of {of} call chains {ends|end} in code without unwind tables[: {where}]",			\
	    "the files that ran are needed (--symfs), or code that keeps frame pointers")			\
	ROW(CHAINS_IN_JIT, "chains-in-jit", WARNING,								\
	    "{n} of {of} call chains {ends|end} in code made at run time that keeps no frame pointers",		\
	    "java -XX:+PreserveFramePointer, python -X perf_jit, or a jitdump with unwind tables")			\
	ROW(CHAINS_MISFIT, "chains-misfit", WARNING,								\
	    "{n} of {of} call chains {ends|end} where the unwind tables do not fit the stack",			\
	    "the tables are wrong there, or the stack was overwritten")						\
	ROW(CHAINS_NOT_UNWOUND, "chains-not-unwound", WARNING,							\
	    "{n} of {of} call chains {was|were} not unwound while recording: too many stacks waited for it",	\
	    "a lower rate (record -F, -c), or room for more of them: record --unwind=live,BYTES,BYTES of memory and "	\
	    "of a file in TMPDIR")										\
	ROW(STACKS_SHED, "stacks-shed", WARNING,								\
	    "the call chains of {n} of {of} samples may lack callers, as the machine was too busy to copy the stacks",	\
	    "functions' own times are right; a real-time priority for the recorder (as root), smaller copies "		\
	    "(record --call-graph auto,8192) or a lower rate (-F) leaves room for more stacks")			\
	ROW(CHAINS_CUT_BY_DEPTH, "chains-cut-by-depth", NOTE,							\
	    "{n} of {of} call chains {is|are} cut at the depth that is shown",					\
	    "--max-stack shows more")										\
	ROW(CHAINS_WITHOUT_USER, "chains-without-user", WARNING,						\
	    "{n} call {chain ends|chains end} in the kernel: no record told what user space had called",	\
	    "the thread was not back there before the end: record for longer")					\
	ROW(BALANCE, "balance", NOTE,										\
	    "CPU time: {where}",										\
	    "idle time is not counted; missed by the clock: it ticked late, or threads ended before their first sample was due; "\
	    "unexplained: no cause is known; what is lost or throttled has a finding of its own; report --header says what "\
	    "recording cost")												\
	ROW(NO_SAMPLES, "no-samples", WARNING,									\
	    "{where} has no samples",										\
	    "what was recorded did not run, or nothing of it was counted: see the events of --header; a probe "	\
	    "(-e u:) sees the threads that a program starts with record -a alone")				\
	ROW(ONLY_COUNTED, "only-counted", NOTE,									\
	    "{where} has no samples, as it was asked to only count (record -n)",				\
	    "report prints what was counted; with record -n -s, report -T prints it by thread")			\
	ROW(NO_SAMPLES_LEFT, "no-samples-left", WARNING,							\
	    "no sample of {where} is left: none can be read, or none is inside the filters' CPUs and times",	\
	    "leave filters out: -C, --pid, --tid, --time (of the times that report --header-only prints); a thread "	\
	    "that waits all the time that is recorded leaves no CPU, so --off-cpu does not see it")		\
	ROW(PERIOD_OVERFLOW, "period-overflow", WARNING,							\
	    "the periods of {where} add up to more than 64 bits hold: their sums stop at 2^64 - 1",		\
	    "shares and periods are wrong, numbers of samples (report -F sample) are not; one sample may "	\
	    "have a period that no counter has: script -F period shows it")					\
	ROW(PAIRS_THINNED, "pairs-thinned", WARNING,								\
	    "{where} has samples of some of its hits only: {n} {pair|pairs} may join hits that do not belong together",	\
	    "record each hit: without -F, or with -c 1")							\
	ROW(TIMES_JOINED, "times-joined", NOTE,									\
	    "of very many intervals or marks those less than {where} apart are shown as one",			\
	    "--time writes a part of the recording, in which each is shown by itself")				\
	ROW(NO_SYMBOL, "no-symbol", NOTE,									\
	    "{n} of {of} samples {has|have} no symbol[: {where}]",						\
	    "report --unresolved lists all files whose names are missing, with what helps")			\
	ROW(INTERPRETER, "interpreter", NOTE,									\
	    "{n} of {of} samples {is|are} in an interpreter, whose functions stand for those of its program: {where}",	\
	    "with that its program's functions have names, in /tmp/perf-PID.map, and are in call chains")	\
	ROW(NO_TARGET_SYMBOL, "no-target-symbol", NOTE,								\
	    "{n} of {of} targets of branches {has|have} no symbol[: {where}]",					\
	    "report --unresolved lists all files whose names are missing, with what helps")			\
	ROW(NO_CHAIN, "no-chain", NOTE,										\
	    "{n} of {of} samples {has|have} no call chain",							\
	    "their events were recorded without (record -g), or the thread had no stack to walk")

#endif
