/* Prints the maps of the user's BPF programs to standard error, as text or JSON (--bpf-maps). bpf_maps.h formats them. */
#ifndef CORE_RECORD_LOOP_PRINT_MAPS_H
#define CORE_RECORD_LOOP_PRINT_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct event_set;

struct print_maps_opts {
	bool wanted;		/* print the maps at the end */
	uint64_t every_ns;	/* also print them whenever this much time has passed; 0: only at the end */
	bool changes;		/* print only entries that changed since the last time */
	bool json;		/* a line of JSON each time */
};

/* Prints the maps. @ns is the time since the recording began; @end is true at the last call. */
void print_maps(const struct event_set *set, const struct print_maps_opts *o, uint64_t ns, bool end);

#endif
