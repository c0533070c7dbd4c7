/*
 * Holds the data by which sort keys (key.h) compare and print their values, such as the recording's processes and files (struct
 * machine), the resolved functions, and the precision of printed times.
 */
#ifndef CORE_HISTS_KEY_CONTEXT_H
#define CORE_HISTS_KEY_CONTEXT_H

#include "core/base/byte_table.h"
#include "core/base/vec.h"
#include "core/hists/location.h"

struct features;
struct machine;
struct mem_values;
struct session;
struct trace_values;

struct task_name { uint32_t tid, comm; };

struct key_context {		/* key_context_init(), key_context_release() */
	const struct machine *machine;		/* borrowed */
	const struct locations *locations;		/* borrowed */
	const struct byte_table *details;		/* borrowed, as .features and .session */
	const struct features *features;
	const struct session *session;
	struct trace_values *traces;		/* made by detail_context_init(), as .mem; NULL: no key needs them */
	struct mem_values *mem;			/* NULL: not needed */
	bool nanoseconds;			/* times are shown to the nanosecond, else to the microsecond */
	uint64_t slot_ns, slot_from;		/* NEED_TIME: length of a slot, begin of the first slot */
	VEC(uint32_t) dso_alias;		/* by dso number: the first dso with the same short name */
	VEC(uint32_t) dso_rank;			/* by dso number: its position in the order by short name, then by number */
	VEC(uint32_t) folded_comm;		/* by comm: a number of .folded ("kworker/<N>:<N>"); key_context_fold_comms() */
	struct byte_table folded;
	VEC(struct task_name) tasks;		/* by tid: its last name; key_context_name_tasks() */
};

void key_context_init(struct key_context *c, const struct machine *m, const struct locations *locations, uint64_t slot_ns);
/* Fills .tasks, for keys with KEY_TASK. */
void key_context_name_tasks(struct key_context *c);
/* Fills .folded_comm for all comms with a number below @nr. */
void key_context_fold_comms(struct key_context *c, uint32_t nr);
void key_context_release(struct key_context *c);

#endif
