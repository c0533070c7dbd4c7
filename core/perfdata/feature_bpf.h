/*
 * Reads the feature sections BPF_PROG_INFO and BPF_BTF of perf.data, which list the loaded BPF programs and the addresses of
 * their functions.
 */
#ifndef CORE_PERFDATA_FEATURE_BPF_H
#define CORE_PERFDATA_FEATURE_BPF_H

#include <stdint.h>

#include "core/base/vec.h"

struct buf;
struct wire;

struct feature_bpf_function {
	uint64_t addr;
	uint32_t size;
	uint8_t tag[8];
	uint32_t type;			/* number of the function's type in the program's BTF; 0: none */
	char *name;			/* from the BTF, owned; NULL: not known */
};

struct feature_bpf_program {
	uint32_t id;
	uint32_t btf_id;		/* id of the program's BTF; 0: none */
	char name[17];			/* name of the program's first function, cut at 15 letters; "": it has none */
	VEC(struct feature_bpf_function) functions;	/* the program begins with the first */
};

struct feature_bpf {		/* = {0}; feature_bpf_release() */
	VEC(struct feature_bpf_program) programs;
	VEC(uint32_t) btf_ids;		/* ids of the BTFs in the section */
};

/*
 * Read a section, and set w->bad if it is damaged. If @w does not read, they write or measure an empty section. Call
 * feature_bpf_programs_pass() first: feature_bpf_btf_pass() then gives names to the functions of the programs.
 */
void feature_bpf_programs_pass(struct wire *w, struct feature_bpf *f);
void feature_bpf_btf_pass(struct wire *w, struct feature_bpf *f);
void feature_bpf_release(struct feature_bpf *f);

/* Print the programs and the BTF as perf does. */
void feature_bpf_programs_print(const struct feature_bpf *f, struct buf *out);
void feature_bpf_btf_print(const struct feature_bpf *f, struct buf *out);

#endif
