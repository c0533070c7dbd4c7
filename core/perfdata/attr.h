/*
 * Defines struct event_attr, a perf_event_attr with the members of the newest kernel. attr.c reads and writes it as in perf.data;
 * attr_print.c prints it.
 */
#ifndef CORE_PERFDATA_ATTR_H
#define CORE_PERFDATA_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/perfdata/abi.h"

struct buf;
struct wire;

/* Has the layout of the newest kernel's perf_event_attr, of which the headers of the build machine may lack members. */
struct event_attr {
	uint32_t type, size;
	uint64_t config;
	union { uint64_t sample_period, sample_freq; };
	uint64_t sample_type, read_format;
	uint64_t disabled : 1, inherit : 1, pinned : 1, exclusive : 1;
	uint64_t exclude_user : 1, exclude_kernel : 1, exclude_hv : 1, exclude_idle : 1;
	uint64_t mmap : 1, comm : 1, freq : 1, inherit_stat : 1, enable_on_exec : 1, task : 1, watermark : 1;
	uint64_t precise_ip : 2, mmap_data : 1, sample_id_all : 1, exclude_host : 1, exclude_guest : 1;
	uint64_t exclude_callchain_kernel : 1, exclude_callchain_user : 1, mmap2 : 1, comm_exec : 1;
	uint64_t use_clockid : 1, context_switch : 1, write_backward : 1, namespaces : 1, ksymbol : 1;
	uint64_t bpf_event : 1, aux_output : 1, cgroup : 1, text_poke : 1, build_id : 1, inherit_thread : 1;
	uint64_t remove_on_exec : 1, sigtrap : 1, defer_callchain : 1, defer_output : 1, reserved_1 : 24;
	union { uint32_t wakeup_events, wakeup_watermark; };
	uint32_t bp_type;
	union { uint64_t bp_addr, config1; };
	union { uint64_t bp_len, config2; };
	uint64_t branch_sample_type, sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack, reserved_2;
	uint32_t aux_sample_size, aux_action;	/* aux_action: bit 0 start_paused, 1 pause, 2 resume (Linux 6.13) */
	uint64_t sig_data, config3, config4;
};

#define AUX_ACTION_START_PAUSED	1u
#define AUX_ACTION_PAUSE	2u
#define AUX_ACTION_RESUME	4u

/*
 * Passes an attr of attr->size bytes, any published size, through @w. On reading, in either byte order, fields beyond the recorded
 * size are zero, unknown bytes at the end are skipped, and size 0 means ATTR_SIZE_VER0. Returns 0; or -EINVAL if the size is below
 * that, no multiple of 8, or more than @max (the room in the file).
 */
int attr_pass(struct wire *w, struct event_attr *attr, size_t max);

/* True if the event's periods are nanoseconds of CPU time (cpu-clock, task-clock). */
bool attr_counts_time(const struct event_attr *attr);

/* Appends the name of a hardware, cache, software, raw or breakpoint event, with its modifiers, as perf spells it. */
void attr_name(const struct event_attr *attr, struct buf *out);
/*
 * Appends all fields that are not zero, on one line. @separator is between name and value: ": " as `perf evlist -v` has it, " = "
 * in --header. "type: 1 (PERF_TYPE_SOFTWARE), size: ..."
 */
void attr_print(const struct event_attr *attr, const char *separator, struct buf *out);

/* A name of a software or hardware event; the event parser uses the same table. */
struct event_symbol {
	uint32_t type;
	uint64_t config;
	const char *name, *alias;	/* alias NULL: none */
};
extern const struct event_symbol event_symbols[];
extern const size_t nr_event_symbols;

#endif
