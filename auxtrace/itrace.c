/*
 * Parses the option --itrace, which selects the samples to synthesize from a hardware trace. Each letter of its value selects a
 * kind of sample, or changes how samples are made.
 */
#include "auxtrace/itrace.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/log.h"
#include "core/base/util.h"

void itrace_default(struct itrace_opts *o, bool calls_only)
{
	*o = (struct itrace_opts){
		.given = o->given, .none = o->none, .depth = o->depth, .flags = o->flags, .ipc = o->ipc,
		.branches = true, .transactions = true, .ptwrites = true, .power = true,
		.others = true, .interrupts = true, .errors = true, .first_level = true, .last_level = true, .memory = true,
		.tlb = true, .remote = true, .unit = ITRACE_NS, .period = ITRACE_PERIOD_NS, .chain_depth = ITRACE_CHAIN,
		.last_branch_depth = ITRACE_LAST_BRANCHES,
	};
	if (!calls_only) {
		o->instructions = o->cycles = o->chain = true;
		o->branches = false;
		return;
	}
	o->unit = ITRACE_INSTRUCTIONS;
	o->period = 1;
	o->calls = true;
}

static bool *flag_of(struct itrace_opts *o, char letter)
{
	switch (letter) {
	case 'b': return &o->branches;
	case 'c': return &o->calls;
	case 'r': return &o->returns;
	case 'x': return &o->transactions;
	case 'w': return &o->ptwrites;
	case 'p': return &o->power;
	case 'o': return &o->others;
	case 'I': return &o->interrupts;
	case 'e': return &o->errors;
	case 'd': return &o->debug;
	case 'f': return &o->first_level;
	case 'm': return &o->last_level;
	case 'M': return &o->memory;
	case 't': return &o->tlb;
	case 'a': return &o->remote;
	case 'A': return &o->approximate_ipc;
	case 'Z': return &o->timeless;
	case 'T': return &o->vm_time;
	default: return NULL;
	}
}

static const char *skip_separators(const char *s)
{
	while (*s == ' ' || *s == ',')
		s++;
	return s;
}

/* Parses "100us" after i or y; number and unit are optional. Returns the text after it, or NULL if it printed an error. */
static const char *parse_period(struct itrace_opts *o, const char *s)
{
	static const struct { const char *name; enum itrace_unit unit; uint64_t factor; } units[] = {
		{ "ms", ITRACE_NS, 1000000 }, { "us", ITRACE_NS, 1000 }, { "ns", ITRACE_NS, 1 },
		{ "i", ITRACE_INSTRUCTIONS, 1 }, { "t", ITRACE_TICKS, 1 },
	};
	char *end;

	s = skip_separators(s);
	if (!isdigit((unsigned char)*s))
		return s;
	o->period = strtoull(s, &end, 10);
	o->unit = ITRACE_INSTRUCTIONS;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (!str_starts(end, units[i].name))
			continue;
		if (o->period > UINT64_MAX / units[i].factor) {
			error("--itrace: the period at '%s' is too long", s);
			return NULL;
		}
		o->period *= units[i].factor;
		o->unit = units[i].unit;
		return end + strlen(units[i].name);
	}
	return end;
}

/* Parses the optional depth after g, G, l and L. */
static const char *parse_depth(unsigned *depth, unsigned usual, const char *s)
{
	unsigned long long n;
	char *end;

	*depth = usual;
	s = skip_separators(s);
	if (!isdigit((unsigned char)*s))
		return s;
	n = strtoull(s, &end, 10);
	if (!n || n > ITRACE_MAX_DEPTH) {
		error("--itrace: '%llu' is no depth: it is 1 to %d", n, ITRACE_MAX_DEPTH);
		return NULL;
	}
	*depth = (unsigned)n;
	return end;
}

/* Parses the flags after e and d, such as "+a-o". */
static const char *parse_signs(struct itrace_opts *o, char letter, const char *s)
{
	while (*s == '+' || *s == '-') {
		bool minus = *s++ == '-';

		if (!isalpha((unsigned char)*s)) {
			error("--itrace: no letter follows '%c' in '%s'", s[-1], s - 1);
			return NULL;
		}
		for (; isalpha((unsigned char)*s); s++) {
			if (letter == 'e' && *s == 'o')
				o->no_overflow_errors = minus;
			else if (letter == 'e' && *s == 'l')
				o->no_lost_errors = minus;
			else if (letter == 'd' && *s == 'e')
				o->debug_errors = !minus;
			else if (letter == 'd' && *s == 'o')
				o->debug_stdout = !minus;
		}
	}
	return s;
}

static const char *parse_letter(struct itrace_opts *o, const char *s)
{
	char letter = *s++;
	bool *flag = flag_of(o, letter);
	char *end;

	switch (letter) {
	case 'i':
	case 'y':
		*(letter == 'i' ? &o->instructions : &o->cycles) = true;
		return parse_period(o, s);
	case 'g':
	case 'G':
		*(letter == 'g' ? &o->chain : &o->add_chain) = true;
		return parse_depth(&o->chain_depth, ITRACE_CHAIN, s);
	case 'l':
	case 'L':
		*(letter == 'l' ? &o->last_branch : &o->add_last_branch) = true;
		return parse_depth(&o->last_branch_depth, ITRACE_LAST_BRANCHES, s);
	case 's':
		o->skip = strtoull(s, &end, 10);
		if (end != s)
			return end;
		error("--itrace: s needs a number of events to skip");
		return NULL;
	case 'q':
		o->quick++;
		return s;
	case ' ':
	case ',':
		return s;
	}
	if (!flag) {
		error("--itrace: unknown letter '%c' (known are " ITRACE_LETTERS ")", letter);
		return NULL;
	}
	*flag = true;
	if (letter == 'c' || letter == 'r')
		o->branches = true;
	return letter == 'e' || letter == 'd' ? parse_signs(o, letter, s) : s;
}

int itrace_parse(struct itrace_opts *o, const char *arg)
{
	*o = (struct itrace_opts){ .given = arg };
	if (!arg)
		return 0;
	o->unit = ITRACE_NS;
	o->period = ITRACE_PERIOD_NS;
	while (*arg) {
		arg = parse_letter(o, arg);
		if (!arg)
			return -1;
	}
	return 0;
}
