/*
 * Lists the columns (fields) of prec script -F in the order in which they are printed, one table row per column. field.h
 * describes the members of a row, and column.h declares the functions that print the columns.
 */
#ifndef CORE_SHOW_SCRIPT_FIELD_LIST_H
#define CORE_SHOW_SCRIPT_FIELD_LIST_H

/*
 * A row begins with the X of the constant FIELD_X, and the members of struct field follow. B(KIND) is the bit of a kind of events.
 * ALL and ADDRESSED are sets of such bits (line.c).
 */
#define SCRIPT_FIELDS(ROW) \
	/*  id, name, needs, needs_name, hint, defaults, never, print */ \
	ROW(MACHINE_PID, "machine_pid", 0, NULL, NULL, 0, 0, NULL) \
	ROW(VCPU, "vcpu", 0, NULL, NULL, 0, 0, NULL) \
	ROW(COMM, "comm", 0, NULL, NULL, ALL, 0, column_task) \
	ROW(PID, "pid", PERF_SAMPLE_TID, "TID", NULL, 0, 0, column_task) \
	ROW(TID, "tid", PERF_SAMPLE_TID, "TID", NULL, ALL, 0, column_task) \
	ROW(CPU, "cpu", PERF_SAMPLE_CPU, "CPU", "--sample-cpu or -a", ALL, 0, column_task) \
	ROW(MISC, "misc", 0, NULL, NULL, 0, 0, column_misc) \
	ROW(TOD, "tod", PERF_SAMPLE_TIME, "TIME", "-T -k mono", 0, 0, column_tod) \
	ROW(TIME, "time", PERF_SAMPLE_TIME, "TIME", "-T", ALL, 0, column_time) \
	ROW(RUNQLEN, "runqlen", PERF_SAMPLE_CPU, "CPU", "--sample-cpu or -a", 0, 0, column_runqlen) \
	ROW(PERIOD, "period", 0, NULL, NULL, ADDRESSED & ~B(SYNTH), 0, column_period) \
	ROW(EVENT, "event", 0, NULL, NULL, ALL, 0, column_event) \
	ROW(FLAGS, "flags", 0, NULL, NULL, 0, 0, column_flags) \
	ROW(TRACE, "trace", PERF_SAMPLE_RAW, "RAW", "-R", B(TRACEPOINT), ADDRESSED, column_trace) \
	ROW(SYNTH, "synth", 0, NULL, NULL, B(SYNTH), ALL & ~B(SYNTH), column_synth) \
	ROW(ADDR, "addr", PERF_SAMPLE_ADDR, "ADDR", "-d", B(RAW), 0, column_addr, .print_branch = column_branch_line) \
	ROW(DATA_SRC, "data_src", PERF_SAMPLE_DATA_SRC, "DATA_SRC", "-d", B(RAW), 0, column_data_src) \
	ROW(WEIGHT, "weight", PERF_SAMPLE_WEIGHT_TYPE, "WEIGHT", "-W", B(RAW), 0, column_weight) \
	ROW(INS_LAT, "ins_lat", PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", "-W", B(RAW), 0, column_ins_lat) \
	ROW(RETIRE_LAT, "retire_lat", PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", "-W", B(RAW), 0, column_retire_lat) \
	ROW(CGROUP, "cgroup", PERF_SAMPLE_CGROUP, "CGROUP", "--all-cgroups", 0, 0, column_cgroup) \
	ROW(CALLINDENT, "callindent", 0, NULL, NULL, 0, 0, NULL, .print_branch = column_callindent) \
	ROW(IP, "ip", PERF_SAMPLE_IP, "IP", NULL, ADDRESSED, 0, column_ip, .print_branch = column_branch_line) \
	ROW(SYM, "sym", PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, "IP", NULL, ADDRESSED, 0, NULL) \
	ROW(SYMOFF, "symoff", 0, NULL, NULL, ADDRESSED, 0, NULL) \
	ROW(DSO, "dso", PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, "IP", NULL, ADDRESSED, 0, NULL) \
	ROW(DSOFF, "dsoff", 0, NULL, NULL, 0, 0, NULL) \
	ROW(SRCLINE, "srcline", PERF_SAMPLE_IP, "IP", NULL, 0, 0, NULL) \
	ROW(WAKER, "waker", 0, NULL, NULL, 0, ALL & ~B(SYNTH), column_waker) \
	ROW(IREGS, "iregs", PERF_SAMPLE_REGS_INTR, "REGS_INTR", "-I", 0, 0, column_iregs) \
	ROW(UREGS, "uregs", PERF_SAMPLE_REGS_USER, "REGS_USER", "--user-regs", 0, 0, column_uregs) \
	ROW(BRSTACK, "brstack", PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", "-b", 0, 0, column_branches) \
	ROW(BRSTACKSYM, "brstacksym", PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", "-b", 0, 0, column_branches) \
	ROW(BRSTACKOFF, "brstackoff", PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", "-b", 0, 0, column_branches) \
	ROW(BPF_OUTPUT, "bpf-output", 0, NULL, NULL, B(SOFTWARE), ALL & ~B(SOFTWARE), column_bpf_output) \
	ROW(INSNLEN, "insnlen", PERF_SAMPLE_IP, "IP", NULL, 0, 0, column_insn) \
	ROW(INSN, "insn", PERF_SAMPLE_IP, "IP", NULL, 0, 0, column_insn) \
	ROW(DISASM, "disasm", PERF_SAMPLE_IP, "IP", NULL, 0, 0, column_insn) \
	ROW(BRSTACKINSN, "brstackinsn", PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", "-b", 0, 0, column_blocks) \
	ROW(BRSTACKINSNLEN, "brstackinsnlen", PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", "-b", 0, 0, column_blocks) \
	ROW(BRSTACKDISASM, "brstackdisasm", PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", "-b", 0, 0, column_blocks) \
	ROW(PHYS_ADDR, "phys_addr", PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR", "--phys-data", B(RAW), 0, column_phys_addr) \
	ROW(DATA_PAGE_SIZE, "data_page_size", PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE", "--data-page-size", \
	    B(RAW), 0, column_data_page_size) \
	ROW(CODE_PAGE_SIZE, "code_page_size", PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE", "--code-page-size", \
	    B(RAW), 0, column_code_page_size) \
	ROW(IPC, "ipc", 0, NULL, NULL, 0, 0, column_ipc, .print_branch = column_branch_ipc) \
	ROW(SRCCODE, "srccode", PERF_SAMPLE_IP, "IP", NULL, 0, 0, column_source) \
	ROW(BRCNTR, "brcntr", PERF_SAMPLE_BRANCH_STACK, "BRCNTR", "-j any,counter", 0, 0, NULL)

/* The functions that print these columns, for their prototypes in column.h. */
#define SCRIPT_PRINTERS(PRINT) \
	PRINT(column_task) PRINT(column_misc) PRINT(column_tod) PRINT(column_time) PRINT(column_runqlen) PRINT(column_period) \
	PRINT(column_event) PRINT(column_flags) PRINT(column_trace) PRINT(column_synth) PRINT(column_addr) \
	PRINT(column_branch_line) PRINT(column_data_src) PRINT(column_weight) PRINT(column_ins_lat) PRINT(column_retire_lat) \
	PRINT(column_cgroup) PRINT(column_callindent) PRINT(column_ip) PRINT(column_waker) PRINT(column_iregs) \
	PRINT(column_uregs) PRINT(column_branches) PRINT(column_bpf_output) PRINT(column_insn) PRINT(column_blocks) \
	PRINT(column_phys_addr) PRINT(column_data_page_size) PRINT(column_code_page_size) PRINT(column_ipc) \
	PRINT(column_branch_ipc) PRINT(column_source)

#endif
