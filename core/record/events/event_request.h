/*
 * Defines a requested event: the members of perf_event_attr that -e decides, and data that the attr cannot hold, such as a filter
 * or a cgroup. event_parse.c makes the requests. core/record/open/sampling.c builds the complete attr from a request.
 */
#ifndef CORE_RECORD_EVENTS_EVENT_REQUEST_H
#define CORE_RECORD_EVENTS_EVENT_REQUEST_H

#include "core/base/vec.h"
#include "core/record/events/event_term.h"
#include "core/perfdata/attr.h"

/*
 * A requested event. .attr has only the members that the event in -e decides: type, config to config4, bp_*, the exclude bits,
 * precise_ip, pinned, exclusive and aux_*. .attr.sample_type has bits to add to those of all events. .attr.sample_period is the
 * event's default period, which is used unless the user names a rate; 0: it has none.
 */
struct event_request {
	struct event_attr attr;
	char *name;		/* owned: as it was written, modifiers included; NULL: attr_name() */
	bool precise_max;	/* P: precise_ip may be lowered to what the machine has */
	bool excludes;		/* u, k or h was given, so the levels that do not count are left out on purpose */
	bool machines;		/* G or H was given */
	bool sampled_read;	/* S: read the whole group with each sample */
	bool weak;		/* W: opened without its group if the kernel refuses it in the group */
	uint32_t group;		/* number of its group, whose members follow one another; 0: none */
	char *group_name;	/* owned: the name of the group that it leads; NULL: none */
	char *path;		/* owned: a uprobe's program or a kprobe's function; config1 will point to it; NULL: no probe */
	char *symbol;		/* owned: a breakpoint's symbol, looked up in a process; NULL: bp_addr is set */
	uint64_t symbol_offset;	/* added to the symbol's address */
	char *tracepoint;	/* owned: "system:event"; NULL: not a tracepoint */
	bool from_wildcard;	/* a tracepoint that a pattern matched; it is left out if the kernel refuses it */
	char *filter;		/* owned: of --filter, in the form for the kind of event; NULL: none */
	char *bpf;		/* owned: FILE.o[:NAME] of a BPF program that decides which samples are kept; NULL: none */
	VEC(char *) bpf_set;	/* owned, as each string: NAME=VALUE for a variable of the program */
	char *cgroup;		/* owned: counts only tasks of this cgroup, on all CPUs; NULL: all tasks */
	int cgroup_fd;		/* owned: descriptor of the cgroup's directory, from cgroup_open_all() on; 0: none */
	uint64_t config_given;	/* bits of attr.config that the PMU's terms have set */
	bool on_all_cpus;	/* counts all tasks on all CPUs, whatever the target is */
	bool aux;		/* it fills an AUX area: sample_period and aux_watermark are already set */
	struct event_terms terms;
};

struct event_requests {
	VEC(struct event_request) list;
	bool (*traces)(const char *pmu);	/* true if events of @pmu fill AUX areas; they may be in any group. NULL: no PMU */
	size_t nr_cgroups;	/* number of names in all options -G so far, empty ones included */
	size_t last;		/* index of the first event of the last event_parse(), to which --filter and the like apply */
};

/* The default event: cycles:P. */
void event_default(struct event_requests *out);
/* Keeps only the first @nr requests. */
void event_requests_cut(struct event_requests *r, size_t nr);
void event_requests_release(struct event_requests *r);

/*
 * Adds @filter to the events of the last event_parse(), in addition to their earlier filters. For tracepoints it is a condition
 * on their fields, for hardware trace an address filter (addr_filter.h), for other events a filter of samples
 * (sample_filter.h). Returns 0, -EINVAL if there are no such events, if the events are of several kinds, or if one is a probe or
 * has a BPF program, or -EBADMSG with the reason in *why, owned by the caller.
 */
int event_requests_filter(struct event_requests *r, const char *filter, char **why);
/*
 * Makes the BPF program @spec decide which samples of the events of the last event_parse() are kept. Returns 0, or -EINVAL if
 * there are no such events, or if they have a program or a filter of samples already.
 */
int event_requests_bpf(struct event_requests *r, const char *spec);
/*
 * Sets the variable NAME=VALUE in the program of the events of the last event_parse(). If @setting is NULL, drops all settings.
 * Returns 0, or -EINVAL if the events have no program.
 */
int event_requests_bpf_set(struct event_requests *r, const char *setting);
/* Forget the programs of all events. */
void event_requests_no_bpf(struct event_requests *r);
/* Like event_requests_filter(), but only for tracepoints. */
int event_requests_filter_hits(struct event_requests *r, const char *filter);
/* True if the event has a filter of samples (sample_filter.h). */
bool event_filters_samples(const struct event_request *r);

/*
 * Applies event modifiers, such as the "u" of cycles:u, to an event (event_modifier.c). The letters of a group are applied after
 * the event's own letters, and add to them. @leader is true if the event leads its group or has no group; letters that are about
 * a group as a whole apply to the leader only. Returns 0, or -EINVAL with @err filled.
 */
int event_modify(struct event_request *r, struct word w, bool of_group, bool leader, struct event_error *err);
/* True if all letters of @w are known modifiers. */
bool event_modifiers_known(struct word w);

bool event_is_tracepoint(const struct event_attr *attr);
/* True for bpf-output, an event whose hits are messages of a BPF program. */
bool event_is_bpf_output(const struct event_attr *attr);
bool event_requests_any_tracepoint(const struct event_requests *r);
/* True if the event is a clock: its period is a time in ns. */
bool event_is_clock(const struct event_attr *attr);
/* Clocks fire at most every 10 us, and with a shorter period count wrong (perf_swevent_start_hrtimer() in Linux). */
#define CLOCK_MIN_PERIOD_NS 10000

#endif
