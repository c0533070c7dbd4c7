/*
 * Lists the instructions of a function with the samples at each, for prec annotate and for the code view of HTML pages.
 * core/code/annotation.h sums the samples.
 */
#ifndef CORE_CODE_LISTING_H
#define CORE_CODE_LISTING_H

#include "core/arch.h"
#include "core/base/buf.h"
#include "core/model/source_text.h"
#include "core/model/srcline.h"
#include "core/code/annotation.h"

#define LISTING_INSN_MAX 16	/* bytes */
#define LISTING_NAME	24u	/* columns of a name of another function, so that the code after it stays in sight */

struct listed_insn {
	uint64_t ip, addr;		/* .ip: address in .space of the function; .addr: address in its dso */
	struct insn insn;		/* .size 0: a sampled address whose code is unknown */
	uint8_t code[LISTING_INSN_MAX];
	bool bad;			/* no instruction begins here */
	bool is_target;			/* a jump of the function leads to it */
	uint32_t target;		/* the number of the instruction that it jumps to + 1; 0: none of the function */
	uint32_t first, end;		/* range of its weights in .f->weights */
};

enum listing_flag {
	LISTING_INTEL	= 1,		/* x86 in Intel's syntax */
	LISTING_IF_KNOWN = 2,		/* missing code is no finding */
};

struct listing {			/* listing_init(), listing_release() */
	const struct annotation *annotation;	/* borrowed, as are .f, .session and .machine */
	const struct annotated_function *f;
	const struct session *session;
	unsigned flags;			/* enum listing_flag */
	const struct machine *machine;
	VEC(struct listed_insn) insns;	/* by address */
	VEC(uint32_t) events;		/* numbers of the events that have a column */
	struct disasm *disasm;
	struct source_texts texts;
	const char *prefix;		/* borrowed; the directory below which absolute paths of sources are looked up; NULL: not
					 * used */
	uint64_t prefix_strip;		/* this many first directories are removed from these paths */
	uint32_t nr_asked;		/* lines that were requested from .texts */
};

/* @flags: of enum listing_flag. */
void listing_init(struct listing *l, const struct annotation *a, const struct annotated_function *f, struct session *s,
		  unsigned flags);
void listing_release(struct listing *l);

/* Appends the text of an instruction, such as "mov    %ax,%bx". The target of a branch is shown by name. */
void listing_put_insn(struct listing *l, const struct listed_insn *i, struct buf *out);
/* The innermost source frame of an instruction; .file NULL: unknown. *inlined: it is of a function inlined into the listed one. */
struct frame listing_frame(const struct listing *l, const struct listed_insn *i, bool *inlined);
/*
 * Returns the path to open for the source @file, owned by the caller. If @prefix is not NULL, an absolute @file loses its first
 * @strip directories, but never its name, and is taken below @prefix.
 */
char *source_path_moved(const char *file, const char *prefix, uint64_t strip);
/* The text of a line; false: it cannot be read. */
bool listing_source(struct listing *l, const char *file, uint32_t line, const char **text, size_t *len);

#endif
