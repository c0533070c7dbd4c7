/*
 * Finds, below /proc/PID/root, the files that process PID of a container has mapped. Reads from /proc/PID/status the pid that
 * the process has inside the container.
 */
#include "core/model/namespace.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"

/* The root directory of the process; NULL if it has ended or prec lacks permission. Owned by the caller. */
static char *root_of(const struct machine *m, const struct dso *dso)
{
	char *root;

	if (!m->opts.this_host || m->opts.symfs || !dso->pid)
		return NULL;
	root = xasprintf("/proc/%u/root", dso->pid);
	if (!access(root, X_OK))
		return root;
	free(root);
	return NULL;
}

/*
 * Returns the regular file at @path in @root, owned by the caller; NULL: there is none, or a link leads elsewhere if it is resolved
 * from prec's own root (openat2(2), Linux 5.6). Frees @root and @path, each of which may be NULL.
 */
static char *inside(char *root, char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	char *whole = root && path ? xasprintf("%s%s", root, path) : NULL;
	int dir = whole ? open(root, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	int fd = dir >= 0 ? (int)syscall(SYS_openat2, dir, path, &how, sizeof(how)) : -1;
	struct stat there, here;

	if (fd < 0 || fstat(fd, &there) || stat(whole, &here) || !S_ISREG(there.st_mode) || there.st_dev != here.st_dev ||
	    there.st_ino != here.st_ino) {
		free(whole);
		whole = NULL;
	}
	if (fd >= 0)
		close(fd);
	if (dir >= 0)
		close(dir);
	free(root);
	free(path);
	return whole;
}

char *namespace_path(const struct machine *m, const struct dso *dso)
{
	return inside(root_of(m, dso), xstrdup(dso->path));
}

/* "NSpid:" has the pid in each nested namespace, from ours inwards; the last is its own (Linux 4.1). */
unsigned long namespace_pid(uint32_t pid)
{
	char *path = xasprintf("/proc/%u/status", pid), *at;
	unsigned long number = pid;
	struct buf text = {0};

	at = read_file(path, &text) ? NULL : strstr(buf_str(&text), "\nNSpid:");
	if (at) {
		at += strlen("\nNSpid:");
		while (*at == '\t' || *at == ' ')
			number = strtoul(at, &at, 10);
	}
	free(path);
	buf_release(&text);
	return number;
}

char *namespace_jit_path(const struct machine *m, const struct dso *dso)
{
	return inside(root_of(m, dso), xasprintf("/tmp/perf-%lu.map", namespace_pid(dso->pid)));
}
