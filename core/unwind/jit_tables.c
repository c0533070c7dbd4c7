/*
 * Makes one table of unwind rules (cfi.h) from the .eh_frame data that a JIT compiler has written into its jitdump with the
 * code. core/model/jit_code.c reads the jitdump.
 * Layer: unwind
 */
#include "core/unwind/jit_tables.h"

#include <elf.h>

#include "core/base/util.h"
#include "core/model/jit_code.h"
#include "core/unwind/cfi.h"
#include "core/unwind/file_tables.h"

/*
 * Makes the section with the .eh_frame of @code. Its relative addresses assume that .eh_frame follows the code at the next multiple
 * of 8. Compilers write it so (V8, src/diagnostics/eh-frame.cc), because perf puts both into an ELF file in this way
 * (tools/perf/util/genelf.c of Linux).
 */
static struct cfi_section section_of(const struct jitdump *j, const struct jit_code *code)
{
	bool narrow = j->machine == EM_386 || j->machine == EM_ARM;

	return (struct cfi_section){
		.data = j->frames.v + code->frame_at, .size = code->frame_size, .addr = code->at + round_up(code->size, 8),
		.from = code->at, .to = code->at + code->size, .word = narrow ? 4 : 8, .eh = true,
		.arm64 = j->machine == EM_AARCH64,
	};
}

void jit_tables_read(struct file_tables *t, const struct jitdump *j)
{
	VEC(struct cfi_section) sections = {0};

	vec_for(c, &j->codes)
		if (c->frame_size)
			vec_push(&sections, section_of(j, c));
	cfi_compile_all(&t->whole, sections.v, sections.nr);
	vec_free(&sections);
}
