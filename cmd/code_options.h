/*
 * Defines the options for the display of annotated code, such as --asm-raw, for prec annotate and prec report. A command adds the
 * macro CODE_OPTIONS to its option table, and a member "code" (struct annotate_opts) to its options struct.
 */
#ifndef CMD_CODE_OPTIONS_H
#define CMD_CODE_OPTIONS_H

#include "core/ui/options.h"
#include "core/show/report/annotate.h"

#define CODE_OPTIONS(s)												\
	OPT_CALL(0, "percent-type", s, code.type, "type", code_parse_percent_type,				\
		 "percents of what: local-period (of the function's samples), global-period, local-hits, global-hits"), \
	OPT_BOOL(0, "source", s, code.source, "print source lines between the instructions (default)"),	\
	OPT_BOOL(0, "asm-raw", s, code.raw, "print the bytes of instructions"),				\
	OPT_CALL('M', "disassembler-style", s, code.intel, "style", code_parse_syntax, "syntax of x86: att or intel"), \
	OPT_STRING(0, "prefix", s, code.prefix, "dir", "find source files below <dir>, where their paths begin with /"), \
	OPT_U64(0, "prefix-strip", s, code.prefix_strip, "n", "with --prefix, without the first <n> directories of the path")

int code_parse_percent_type(const struct option_desc *o, void *field, const char *arg, bool unset);
int code_parse_syntax(const struct option_desc *o, void *field, const char *arg, bool unset);

/* Checks the options. Prints errors; 0 or -1. */
int code_check(const struct annotate_opts *o);

struct buf;

/* Appends the options that differ from their defaults to @out, as words of a command line. */
void code_put_options(const struct annotate_opts *o, struct buf *out);

#endif
