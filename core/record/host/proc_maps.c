/*
 * Queries the maps of a process one after the other with the ioctl PROCMAP_QUERY. On kernels before Linux 6.11, or if the caller
 * wants text, parses /proc/PID/maps. synthesize.c calls it.
 */
#include "core/record/host/proc_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"

#define GATE		"[vsyscall]"
#define BITS32_END	(1ull << 32)

/* Linux 6.11, linux/fs.h: the query for a map, and the kernel's answer. */
struct map_query {
	uint64_t size, flags, addr;
	uint64_t from, to, prot, page_size, pgoff, ino;
	uint32_t maj, min, name_size, build_id_size;	/* sizes in: of the room, out: of what is in it, with the NUL */
	uint64_t name, build_id;			/* addresses of the room */
};

#define QUERY_MAP	_IOWR('f', 17, struct map_query)
#define QUERY_READ	0x01
#define QUERY_WRITE	0x02
#define QUERY_EXEC	0x04
#define QUERY_SHARED	0x08
#define QUERY_OR_NEXT	0x10
#define MAX_TIMEOUT_MS	(1ull << 40)
#define NAME_ROOM	(PATH_MAX + 64)			/* " (deleted)" after a path */

/* ---- one by one ---- */

static uint32_t protection(bool r, bool w, bool x)
{
	return (uint32_t)((r ? PROT_READ : 0) | (w ? PROT_WRITE : 0) | (x ? PROT_EXEC : 0));
}

static void add_answer(struct proc_maps *m, const struct map_query *q)
{
	struct proc_map map = {
		.from = q->from, .to = q->to, .pgoff = q->pgoff, .ino = q->ino, .maj = q->maj, .min = q->min,
		.prot = protection(q->prot & QUERY_READ, q->prot & QUERY_WRITE, q->prot & QUERY_EXEC),
		.flags = q->prot & QUERY_SHARED ? MAP_SHARED : MAP_PRIVATE, .path = m->text.len,
	};

	/* The kernel has already written the name to m->text. */
	if (q->name_size)
		m->text.len += q->name_size;
	else
		buf_putc(&m->text, '\0');
	vec_push(&m->list, map);
}

/* Returns 0 or -errno: -ENOTTY from a kernel that has no PROCMAP_QUERY. */
static int procmap_query(struct proc_maps *m, int fd, bool all, uint64_t until_ns)
{
	uint64_t at = 0;

	for (;;) {
		struct map_query q = {
			.size = sizeof(q), .flags = QUERY_OR_NEXT | (all ? 0 : QUERY_EXEC), .addr = at,
			.name = (uintptr_t)buf_room(&m->text, NAME_ROOM), .name_size = NAME_ROOM,
		};

		if (ioctl(fd, QUERY_MAP, &q))
			return errno == ENOENT ? 0 : -errno;
		m->cut = m->list.nr && now_ns() > until_ns;
		if (m->cut || q.to <= at)
			return 0;
		add_answer(m, &q);
		at = q.to;
	}
}

/* ---- as text ---- */

/* Parses a number and the character @after, which follows it, at *at. Moves *at after both. */
static bool parse_number(char **at, int base, char after, uint64_t *v)
{
	char *end;

	*v = strtoull(*at, &end, base);
	if (end == *at || *end != after)
		return false;
	*at = end + 1;
	return true;
}

/* "FROM-TO PERMS OFFSET MAJ:MIN INODE     PATH" (proc_pid_maps(5)); a scanf() would be most of the work. */
static bool parse_line(const struct proc_maps *m, char *line, bool all, struct proc_map *map)
{
	uint64_t maj, min;

	if (!parse_number(&line, 16, '-', &map->from) || !parse_number(&line, 16, ' ', &map->to) || strnlen(line, 5) < 5)
		return false;
	map->prot = protection(line[0] == 'r', line[1] == 'w', line[2] == 'x');
	map->flags = line[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	line += 5;
	if (!all && !(map->prot & PROT_EXEC))
		return false;
	if (!parse_number(&line, 16, ' ', &map->pgoff) || !parse_number(&line, 16, ':', &maj) ||
	    !parse_number(&line, 16, ' ', &min) || !parse_number(&line, 10, ' ', &map->ino))
		return false;
	map->maj = (uint32_t)maj;
	map->min = (uint32_t)min;
	map->path = (size_t)(line + strspn(line, " ") - m->text.data);
	return map->to > map->from;
}

static int read_text(struct proc_maps *m, const char *path, bool all, uint64_t until_ns)
{
	int err = read_file_until(path, &m->text, until_ns, &m->cut);
	struct proc_map map;
	char *line, *next;

	if (err)
		return err;
	while (m->cut && m->text.len && m->text.data[m->text.len - 1] != '\n')
		m->text.len--;
	buf_str(&m->text);
	for (line = m->text.data; *line; line = next) {
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = '\0';
		if (parse_line(m, line, all, &map))
			vec_push(&m->list, map);
	}
	return 0;
}

/* ---- the gate ---- */

/*
 * Looks for [vsyscall], a page in the kernel's half of the addresses, which x86 kernels show only at the end of /proc/PID/maps. If
 * the kernel has it, it is in prec's own maps.
 */
static void seek_gate(struct proc_maps *m)
{
	struct proc_maps own = {0};

	m->gate_sought = true;
	if (!read_text(&own, "/proc/self/maps", false, UINT64_MAX))
		vec_for(map, &own.list)
			if (str_eq(proc_map_path(&own, map), GATE))
				vec_push(&m->gate, *map);
	proc_maps_release(&own);
}

/* Adds [vsyscall] to the maps of a 64-bit process. Such a process has code above 4 GiB, where the kernel maps "[vdso]". */
static void add_gate(struct proc_maps *m)
{
	if (!m->gate_sought)
		seek_gate(m);
	if (!m->gate.nr || m->cut || !m->list.nr || m->list.v[m->list.nr - 1].to <= BITS32_END)
		return;
	vec_push(&m->list, m->gate.v[0]);
	m->list.v[m->list.nr - 1].path = m->text.len;
	buf_put(&m->text, GATE, sizeof(GATE));
}

/* ---- together ---- */

int proc_maps_read(struct proc_maps *m, uint32_t pid, bool all, uint64_t timeout_ms)
{
	uint64_t until_ns = now_ns() + MIN(timeout_ms, MAX_TIMEOUT_MS) * 1000000;
	char path[32];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	m->text.len = m->list.nr = 0;
	m->cut = false;
	if (!m->as_text) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		err = procmap_query(m, fd, all, until_ns);
		close(fd);
		if (!err) {
			add_gate(m);
			return 0;
		}
		m->as_text = err == -ENOTTY;
		m->text.len = m->list.nr = 0;
	}
	return read_text(m, path, all, until_ns);
}

void proc_maps_release(struct proc_maps *m)
{
	vec_free(&m->list);
	vec_free(&m->gate);
	buf_release(&m->text);
}
