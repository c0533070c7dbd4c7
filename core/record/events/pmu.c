/* Reads the machine's PMUs, the formats of their terms, and their named events from sysfs. */
#include "core/record/events/pmu.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/sysfs.h"

#define DEVICES "bus/event_source/devices"

/* ---- the list ---- */

/* True for files that describe the event of another file. */
static bool describes_another(const char *name)
{
	static const char *const endings[] = { ".scale", ".unit", ".per-pkg", ".snapshot" };
	size_t n = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		size_t k = strlen(endings[i]);

		if (n > k && str_eq(name + n - k, endings[i]))
			return true;
	}
	return false;
}

/* Lists the names in a folder, sorted, without hidden ones. Takes over @path. */
static void list_folder(char *path, struct names *out)
{
	struct dirent *e;
	DIR *d = opendir(path);

	free(path);
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.' && !describes_another(e->d_name))
			names_add(out, e->d_name);
	if (d)
		closedir(d);
	names_sort(out);
}

static bool exists(const char *pmu, const char *file)
{
	char *line = sysfs_line(DEVICES "/%s/%s", pmu, file);

	free(line);
	return line;
}

static void add_pmu(struct pmus *out, const char *name)
{
	char *type = sysfs_line(DEVICES "/%s/type", name), *end;
	struct pmu p = { .name = xstrdup(name) };
	unsigned long v = type ? strtoul(type, &end, 10) : 0;

	if (!type || end == type || v > INT32_MAX) {
		free(p.name);
	} else {
		p.type = (uint32_t)v;
		p.core = str_eq(name, "cpu") || exists(name, "cpus");
		vec_push(&out->list, p);
	}
	free(type);
}

void pmus_read(struct pmus *out)
{
	struct names names = {0};

	*out = (struct pmus){0};
	list_folder(xasprintf("%s/" DEVICES, sysfs_root()), &names);
	vec_for(name, &names.list)
		add_pmu(out, *name);
	names_release(&names);
}

void pmus_release(struct pmus *p)
{
	vec_for(pmu, &p->list)
		free(pmu->name);
	vec_free(&p->list);
}

const struct pmu *pmu_named(const struct pmus *p, const char *name)
{
	vec_for(pmu, &p->list)
		if (str_eq(pmu->name, name))
			return pmu;
	return NULL;
}

/* Returns the length of the name without "_N", the number of one of several PMUs of the same kind. */
static size_t stem(const char *name)
{
	size_t n = strlen(name), digits = 0;

	while (digits < n && isdigit((unsigned char)name[n - digits - 1]))
		digits++;
	if (!digits || digits + 1 >= n)
		return n;
	return name[n - digits - 1] == '_' ? n - digits - 1 : n;
}

static bool name_matches(const char *name, const char *pattern)
{
	size_t n = stem(name);

	return !fnmatch(pattern, name, 0) || (strlen(pattern) == n && !strncmp(pattern, name, n));
}

bool pmu_matches(const struct pmu *pmu, struct word w)
{
	static const char uncore[] = "uncore_";
	char *pattern = word_dup(w);
	bool found = name_matches(pmu->name, pattern);

	if (!found && str_starts(pmu->name, uncore))
		found = name_matches(pmu->name + strlen(uncore), pattern);
	free(pattern);
	return found;
}

/* ---- formats ---- */

/* Parses a format such as "config1:0-7,32". */
static int parse_format(const char *s, struct pmu_format *out)
{
	if (!str_starts(s, "config"))
		return -EINVAL;
	s += strlen("config");
	*out = (struct pmu_format){0};
	if (isdigit((unsigned char)*s))
		out->word = (unsigned)(*s++ - '0');
	if (out->word >= PMU_CONFIGS || *s != ':')
		return -EINVAL;
	do {
		char *end;
		unsigned long from = strtoul(++s, &end, 10), to = from;

		if (end == s)
			return -EINVAL;
		if (*end == '-')
			to = strtoul(s = end + 1, &end, 10);
		if (end == s || from > to || to > 63)
			return -EINVAL;
		out->mask |= (to - from == 63 ? UINT64_MAX : (1ull << (to - from + 1)) - 1) << from;
		s = end;
	} while (*s == ',');
	return *s ? -EINVAL : 0;
}

/* True if the user's word can be a file name in a path, and does not lead out of the directory. */
static bool is_file_name(struct word w)
{
	return w.n && w.n < 128 && !memchr(w.s, '/', w.n) && w.s[0] != '.';
}

static char *file_in(const struct pmu *pmu, const char *folder, struct word name)
{
	return is_file_name(name) ?
	       sysfs_line(DEVICES "/%s/%s/%.*s", pmu->name, folder, (int)name.n, name.s) : NULL;
}

int pmu_format_read(const struct pmu *pmu, struct word name, struct pmu_format *out)
{
	char *line = file_in(pmu, "format", name);
	int err = line ? parse_format(line, out) : -ENOENT;

	free(line);
	return err;
}

uint64_t pmu_format_max(const struct pmu_format *f)
{
	int bits = __builtin_popcountll(f->mask);

	return bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
}

static uint64_t *config_word(struct event_attr *attr, unsigned word)
{
	switch (word) {
	case 0: return &attr->config;
	case 1: return &attr->config1;
	case 2: return &attr->config2;
	case 3: return &attr->config3;
	default: return &attr->config4;
	}
}

void pmu_format_store(const struct pmu_format *f, struct event_attr *attr, uint64_t value)
{
	uint64_t *word = config_word(attr, f->word), bits = 0;

	for (unsigned i = 0, k = 0; i < 64; i++)
		if (f->mask >> i & 1)
			bits |= (value >> k++ & 1) << i;
	*word = (*word & ~f->mask) | bits;
}

/* ---- events and other files ---- */

char *pmu_event_text(const struct pmu *pmu, struct word name)
{
	return file_in(pmu, "events", name);
}

char *pmu_file(const struct pmu *pmu, const char *path)
{
	return sysfs_line(DEVICES "/%s/%s", pmu->name, path);
}

void pmu_names(const struct pmu *pmu, const char *folder, struct names *out)
{
	list_folder(xasprintf("%s/" DEVICES "/%s/%s", sysfs_root(), pmu->name, folder), out);
}

bool pmu_cpus(const struct pmu *pmu, struct cpus *out)
{
	char *line = pmu_file(pmu, "cpus");
	const char *bad;
	bool some;

	if (!line)
		line = pmu_file(pmu, "cpumask");
	some = line && *line && !cpus_parse(out, line, &bad);
	free(line);
	return some;
}
