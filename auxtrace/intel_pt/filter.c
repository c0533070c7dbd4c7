/*
 * Parses the address filters that AUXTRACE_INFO has for an Intel PT recording, and checks whether an address is in a traced
 * range. A range consists of kernel addresses, or of offsets in a mapped file.
 */
#include "auxtrace/intel_pt/filter.h"

#include <stdlib.h>
#include <string.h>

#include "core/model/dso.h"
#include "core/model/map.h"

/* Reads the number at *text, and moves *text after it. Returns false if there is no number. */
static bool number(char **text, uint64_t *out)
{
	char *end;

	*out = strtoull(*text, &end, 0);
	if (end == *text)
		return false;
	*text = end;
	return true;
}

static void add(struct pt_filters *f, char *text)
{
	struct pt_filter filter = { 0 };
	uint64_t size = 1;

	text += strspn(text, " ");
	filter.stop = !strncmp(text, "stop ", 5);
	if (!filter.stop && strncmp(text, "filter ", 7))
		return;
	text += strcspn(text, " ");
	if (!number(&text, &filter.from))
		return;
	if (*text == '/' && (text++, !number(&text, &size)))
		return;
	filter.to = size > UINT64_MAX - filter.from ? UINT64_MAX : filter.from + size;
	if (*text == '@')
		filter.path = xstrdup(text + 1);
	f->only |= !filter.stop;
	f->stops |= filter.stop;
	vec_push(&f->list, filter);
}

void pt_filters_parse(struct pt_filters *f, const char *text, size_t n)
{
	char *copy = xmalloc(n + 1), *rest = copy, *one;

	memcpy(copy, text, n);
	copy[n] = '\0';
	while ((one = strsep(&rest, ",")))
		add(f, one);
	free(copy);
}

void pt_filters_release(struct pt_filters *f)
{
	vec_for(filter, &f->list)
		free(filter->path);
	vec_free(&f->list);
}

static bool matches(const struct pt_filter *filter, uint64_t ip, const struct map *map)
{
	if (filter->path) {
		if (!map || strcmp(map->dso->path, filter->path))
			return false;
		ip = ip - map->start + map->pgoff;
	}
	return ip >= filter->from && ip < filter->to;
}

bool pt_filters_trace(const struct pt_filters *f, uint64_t ip, const struct map *map)
{
	bool traced = !f->only;

	vec_for(filter, &f->list) {
		if (!matches(filter, ip, map))
			continue;
		if (filter->stop)
			return false;
		traced = true;
	}
	return traced;
}
