/* Programs that never were: code full of branches of all kinds, of A64, or of A32 and behind it T32. */
#ifndef TESTS_TRACE_CS_PROGRAM_H
#define TESTS_TRACE_CS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/base/vec.h"

struct cs_unit;

struct cs_code_insn {
	uint64_t ip;
	uint8_t size, kind, mode;	/* INSN_OTHER and so on; 64, 32 or 16 */
	size_t to;			/* of a direct branch: its target */
};

struct cs_program {
	VEC(struct cs_code_insn) insns;	/* ascending addresses without holes */
	struct buf image;
	size_t switch_at;		/* A32 up to here, T32 from here on */
};

struct cs_program_form {
	bool arm;		/* A32 and T32, else A64 */
	bool high;		/* at addresses above 4 GB */
	bool texit;		/* some branches are TEXIT */
};

/* @nr instructions; whose .insns and .image are the caller's to free. The random numbers are those of @u. */
void cs_program_make(struct cs_program *p, struct cs_unit *u, const struct cs_program_form *form, size_t nr);

#endif
