/*
 * Parses the options of a prec command from a const table, and prints the help from the same table. The files in cmd/ define the
 * tables.
 *
 *	static const struct option_desc record_options[] = {
 *		OPT_BOOL('a', "all-cpus", struct record_opts, all_cpus, "record every CPU"),
 *		OPT_CALL('e', "event", struct record_opts, events, "event", parse_events, "what to record"),
 *		OPT_END
 *	};
 *
 */
#ifndef CORE_UI_OPTIONS_H
#define CORE_UI_OPTIONS_H

#include "core/base/log.h"
#include "core/base/util.h"

enum option_type { OPTION_END, OPTION_COMMON, OPTION_GROUP, OPTION_BOOL, OPTION_COUNT, OPTION_U64, OPTION_BITS, OPTION_STRING,
		   OPTION_CALL, OPTION_IGNORED, OPTION_ABSENT };

enum option_flag {
	OPTION_OPTIONAL = 1,	/* the argument may be left out; only --name=arg, -xarg and -x=arg give one */
	OPTION_LOOSE = 2,	/* with OPTIONAL: the next word is the argument, unless it begins with a dash */
	OPTION_HIDDEN = 4,	/* not in -h: accepted for compatibility with perf */
	OPTION_NOTED = 8,	/* without effect; .help is the reason, which is printed if it is given */
};

/* Values go to offsets in a struct. Macros check member types, except OPT_CALL. A test checks that the man page has each. */
struct option_desc {
	enum option_type type;
	char letter;		/* 0: none */
	const char *name;	/* without the dashes; NULL: only the letter */
	const char *arg;	/* the argument's description, for -h; NULL: no argument */
	const char *help;
	unsigned flags;
	size_t offset;
	size_t set_offset;	/* offset of a bool that is set if the option is given; SIZE_MAX: none */
	/* @arg NULL: left out, or --no-name. Returns 0; -1 (printed); -2: printed text, the command ends; or OPTIONS_FAILED. */
	int (*call)(const struct option_desc *o, void *field, const char *arg, bool unset);
	uint64_t bits;		/* OPT_BITS: the bits to set */
};

#define OPT_FIELD(s, f, ctype) (offsetof(s, f) + 0 * sizeof(&((s *)0)->f == (ctype *)0))
#define OPT_BOOL(l, n, s, f, h) \
	{ OPTION_BOOL, l, n, NULL, h, 0, OPT_FIELD(s, f, bool), SIZE_MAX, NULL }
/* Also sets the bool @given if the option was given, with or without no-. */
#define OPT_BOOL_GIVEN(l, n, s, f, given, h) \
	{ OPTION_BOOL, l, n, NULL, h, 0, OPT_FIELD(s, f, bool), OPT_FIELD(s, given, bool), NULL }
/* Increments an int each time it is given. */
#define OPT_COUNT(l, n, s, f, h) \
	{ OPTION_COUNT, l, n, NULL, h, 0, OPT_FIELD(s, f, int), SIZE_MAX, NULL }
#define OPT_U64(l, n, s, f, a, h) \
	{ OPTION_U64, l, n, a, h, 0, OPT_FIELD(s, f, uint64_t), SIZE_MAX, NULL }
/* Sets @b in a uint64_t. */
#define OPT_BITS(l, n, s, f, b, h) \
	{ OPTION_BITS, l, n, NULL, h, 0, OPT_FIELD(s, f, uint64_t), SIZE_MAX, NULL, b }
#define OPT_STRING(l, n, s, f, a, h) \
	{ OPTION_STRING, l, n, a, h, 0, OPT_FIELD(s, f, const char *), SIZE_MAX, NULL }
#define OPT_CALL(l, n, s, f, a, fn, h) \
	{ OPTION_CALL, l, n, a, h, 0, offsetof(s, f), SIZE_MAX, fn }
/* @fl: flags such as OPTION_OPTIONAL, with which the argument @a can be left out. Then @fn gets NULL. */
#define OPT_CALL_FLAGS(l, n, s, f, a, fn, fl, h) \
	{ OPTION_CALL, l, n, a, h, fl, offsetof(s, f), SIZE_MAX, fn }
/* Accepted for compatibility with perf, and not read. */
#define OPT_IGNORED(l, n, a, fl, h) { OPTION_IGNORED, l, n, a, h, fl, 0, SIZE_MAX, NULL }
#define OPT_ALWAYS(l, n) OPT_IGNORED(l, n, NULL, OPTION_HIDDEN, "")
/* Without effect; @why is the reason. @a: its argument; NULL: it has none. */
#define OPT_NO_EFFECT(l, n, a, why) OPT_IGNORED(l, n, a, OPTION_HIDDEN | OPTION_NOTED, why)
/* An option of perf that prec lacks: its use is an error, with the reason or an alternative. */
#define OPT_ABSENT(l, n, why) \
	{ OPTION_ABSENT, l, n, NULL, why, OPTION_HIDDEN, 0, SIZE_MAX, NULL }
/* The first row of a long table: the options that -h shows, by letter or long name: "all-cpus,F". "-h all" shows all. */
#define OPT_COMMON(list) { OPTION_COMMON, 0, NULL, NULL, list, 0, 0, SIZE_MAX, NULL }
#define OPT_GROUP(h)	{ OPTION_GROUP, 0, NULL, NULL, h, 0, 0, SIZE_MAX, NULL }
#define OPT_END		{ OPTION_END, 0, NULL, NULL, NULL, 0, 0, SIZE_MAX, NULL }

#define OPTIONS_FAILED	(-3)	/* an option is valid, but not possible on this machine; the error was printed */

/*
 * Parses options of @argv (argv[0]: the command) into @base, up to the first other word, or past "--"; @anywhere: also after words,
 * which it moves to the front. Returns the index of the first of *nr_words words; -1 or OPTIONS_FAILED (printed); -2: -h, --help or
 * --list-opts printed @usage and the table (with OPT_COMMON a part of it), or its names, on standard output.
 */
int options_parse(const struct option_desc *table, void *base, const char *usage, bool anywhere,
		  int argc, char **argv, int *nr_words);

struct buf;
struct terminal;
/* Returns the width of lines for a page of help, and the terminal to show it on (*t); in a pipe the width is SIZE_MAX. */
size_t help_width(struct terminal *t);
/* Shows and empties @out. Returns 0, or -1 after printing an error. */
int help_show(struct buf *out, const struct terminal *t);

/* Parse a number with an optional suffix K, M, G or T: powers of 1000 (count) or 1024 (size). Return 0 or -EINVAL. */
int parse_count(const char *s, uint64_t *out);
int parse_size(const char *s, uint64_t *out);

#endif
