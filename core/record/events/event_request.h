/* Requested events: each has an attr as -e determines it, and data that an attr cannot hold. Layer: events */
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
	bool weak;		/* W: rather without its group than not at all */
	uint32_t group;		/* those of one group have the same and follow one another; 0: none */
	char *group_name;	/* owned; NULL: none. For leaders */
	char *path;		/* owned: a uprobe's program, a kprobe's function; NULL: no probe. Opened with it in config1 */
	char *symbol;		/* owned: a breakpoint's place, to be looked up in the workload; NULL: config1 has it */
	uint64_t symbol_offset;	/* from there */
	char *tracepoint;	/* owned: "system:event"; NULL: it is none */
	bool from_wildcard;	/* a pattern's: if the kernel does not let it be recorded, the others are */
	char *filter;		/* owned: a condition on hits, or the traced code; NULL: none */
	char *bpf;		/* owned: a program that decides on samples, FILE.o[:NAME]; NULL: none */
	VEC(char *) bpf_set;	/* owned, and each: NAME=VALUE of its variables */
	char *cgroup;		/* owned: of all CPUs, only what is in there; NULL: everything */
	int cgroup_fd;		/* owned: of its directory, if it has a cgroup, from cgroup_open_all() on; else 0 */
	uint64_t config_given;	/* bits of config that terms of the PMU decided */
	bool on_all_cpus;	/* of all tasks on all CPUs, whatever the target is */
	bool aux;		/* it fills an AUX area: sample_period and aux_watermark are decided */
	struct event_terms terms;
};

struct event_requests {
	VEC(struct event_request) list;
	bool (*traces)(const char *pmu);	/* does a PMU of that name trace? Any event may be in its group; NULL: none does */
	size_t nr_cgroups;	/* names that options -G had until now, empty ones included */
	size_t last;		/* where those of the last event_parse() begin: what options after it mean */
};

/* The default event: cycles:P. */
void event_default(struct event_requests *out);
/* Only those before @nr stay. */
void event_requests_cut(struct event_requests *r, size_t nr);
void event_requests_release(struct event_requests *r);

/*
 * Tracepoints of the last event_parse() are recorded only if @filter holds too, beside what was asked for before; what
 * traces hardware is given it as an address filter (addr_filter.h), one more; of others samples are dropped if it does not
 * hold (sample_filter.h).
 * Returns 0, -EINVAL if these are of several kinds, or uprobes, or none, or -EBADMSG with the reason in *why, the caller's.
 */
int event_requests_filter(struct event_requests *r, const char *filter, char **why);
/*
 * The program @spec decides on the samples of the events of the last event_parse(). Returns 0, or -EINVAL if there are none, or
 * they have a program or a filter of samples already.
 */
int event_requests_bpf(struct event_requests *r, const char *spec);
/* Set NAME=VALUE in the program of these events, or forget what was set (NULL); -EINVAL: they have no program. */
int event_requests_bpf_set(struct event_requests *r, const char *setting);
/* Forget the programs of all events. */
void event_requests_no_bpf(struct event_requests *r);
/* As event_requests_filter(), of tracepoints alone. */
int event_requests_filter_hits(struct event_requests *r, const char *filter);
/* True if it has a filter of samples. */
bool event_filters_samples(const struct event_request *r);

bool event_is_tracepoint(const struct event_attr *attr);
bool event_requests_any_tracepoint(const struct event_requests *r);
/* True if it is a clock: an event whose period is time (ns). */
bool event_is_clock(const struct event_attr *attr);
/* Clocks fire at most every 10 us, and count shorter periods wrong (perf_swevent_start_hrtimer() in Linux). */
#define CLOCK_MIN_PERIOD_NS 10000

#endif
