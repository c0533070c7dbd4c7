/*
 * The sections BPF_PROG_INFO and BPF_BTF: the BPF programs that were loaded, and the addresses of their functions.
 * Layer: perfdata
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
	uint32_t type;			/* its number in the program's BTF; 0: none */
	char *name;			/* from there, owned; NULL: not known */
};

struct feature_bpf_program {
	uint32_t id;
	uint32_t btf_id;		/* of its BTF; 0: none */
	char name[17];			/* of its first function, cut at 15 letters; "": it has none */
	VEC(struct feature_bpf_function) functions;	/* the first is where it begins */
};

struct feature_bpf {		/* = {0}; feature_bpf_release() */
	VEC(struct feature_bpf_program) programs;
	VEC(uint32_t) btf_ids;		/* of descriptions of types */
};

/*
 * Read a section, with .bad set if it is damaged; other directions of @w write an empty one. BTF names the functions of the
 * programs that were read before it.
 */
void feature_bpf_programs_pass(struct wire *w, struct feature_bpf *f);
void feature_bpf_btf_pass(struct wire *w, struct feature_bpf *f);
void feature_bpf_release(struct feature_bpf *f);

/* As perf prints them. */
void feature_bpf_programs_print(const struct feature_bpf *f, struct buf *out);
void feature_bpf_btf_print(const struct feature_bpf *f, struct buf *out);

#endif
