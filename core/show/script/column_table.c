/* The table of script's columns. Adding a column is adding a row here and its function. Layer: script */
#include <stddef.h>

#include "core/perfdata/abi.h"
#include "core/show/script/column.h"
#include "core/show/script/field.h"

#define B(kind)		(1u << KIND_##kind)
#define ALL		((1u << KIND_MAX) - 1)
#define ADDRESSED	(ALL & ~B(TRACEPOINT))

const struct field fields[FIELD_MAX] = {
	/*                         name            needs                    called            hint       defaults   never */
	[FIELD_MACHINE_PID]	= { "machine_pid", 0, NULL, NULL, 0, 0, NULL },
	[FIELD_VCPU]		= { "vcpu", 0, NULL, NULL, 0, 0, NULL },
	[FIELD_COMM]		= { "comm", 0, NULL, NULL, ALL, 0, column_task },
	[FIELD_PID]		= { "pid", PERF_SAMPLE_TID, "TID", NULL, 0, 0, column_task },
	[FIELD_TID]		= { "tid", PERF_SAMPLE_TID, "TID", NULL, ALL, 0, column_task },
	[FIELD_CPU]		= { "cpu", PERF_SAMPLE_CPU, "CPU", "--sample-cpu or -a", ALL, 0, column_task },
	[FIELD_MISC]		= { "misc", 0, NULL, NULL, 0, 0, column_misc },
	[FIELD_TOD]		= { "tod", PERF_SAMPLE_TIME, "TIME", "-T -k mono", 0, 0, column_tod },
	[FIELD_TIME]		= { "time", PERF_SAMPLE_TIME, "TIME", "-T", ALL, 0, column_time },
	[FIELD_RUNQLEN]		= { "runqlen", PERF_SAMPLE_CPU, "CPU", "--sample-cpu or -a", 0, 0, column_runqlen },
	[FIELD_PERIOD]		= { "period", 0, NULL, NULL, ADDRESSED & ~B(SYNTH), 0, column_period },
	[FIELD_EVENT]		= { "event", 0, NULL, NULL, ALL, 0, column_event },
	[FIELD_FLAGS]		= { "flags", 0, NULL, NULL, 0, 0, column_flags },
	[FIELD_TRACE]		= { "trace", PERF_SAMPLE_RAW, "RAW", "-R", B(TRACEPOINT), ADDRESSED, column_trace },
	[FIELD_SYNTH]		= { "synth", 0, NULL, NULL, B(SYNTH), ALL & ~B(SYNTH), column_synth },
	[FIELD_ADDR]		= { "addr", PERF_SAMPLE_ADDR, "ADDR", "-d", B(RAW), 0, column_addr,
				    .print_branch = column_branch_line },
	[FIELD_DATA_SRC]	= { "data_src", PERF_SAMPLE_DATA_SRC, "DATA_SRC", "-d", B(RAW), 0, column_data_src },
	[FIELD_WEIGHT]		= { "weight", PERF_SAMPLE_WEIGHT_TYPE, "WEIGHT", "-W", B(RAW), 0, column_weight },
	[FIELD_INS_LAT]		= { "ins_lat", PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", "-W", B(RAW), 0,
				    column_ins_lat },
	[FIELD_RETIRE_LAT]	= { "retire_lat", PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", "-W", B(RAW), 0,
				    column_retire_lat },
	[FIELD_CGROUP]		= { "cgroup", PERF_SAMPLE_CGROUP, "CGROUP", "--all-cgroups", 0, 0, column_cgroup },
	[FIELD_CALLINDENT]	= { "callindent", 0, NULL, NULL, 0, 0, NULL, .print_branch = column_callindent },
	[FIELD_IP]		= { "ip", PERF_SAMPLE_IP, "IP", NULL, ADDRESSED, 0, column_ip, .print_branch = column_branch_line },
	[FIELD_SYM]		= { "sym", PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, "IP", NULL, ADDRESSED, 0, NULL },
	[FIELD_SYMOFF]		= { "symoff", 0, NULL, NULL, ADDRESSED, 0, NULL },
	[FIELD_DSO]		= { "dso", PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, "IP", NULL, ADDRESSED, 0, NULL },
	[FIELD_DSOFF]		= { "dsoff", 0, NULL, NULL, 0, 0, NULL },
	[FIELD_SRCLINE]		= { "srcline", PERF_SAMPLE_IP, "IP", NULL, 0, 0, NULL },
	[FIELD_WAKER]		= { "waker", 0, NULL, NULL, 0, ALL & ~B(SYNTH), column_waker },
	[FIELD_IREGS]		= { "iregs", PERF_SAMPLE_REGS_INTR, "REGS_INTR", "-I", 0, 0, column_iregs },
	[FIELD_UREGS]		= { "uregs", PERF_SAMPLE_REGS_USER, "REGS_USER", "--user-regs", 0, 0, column_uregs },
	[FIELD_BRSTACK]		= { "brstack", PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", "-b", 0, 0, column_branches },
	[FIELD_BRSTACKSYM]	= { "brstacksym", PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", "-b", 0, 0, column_branches },
	[FIELD_BRSTACKOFF]	= { "brstackoff", PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", "-b", 0, 0, column_branches },
	[FIELD_BPF_OUTPUT]	= { "bpf-output", 0, NULL, NULL, B(SOFTWARE), ALL & ~B(SOFTWARE), column_bpf_output },
	[FIELD_INSNLEN]		= { "insnlen", PERF_SAMPLE_IP, "IP", NULL, 0, 0, column_insn },
	[FIELD_INSN]		= { "insn", PERF_SAMPLE_IP, "IP", NULL, 0, 0, column_insn },
	[FIELD_DISASM]		= { "disasm", PERF_SAMPLE_IP, "IP", NULL, 0, 0, column_insn },
	[FIELD_BRSTACKINSN]	= { "brstackinsn", PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", "-b", 0, 0, column_blocks },
	[FIELD_BRSTACKINSNLEN]	= { "brstackinsnlen", PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", "-b", 0, 0, column_blocks },
	[FIELD_BRSTACKDISASM]	= { "brstackdisasm", PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK", "-b", 0, 0, column_blocks },
	[FIELD_PHYS_ADDR]	= { "phys_addr", PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR", "--phys-data", B(RAW), 0,
				    column_phys_addr },
	[FIELD_DATA_PAGE_SIZE]	= { "data_page_size", PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE", "--data-page-size",
				    B(RAW), 0, column_data_page_size },
	[FIELD_CODE_PAGE_SIZE]	= { "code_page_size", PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE", "--code-page-size",
				    B(RAW), 0, column_code_page_size },
	[FIELD_IPC]		= { "ipc", 0, NULL, NULL, 0, 0, column_ipc, .print_branch = column_branch_ipc },
	[FIELD_SRCCODE]		= { "srccode", PERF_SAMPLE_IP, "IP", NULL, 0, 0, column_source },
	[FIELD_BRCNTR]		= { "brcntr", PERF_SAMPLE_BRANCH_STACK, "BRCNTR", "-j any,counter", 0, 0, NULL },
};
