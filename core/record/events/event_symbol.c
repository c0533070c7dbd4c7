/*
 * Looks up hardware, software and cache events by name in tables. The config of a cache event combines a cache, an operation and
 * a result (perf_event_open(2), PERF_TYPE_HW_CACHE).
 */
#include "core/record/events/event_symbol.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/base/buf.h"

#define MAX_SPELLINGS 4

/* The spellings of a name. Lists show the first one. */
struct spelled {
	const char *names[MAX_SPELLINGS];
	unsigned operations;		/* for a cache: LOAD, STORE and PREFETCH bits of its operations */
};

#define LOAD		1u
#define STORE		2u
#define PREFETCH	4u

static const struct spelled caches[] = {
	{ { "L1-dcache", "l1-d", "l1d", "L1-data" }, LOAD | STORE | PREFETCH },
	{ { "L1-icache", "l1-i", "l1i", "L1-instruction" }, LOAD | PREFETCH },
	{ { "LLC", "L2" }, LOAD | STORE | PREFETCH },
	{ { "dTLB", "d-tlb", "Data-TLB" }, LOAD | STORE | PREFETCH },
	{ { "iTLB", "i-tlb", "Instruction-TLB" }, LOAD },
	{ { "branch", "branches", "btb", "bpc" }, LOAD },
	{ { "node" }, LOAD | STORE | PREFETCH },
};

static const struct spelled operations[] = {
	{ { "loads", "load", "read" }, 0 },
	{ { "stores", "store", "write" }, 0 },
	{ { "prefetches", "prefetch", "speculative-read", "speculative-load" }, 0 },
};

static const struct spelled results[] = {
	{ { "refs", "reference", "ops", "access" }, 0 },
	{ { "misses", "miss" }, 0 },
};

bool symbol_find(struct word w, struct event_attr *attr)
{
	for (size_t i = 0; i < nr_event_symbols; i++) {
		const struct event_symbol *s = &event_symbols[i];

		if (!word_is(w, s->name) && !(s->alias && word_is(w, s->alias)))
			continue;
		attr->type = s->type;
		attr->config = s->config;
		return true;
	}
	return false;
}

bool raw_find(struct word w, uint64_t *config)
{
	uint64_t v = 0;

	if (w.n < 2 || w.n > 17 || w.s[0] != 'r')
		return false;
	for (size_t i = 1; i < w.n; i++) {
		char c = w.s[i];

		if (!isxdigit((unsigned char)c))
			return false;
		v = v << 4 | (uint64_t)(isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
	}
	*config = v;
	return true;
}

/* Cuts the longest spelling that ends at a dash or the end of @w off the start of @w. Returns its row, or -1. */
static int parse_spelled(struct word *w, const struct spelled *rows, size_t nr)
{
	size_t longest = 0;
	int row = -1;

	for (size_t i = 0; i < nr; i++) {
		for (size_t k = 0; k < MAX_SPELLINGS && rows[i].names[k]; k++) {
			size_t n = strlen(rows[i].names[k]);

			if (n <= longest || n > w->n || strncasecmp(w->s, rows[i].names[k], n))
				continue;
			if (n < w->n && w->s[n] != '-')
				continue;
			longest = n;
			row = (int)i;
		}
	}
	longest += row >= 0 && longest < w->n;
	w->s += longest;
	w->n -= longest;
	return row;
}

bool cache_find(struct word w, struct event_attr *attr)
{
	int cache = parse_spelled(&w, caches, ARRAY_SIZE(caches)), operation, result;

	if (cache < 0)
		return false;
	operation = parse_spelled(&w, operations, ARRAY_SIZE(operations));
	result = parse_spelled(&w, results, ARRAY_SIZE(results));
	operation = MAX(operation, 0);
	result = MAX(result, 0);
	if (w.n || !(caches[cache].operations & 1u << operation))
		return false;
	attr->type = PERF_TYPE_HW_CACHE;
	attr->config = (unsigned)cache | (unsigned)operation << 8 | (unsigned)result << 16;
	return true;
}

void symbol_names(struct names *out, uint32_t type)
{
	for (size_t i = 0; i < nr_event_symbols; i++) {
		if (event_symbols[i].type != type)
			continue;
		names_add(out, event_symbols[i].name);
		if (event_symbols[i].alias)
			names_add(out, event_symbols[i].alias);
	}
}

void cache_event_names(struct names *out)
{
	static const char *const shown[][2] = {
		{ "loads", "load-misses" }, { "stores", "store-misses" }, { "prefetches", "prefetch-misses" },
	};

	for (size_t c = 0; c < ARRAY_SIZE(caches); c++) {
		for (size_t k = 0; k < 2 * ARRAY_SIZE(shown); k++) {
			struct buf name = {0};

			if (!(caches[c].operations & 1u << k / 2))
				continue;
			buf_printf(&name, "%s-%s", caches[c].names[0], shown[k / 2][k % 2]);
			names_add(out, buf_str(&name));
			buf_release(&name);
		}
	}
}
