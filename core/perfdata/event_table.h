/*
 * Holds the events of a recording, with the attr, the ids and the name of each event. The recorder fills this table and writes it
 * to the file. A reader fills it from the file.
 */
#ifndef CORE_PERFDATA_EVENT_TABLE_H
#define CORE_PERFDATA_EVENT_TABLE_H

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/perfdata/attr.h"
#include "core/perfdata/sample.h"

struct event {
	struct event_attr attr;
	struct sample_layout layout;
	uint64_t added;			/* PERF_SAMPLE_* that decoders add to its samples, which .layout does not have */
	const char *name;		/* owned; never NULL in a table that was finished */
	bool is_offcpu_raw;			/* perf's "offcpu-time", whose real samples are in the raw data */
	bool made;			/* made by a reader, from other events or a trace: no file has it */
	bool hidden_source;			/* another event is made from this one, and is shown in its place by default */
	bool unnamed;			/* has no name of its own: the name is from its attr */
	const char *unit;		/* owned; NULL: none */
	double scale;
	VEC(uint64_t) ids;
	uint32_t number;		/* its place in the table */
	uint32_t leader;		/* place of its group's leader; its own if it leads or stands alone */
	uint32_t nr_members;		/* only for a leader: number of events in the group, with the leader */
	const char *group_name;		/* owned; NULL: none */
};

struct event_id {			/* an ID_INDEX entry of an id, and its event */
	uint64_t id;
	uint32_t event;
	int32_t idx, cpu, tid;		/* -1: unknown */
	uint32_t stack_size;		/* while recording: size of the stack's copy in samples with this id, as it was requested */
};

struct event_table {
	VEC(struct event *) events;	/* owned; the pointers stay while the table lives */
	VEC(struct event_id) ids;
	struct index by_id;
	uint32_t nr_predescribed;		/* number of last events that came by EVENT_DESC of a stream, not yet by ATTR */
	bool same_layout;		/* all events have the id at the same offset of a record: see event_of_record() */
	bool same_trailer;		/* all events have the same fields in sample_id */
};

/* A new event, attr copied, layout computed; borrowed from the table. */
struct event *event_table_add(struct event_table *t, const struct event_attr *attr);
void event_table_add_id(struct event_table *t, struct event *ev, uint64_t id);
/* True if the event's samples have one of the PERF_SAMPLE_* in @types, recorded or added by a decoder. */
static inline bool event_shows(const struct event *ev, uint64_t types)
{
	return (ev->layout.type | ev->added) & types;
}
#define OFF_CPU_NAME	"offcpu-time"
/* True if the event's periods are nanoseconds: of CPU time, of time off the CPU ("offcpu-time"), or of both (SYNTH_WALL). */
bool event_counts_time(const struct event *ev);
/* Call it after the last event: completes names (by attr_name() if there is none) and sets .same_layout. */
void event_table_finish(struct event_table *t);
void event_table_release(struct event_table *t);
/* The attr size that a file of these events needs: ATTR_SIZE_VER7, or more if a later field is used. */
uint32_t event_table_attr_size(const struct event_table *t);

/* True if there is a group of more than one event. */
bool event_table_has_groups(const struct event_table *t);
/* True if the event has only side-band records and no samples. */
bool event_is_dummy(const struct event *ev);
/* True if all events are only counted (record -n), so that there are no samples. */
bool event_table_only_counts(const struct event_table *t);
/* True if samples of any event have call chains. */
bool event_table_has_chains(const struct event_table *t);

struct event *event_by_id(const struct event_table *t, uint64_t id);		/* NULL: unknown */
struct event_id *event_id_info(const struct event_table *t, uint64_t id);	/* NULL: unknown */

/*
 * The event of a complete record in native byte order, found by the record's id. It is the first event if the table has no other,
 * if the record has no id (or 0, as synthesized records have), or if the id is unknown but the record is of a kind that concerns
 * all events, such as MMAP, and .same_trailer is set. NULL: the table is empty, or the id is unknown.
 */
struct event *event_of_record(const struct event_table *t, const void *record);

/*
 * Replaces unknown ids in @record, whose event is @ev by event_of_record(), by an id of @ev. Other readers require known ids even
 * if there is a single event, and use the last one of PERF_SAMPLE_IDENTIFIER and _ID. The id 0 of synthesized records stays.
 */
void event_own_ids(const struct event_table *t, const struct event *ev, void *record);

/* A cache of results of event_of_record() for samples. Consecutive ids, as the kernel gives them, have different slots. */
#define EVENT_MEMO_SLOTS	16u

struct event_memo {		/* = {0} knows nothing */
	struct { struct event *event; uint64_t id; } slots[EVENT_MEMO_SLOTS];
	uint16_t id_at;		/* offset of the id in a record; 0: all samples have the event of the first slot */
};

/* The slow path of event_of_sample(); do not call it directly. */
struct event *event_remember(struct event_memo *m, const struct event_table *t, const void *record);

/* event_of_record() for a SAMPLE @record of @size bytes. The caller owns @m, and clears it when @t changes. */
static inline struct event *event_of_sample(struct event_memo *m, const struct event_table *t, const void *record, uint16_t size)
{
	uint64_t id;
	unsigned slot;

	if (m->id_at + sizeof(id) > size || (!m->id_at && !m->slots[0].event))
		return event_remember(m, t, record);
	if (!m->id_at)
		return m->slots[0].event;
	__builtin_memcpy(&id, (const char *)record + m->id_at, sizeof(id));
	slot = id % EVENT_MEMO_SLOTS;
	return id == m->slots[slot].id && m->slots[slot].event ? m->slots[slot].event : event_remember(m, t, record);
}

#endif
