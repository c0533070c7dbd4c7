/*
 * Recording hardware trace: all that is not the device's. The events that fill AUX areas come first, each ring gets an
 * area, what the areas hold becomes AUXTRACE records with their bytes behind them.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_RECORD_H
#define AUXTRACE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

struct event_request;
struct pmu;
struct recorder_aux;
struct recorder_opts;

struct aux_record_opts {
	uint64_t area_bytes;		/* of each area, a power of two of pages; 0: by permission */
	bool snapshot, at_exit;		/* -S, -Se */
	uint64_t snapshot_bytes;	/* at most so much of each area; 0: all */
};

struct time_conv {
	bool given;			/* the clock of samples can be told from the counter */
	uint64_t zero, cycles, mask;
	uint32_t mult;
	uint16_t shift;
	bool cap_short;
};

/* What a device describes itself from. */
struct aux_facts {
	const struct pmu *pmu;		/* that of the first of its events; borrowed, as all here */
	const struct event_request *request;
	const struct cpus *cpus;	/* those traced */
	const struct time_conv *time;
	bool snapshot, per_cpu;
	bool switches;			/* context switches are recorded */
	bool system_wide;
};

/* What an event is completed from. */
struct aux_wishes {
	bool per_cpu;			/* an area a CPU, else one a thread */
	uint64_t period;		/* -c, period=; 0: not said */
};

/* Of AUXTRACE_INFO. */
struct aux_words {
	VEC(uint64_t) list;
};

/* A device's half. */
struct aux_record_ops {
	/* Complete what the words of -e left open. Prints errors; returns 0 or -1. */
	int (*configure)(struct event_request *r, const struct pmu *pmu, const struct aux_wishes *w);
	/* Append the words of AUXTRACE_INFO. */
	void (*info)(const struct aux_facts *f, struct aux_words *out);
};

/*
 * If an event of @rec fills AUX areas, make ready to record them: its request is completed and comes first, what all
 * events must tell is switched on. *out: for rec->aux, owned by the caller; NULL where there is none. Prints errors;
 * returns 0 or -1.
 */
int aux_record_new(struct recorder_aux **out, struct recorder_opts *rec, const struct aux_record_opts *o);
void aux_record_free(struct recorder_aux *a);

#endif
