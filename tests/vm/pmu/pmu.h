/* Shared by the files of the test PMU's module; pmu.c describes the module. */
#ifndef TESTS_VM_PMU_PMU_H
#define TESTS_VM_PMU_PMU_H

#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/types.h>

/* sysfs.c: what kinds of PMU there are. */

/* The driver's aux_head in snapshot mode, and the size of its AUX record. */
enum head {
	HEAD_OFFSET_WHOLE,	/* Intel PT: an offset in the area; the record is as long as the area */
	HEAD_OFFSET,		/* SPE: an offset in the area; the record has what was written since the start */
	HEAD_FREE,		/* CoreSight: runs on; the record as with SPE */
};

struct kind {
	const char *name;
	const struct attribute_group **groups;
	unsigned int nr_filters;	/* address filters; 0: takes none */
	enum head head;
	int (*add_files)(struct device *dev);	/* after the PMU was registered; may be NULL */
	void (*remove_files)(void);
};

/* The kind of that name; NULL if there is none. */
const struct kind *kind_of(const char *name);

/* pmu.c: the CPUs that a PMU is of. */
const struct cpumask *cpus_of(struct device *dev);

/* payload.c: bytes given by the user in place of self-describing words. */

struct payload {
	u8 *data;	/* NULL: none was given */
	size_t size;
};

/* The payload of @cpu, or the one for all; @cpu -1: a task's event. */
const struct payload *payload_for(int cpu);
void payload_files(struct dentry *dir);
void payload_free(void);

/* stream.c: what is written, and where. */

/*
 * All that was written to one AUX area. Stays, to be read in the file `streams`, when the area is gone.
 *
 * A stream is bytes of consecutive little-endian words:	 63     56 55     44 43     32 31            0
 *								| mark 5a | stream  |  CPU   | sequence from 0 |
 * The CPU is the one that began the word. Records end anywhere, also within a word; the next goes on from there.
 */
struct stream {
	struct list_head list;
	unsigned int nr;
	int cpu;		/* of the event whose area it is; -1: a task's */
	u64 bytes;		/* written */
	u64 skipped;		/* zeros between records */
	u64 records;		/* AUX records ended */
	u64 truncated;		/* of them */
	u64 no_room;		/* times that a record could not be begun */
	u64 starts;		/* of events that write here */
	u64 taken;		/* times that the reader made room */
	u64 tail;		/* as the kernel saw it last */
};

struct area {
	struct stream *stream;
	const struct payload *payload;
	void **pages;
	u64 size;
	u64 pos;	/* where the next byte goes, modulo size */
	u64 word;	/* the one being written */
	bool snapshot;
};

/* An area of @pages, owned by the caller; NULL without memory. */
struct area *area_new(void **pages, int nr_pages, bool snapshot, int cpu);
void area_free(struct area *a);
/* Any area in use: payloads cannot change. */
bool areas_in_use(void);
/* Write @n bytes of the stream. */
void area_put(struct area *a, u64 n);
/* Write @n zeros that are not of the stream. */
void area_zero(struct area *a, u64 n);
/* How much of the stream there is still to write, if it has @limit bytes in all; 0: no limit. */
u64 area_left(const struct area *a, u64 limit);
void stream_files(struct dentry *dir);
void streams_free(void);

#endif
