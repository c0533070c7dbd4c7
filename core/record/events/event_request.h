/*
 * Defines a requested event: the perf_event_attr that -e determines, and data that the attr cannot hold, such as a filter or a
 * cgroup. event_parse.c makes the requests.
 * Layer: events
 */
#ifndef CORE_RECORD_EVENTS_EVENT_REQUEST_H
#define CORE_RECORD_EVENTS_EVENT_REQUEST_H

#include "core/base/vec.h"
#include "core/record/events/event_term.h"
#include "core/perfdata/attr.h"

/*
 * A requested event. attr has only members that the words decide: type, config and those after it, bp_*, the excludes,
 * precise_ip, pinned, exclusive, aux_*; sample_type: additional bits; sample_period: for an event that is sampled every nth
 * time by default, unless the user names a rate.
 */
struct event_request {
	struct event_attr attr;
	char *name;		/* owned: as it was written, modifiers included; NULL: attr_name() */
	bool precise_max;	/* P: precise_ip may be lowered to what the machine has */
	bool excludes;		/* u, k or h was given: the other levels are left out on purpose */
	bool machines;		/* G or H was given */
	bool sampled_read;	/* S: read the whole group with each sample */
	bool weak;		/* W: opened without its group if the kernel refuses it in the group */
	uint32_t group;		/* number of its group, whose members follow one another; 0: none */
	char *group_name;	/* owned; NULL: none. For leaders */
	char *path;		/* owned: a uprobe's program, a kprobe's function, for config1; NULL: no probe */
	char *symbol;		/* owned: a breakpoint's place, to be looked up in the workload; NULL: config1 has it */
	uint64_t symbol_offset;	/* from there */
	char *tracepoint;	/* owned: "system:event"; NULL: not a tracepoint */
	bool from_wildcard;	/* matched by a pattern: left out if the kernel refuses it */
	char *filter;		/* owned: a condition on hits, or the traced code; NULL: none */
	char *bpf;		/* owned: a program that decides on samples, FILE.o[:NAME]; NULL: none */
	VEC(char *) bpf_set;	/* owned, and each: NAME=VALUE of its variables */
	char *cgroup;		/* owned: counts only tasks of this cgroup, on all CPUs; NULL: all tasks */
	int cgroup_fd;		/* owned: of its directory, if it has a cgroup, from cgroup_open_all() on; else 0 */
	uint64_t config_given;	/* bits of config that terms of the PMU decided */
	bool on_all_cpus;	/* counts all tasks on all CPUs, whatever the target is */
	bool aux;		/* it fills an AUX area: sample_period and aux_watermark are already set */
	struct event_terms terms;
};

struct event_requests {
	VEC(struct event_request) list;
	bool (*traces)(const char *pmu);	/* true if the PMU fills AUX areas: it may lead any event; NULL: none does */
	size_t nr_cgroups;	/* names that options -G had until now, empty ones included */
	size_t last;		/* where the events of the last event_parse() begin: --filter and the like are for these */
};

/* The default event: cycles:P. */
void event_default(struct event_requests *out);
/* Keeps only the first @nr requests. */
void event_requests_cut(struct event_requests *r, size_t nr);
void event_requests_release(struct event_requests *r);

/*
 * Adds @filter to the events of the last event_parse(), in addition to their earlier filters: for tracepoints it is a condition
 * on their fields, for hardware trace an address filter (addr_filter.h), for other events a filter of samples
 * (sample_filter.h). Returns 0; -EINVAL if these are of several kinds, or uprobes, or none; or -EBADMSG with the reason in *why,
 * owned by the caller.
 */
int event_requests_filter(struct event_requests *r, const char *filter, char **why);
/*
 * Makes the BPF program @spec decide which samples of the events of the last event_parse() are kept. Returns 0, or -EINVAL if
 * there are no such events, or if they have a program or a filter of samples already.
 */
int event_requests_bpf(struct event_requests *r, const char *spec);
/*
 * Sets the variable NAME=VALUE in the program of these events. If @setting is NULL, drops all settings. Returns 0, or -EINVAL if
 * the events have no program.
 */
int event_requests_bpf_set(struct event_requests *r, const char *setting);
/* Forget the programs of all events. */
void event_requests_no_bpf(struct event_requests *r);
/* Like event_requests_filter(), but only for tracepoints. */
int event_requests_filter_hits(struct event_requests *r, const char *filter);
/* True if it has a filter of samples. */
bool event_filters_samples(const struct event_request *r);

bool event_is_tracepoint(const struct event_attr *attr);
bool event_requests_any_tracepoint(const struct event_requests *r);
/* True if the event is a clock: its period is a time in ns. */
bool event_is_clock(const struct event_attr *attr);
/* Clocks fire at most every 10 us, and count shorter periods wrong (perf_swevent_start_hrtimer() in Linux). */
#define CLOCK_MIN_PERIOD_NS 10000

#endif
