/*
 * Finds a kcore (a file with a kernel's memory, kcore.h) of the recorded kernel: /proc/kcore or a copy. code.c reads the
 * kernel's code from the kcore that machine_kcore() returns.
 */
#include "core/model/load.h"

#include <dirent.h>
#include <string.h>

/* In perf's cache, each kernel has a directory, with a subdirectory for each time at which a kcore was copied. */
static bool open_cached(struct kcore *k, const struct dso *kernel)
{
	char *base = kernel ? kcore_cache_path(&kernel->build_id) : NULL;
	struct dirent **found = NULL;
	int nr = base ? scandir(base, &found, NULL, alphasort) : 0;
	bool is_open = false;

	/* The newest first: their names are times. */
	for (int i = nr - 1; i >= 0; i--) {
		if (!is_open && found[i]->d_name[0] != '.')
			is_open = kcore_open(k, xasprintf("%s/%s", base, found[i]->d_name), kernel);
		free(found[i]);
	}
	free(found);
	free(base);
	return is_open;
}

static bool open_beside_kallsyms(struct kcore *k, const char *kallsyms, const struct dso *kernel)
{
	const char *slash = kallsyms ? strrchr(kallsyms, '/') : NULL;

	if (!kallsyms || !str_eq(slash ? slash + 1 : kallsyms, "kallsyms"))
		return false;
	return kcore_open(k, slash ? xstrndup(kallsyms, (size_t)(slash - kallsyms)) : xstrdup("."), kernel);
}

/*
 * Takes the first kcore in which the kernel is at its recorded address. The order is: the directory of the --kallsyms file, if that
 * is named kallsyms; the copy in the recording, if the recording is a directory; /proc, if the recorded kernel is running; and
 * perf's cache.
 */
static void find(struct kcore *k, const struct machine *m)
{
	const struct dso *kernel = machine_kernel(m);

	if (open_beside_kallsyms(k, m->opts.kallsyms, kernel))
		return;
	if (m->kcore_dir && kcore_open(k, xstrdup(m->kcore_dir), kernel))
		return;
	if (kernel && is_running_kernel(m, kernel) && kcore_open(k, xstrdup("/proc"), kernel))
		return;
	open_cached(k, kernel);
}

const struct kcore *machine_kcore(struct machine *m)
{
	pthread_mutex_lock(&m->kcore.lock);
	if (!m->kcore.tried)
		find(&m->kcore.found, m);
	m->kcore.tried = true;
	pthread_mutex_unlock(&m->kcore.lock);
	return m->kcore.found.dir ? &m->kcore.found : NULL;
}
