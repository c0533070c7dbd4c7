/*
 * Finds the addresses of the running kernel and its modules, for their MMAP records: the kernel's start in /proc/kallsyms, the
 * size of its code in /proc/iomem, and the modules in /proc/modules. modules.dep gives the modules' files.
 */
#include "core/record/host/kernel_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/binary/kallsyms.h"

#define KALLSYMS	"/proc/kallsyms"
#define KALLSYMS_CHUNK	4096
#define KALLSYMS_MAX	(1 << 20)	/* x86 lists per-CPU offsets first, up to Linux 6.14 */

struct start {
	uint64_t addr;		/* 0: not found, or hidden */
	const char *symbol;
};

/* Looks in a line of kallsyms for _text, or for _stext if no _text has that address. Returns true if the search is over. */
static bool start_line(const char *line, struct start *out)
{
	struct kallsyms_line l;
	size_t size;

	if (!kallsyms_line_parse(line, &l, &size) || !l.addr)
		return false;
	if (out->addr && l.addr != out->addr)
		return true;
	if (size == 5 && !memcmp(l.name, "_text", size)) {
		*out = (struct start){ .addr = l.addr, .symbol = "_text" };
		return true;
	}
	if (size == 6 && !memcmp(l.name, "_stext", size))
		*out = (struct start){ .addr = l.addr, .symbol = "_stext" };
	return false;
}

/* Looks through the complete lines of @text from *at on, and moves *at after them. Returns true if the search is over. */
static bool scan_lines(char *text, size_t *at, struct start *out)
{
	char *end;

	for (; (end = strchr(text + *at, '\n')); *at = (size_t)(end + 1 - text))
		if (start_line(text + *at, out))
			return true;
	return false;
}

/* Finds the kernel's start. /proc/kallsyms has some 100,000 lines, sorted by address, so reading the beginning is enough. */
static struct start find_start(void)
{
	int fd = kallsyms_are_hidden(KALLSYMS) ? -1 : open(KALLSYMS, O_RDONLY | O_CLOEXEC);
	struct start found = {0};
	unsigned interrupted = 0;
	struct buf text = {0};
	size_t at = 0;

	while (fd >= 0 && text.len < KALLSYMS_MAX) {
		ssize_t n = read(fd, buf_room(&text, KALLSYMS_CHUNK), KALLSYMS_CHUNK);

		if (interrupted_call(n, &interrupted))
			continue;
		if (n <= 0)
			break;
		text.len += (size_t)n;
		buf_str(&text);
		if (scan_lines(text.data, &at, &found))
			break;
	}
	if (fd >= 0)
		close(fd);
	buf_release(&text);
	return found;
}

/* Returns the size of the kernel's code in bytes, or 0 if it is hidden from this user. */
static uint64_t code_size(void)
{
	unsigned long long from = 0, to = 0;
	struct buf text = {0};
	char *line;

	if (!read_file("/proc/iomem", &text)) {
		buf_str(&text);
		line = strstr(text.data, ": Kernel code");
		while (line && line > text.data && line[-1] != '\n')
			line--;
		if (!line || sscanf(line, " %llx-%llx", &from, &to) != 2 || to <= from)
			from = to = 0;
	}
	buf_release(&text);
	return to ? to - from + 1 : 0;
}

/* If /proc/iomem hides the size, the kernel's map reaches to the end of the address space, and the maps of modules overlap it. */
static void add_kernel(struct kernel_maps *out)
{
	struct start s = find_start();
	uint64_t size = code_size();
	struct kernel_map m = { .from = s.addr, .pgoff = s.addr };

	if (!s.addr)
		return;
	m.to = size ? s.addr + size : UINT64_MAX;
	m.name = xasprintf("[kernel.kallsyms]%s", s.symbol);
	vec_push(&out->list, m);
}

/* ---- modules ---- */

/* True if the file name at @file, up to '.', is that of @module. A '-' in a file name is '_' in the module's name. */
static bool is_module_file(const char *file, const char *module)
{
	for (; *module; file++, module++)
		if (*file != *module && !(*module == '_' && *file == '-'))
			return false;
	return *file == '.';
}

/* Returns the file of @module in modules.dep ("kernel/fs/x.ko.xz: deps"), or "[module]"; owned by the caller. */
static char *module_file(const char *dep, const char *dir, const char *module)
{
	for (const char *line = dep; line && *line; ) {
		const char *next = strchr(line, '\n');
		size_t n = strcspn(line, ":\n");
		const char *base = memrchr(line, '/', n);

		if (is_module_file(base ? base + 1 : line, module))
			return line[0] == '/' ? xstrndup(line, n) : xasprintf("%s/%.*s", dir, (int)n, line);
		line = next ? next + 1 : NULL;
	}
	return xasprintf("[%s]", module);
}

static void add_module(struct kernel_maps *out, const char *line, const char *dep, const char *dir)
{
	unsigned long long addr, size;
	char name[64];
	struct kernel_map m;

	if (sscanf(line, "%63s %llu %*s %*s %*s %llx", name, &size, &addr) != 3 || !addr || !size)
		return;
	m = (struct kernel_map){ .from = addr, .to = addr + size, .name = module_file(dep, dir, name) };
	vec_push(&out->list, m);
}

static void add_modules(struct kernel_maps *out)
{
	struct buf text = {0}, dep = {0};
	struct utsname u;
	char *dir, *path;

	if (read_file("/proc/modules", &text) || uname(&u)) {
		buf_release(&text);
		return;
	}
	dir = xasprintf("/lib/modules/%s", u.release);
	path = xasprintf("%s/modules.dep", dir);
	read_file(path, &dep);
	buf_str(&dep);
	for (const char *line = buf_str(&text); *line; line += strcspn(line, "\n"), line += *line == '\n')
		add_module(out, line, dep.data, dir);
	free(path);
	free(dir);
	buf_release(&dep);
	buf_release(&text);
}

void kernel_maps_read(struct kernel_maps *out)
{
	*out = (struct kernel_maps){0};
	add_kernel(out);
	if (out->list.nr)
		add_modules(out);
}

void kernel_maps_release(struct kernel_maps *m)
{
	vec_for(map, &m->list)
		free(map->name);
	vec_free(&m->list);
}
