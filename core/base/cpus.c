/* Parses lists of CPUs such as "0-3,8", and reads the lists of online and of possible CPUs from sysfs. */
#include "core/base/cpus.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "core/base/sysfs.h"

bool cpus_has(const struct cpus *c, int cpu)
{
	vec_for(i, &c->list)
		if (*i == cpu)
			return true;
	return false;
}

void cpus_release(struct cpus *c)
{
	vec_free(&c->list);
}

ORDER(ascending, int, compare_numbers(*a, *b))

static void sort_unique(struct cpus *c)
{
	size_t nr = 0;

	vec_sort(&c->list, ascending);
	for (size_t i = 0; i < c->list.nr; i++)
		if (!nr || c->list.v[nr - 1] != c->list.v[i])
			c->list.v[nr++] = c->list.v[i];
	c->list.nr = nr;
}

/* Reads the number at *s, and moves *s behind it. Returns -1 if there is no number. */
static int number(const char **s)
{
	char *end;
	long v;

	if (!isdigit((unsigned char)**s))
		return -1;
	v = strtol(*s, &end, 10);
	if (v >= CPU_MAX)
		return -1;
	*s = end;
	return (int)v;
}

int cpus_parse(struct cpus *out, const char *s, const char **bad)
{
	*out = (struct cpus){0};
	for (;;) {
		const char *start = s;
		int from = number(&s), to = from;

		if (from >= 0 && *s == '-') {
			s++;
			to = number(&s);
		}
		if (from < 0 || to < from || (*s && *s != ',' && *s != '\n')) {
			if (bad)
				*bad = from < 0 || to < from ? start : s;
			cpus_release(out);
			return -EINVAL;
		}
		for (int cpu = from; cpu <= to; cpu++)
			vec_push(&out->list, cpu);
		if (*s != ',')
			break;
		s++;
	}
	sort_unique(out);
	return 0;
}

static int read_list(struct cpus *out, const char *path)
{
	char *s = sysfs_line("%s", path);
	int err;

	*out = (struct cpus){0};
	if (!s)
		return -errno;
	err = cpus_parse(out, s, NULL);
	free(s);
	return err;
}

int cpus_online(struct cpus *out)
{
	return read_list(out, "devices/system/cpu/online");
}

int cpus_possible(struct cpus *out)
{
	return read_list(out, "devices/system/cpu/possible");
}
