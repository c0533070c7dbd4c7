/*
 * Synthesizes the records of processes that exist before the recording (FORK, NAMESPACES, COMM, MMAP2), and an MMAP record for the
 * kernel and each module. preamble.c calls it.
 */
#include "core/record/host/synthesize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/pool.h"
#include "core/base/vec.h"
#include "core/binary/build_id.h"
#include "core/perfdata/record.h"
#include "core/record/host/kernel_maps.h"
#include "core/record/host/proc_maps.h"
#include "core/record/open/target.h"

struct known_file {		/* whose build id was looked up */
	uint64_t dev, ino;
	struct build_id id;
};

/*
 * The state of one thread that synthesizes records. There may be thousands of processes, so several threads may share the work, and
 * the code avoids system calls. Each thread remembers the build ids that it has read, and does not read them a second time.
 */
struct synthesizer {
	struct synthesizer_opts opts;
	struct buf text;		/* contents of a file of /proc, reused */
	struct proc_maps maps;		/* maps of the present process, reused */
	VEC(struct known_file) files;
	struct index by_inode;
};

struct synthesizer *synthesizer_new(const struct synthesizer_opts *opts)
{
	struct synthesizer *s = xcalloc(1, sizeof(*s));

	s->opts = *opts;
	return s;
}

void synthesizer_free(struct synthesizer *s)
{
	if (!s)
		return;
	buf_release(&s->text);
	proc_maps_release(&s->maps);
	vec_free(&s->files);
	index_release(&s->by_inode);
	free(s);
}

/* Appends a record. Its time is 0, before all other records. */
static void emit(struct synthesizer *s, struct buf *out, struct record *r, uint32_t pid, uint32_t tid)
{
	r->id = (struct sample_id){ .id = s->opts.id, .pid = pid, .tid = tid };
	record_append(out, s->opts.layout, r);
}

/* ---- names ---- */

/* The order is that of the kernel's records (NET_NS_INDEX ... in linux/perf_event.h). Unreadable namespaces are 0. */
static void emit_namespaces(struct synthesizer *s, struct buf *out, uint32_t pid, uint32_t tid)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	uint64_t links[2 * ARRAY_SIZE(names)] = {0};
	struct record r = {
		.header.type = PERF_RECORD_NAMESPACES,
		.namespaces = { .pid = pid, .tid = tid, .nr = ARRAY_SIZE(names) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[64];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%u/task/%u/ns/%s", pid, tid, names[i]);
		if (stat(path, &st))
			continue;
		links[2 * i] = st.st_dev;
		links[2 * i + 1] = st.st_ino;
	}
	r.namespaces.links = (struct words){ .data = (const uint8_t *)links, .nr = ARRAY_SIZE(links) };
	emit(s, out, &r, pid, tid);
}

static void emit_task(struct synthesizer *s, struct buf *out, uint32_t pid, uint32_t tid, uint32_t ppid,
		      const char *comm)
{
	struct record fork = { .header.type = PERF_RECORD_FORK, .task = { .pid = pid, .tid = tid } };
	struct record name = { .header.type = PERF_RECORD_COMM, .comm = { .pid = pid, .tid = tid, .comm = comm } };

	/* As the parent of a thread the record has its process; as the parent of a process, its parent process. */
	fork.task.ppid = fork.task.ptid = pid == tid ? ppid : pid;
	emit(s, out, &fork, pid, tid);
	if (s->opts.namespaces)
		emit_namespaces(s, out, pid, tid);
	emit(s, out, &name, pid, tid);
}

/* A thread's data in /proc/PID/stat. */
struct task_stat {
	char *comm;
	uint32_t ppid, nr_threads;
};

/* Returns the number in @text after @skip other words, or 0 if there are too few. */
static uint32_t number_after(const char *text, unsigned skip)
{
	while (skip-- && (text = strchr(text, ' ')))
		text++;
	return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

/* Parses "PID (COMM) STATE PPID ...", in which COMM may hold any character (proc_pid_stat(5)). Ends it with a NUL in @text. */
static bool parse_stat(char *text, struct task_stat *st)
{
	char *open = strchr(text, '('), *end = strrchr(text, ')');

	if (!open || !end || end < open || end[1] != ' ')
		return false;
	*end = '\0';
	*st = (struct task_stat){ .comm = open + 1, .ppid = number_after(end + 2, 1),
				  .nr_threads = number_after(end + 2, 17) };
	return true;
}

/* Appends the records of the thread with the stat file @path; false: it is gone. *nr_threads: threads of its process. */
static bool scan_task(struct synthesizer *s, struct buf *out, const char *path, uint32_t pid, uint32_t tid,
		      uint32_t *nr_threads)
{
	struct task_stat st;

	s->text.len = 0;
	if (read_at_once(path, &s->text) || !parse_stat(s->text.data, &st))
		return false;
	*nr_threads = st.nr_threads;
	if (!s->opts.how.no_tasks)
		emit_task(s, out, pid, tid, st.ppid, st.comm);
	return true;
}

/* ---- maps ---- */

static const struct build_id *build_id_of(struct synthesizer *s, uint64_t dev, uint64_t ino, const char *path)
{
	uint64_t h = hash_pair(dev, ino);
	struct known_file f = { .dev = dev, .ino = ino };

	index_for(pos, &s->by_inode, h)
		if (s->files.v[pos].dev == dev && s->files.v[pos].ino == ino)
			return &s->files.v[pos].id;
	if (build_id_of_file(&f.id, path))
		f.id.size = 0;
	index_add(&s->by_inode, h, (uint32_t)s->files.nr);
	vec_push(&s->files, f);
	return &s->files.v[s->files.nr - 1].id;
}

/* Returns the build id of a mapped file, or NULL. The file is read below /proc/PID/root, where the process itself sees it. */
static const struct build_id *map_build_id(struct synthesizer *s, uint32_t pid, const struct proc_map *m, const char *file)
{
	char *path;
	const struct build_id *id;

	if (!s->opts.build_ids || *file != '/')
		return NULL;
	path = xasprintf("/proc/%u/root%s", pid, file);
	id = build_id_of(s, makedev(m->maj, m->min), m->ino, path);
	free(path);
	return id->size ? id : NULL;
}

/* @last: the timeout came after this map, and the process has more. */
static void emit_map(struct synthesizer *s, struct buf *out, uint32_t pid, const struct proc_map *m, bool last)
{
	const char *file = proc_map_path(&s->maps, m);
	const struct build_id *id = map_build_id(s, pid, m, file);
	struct record r = {
		.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER },
		.mmap = {
			.pid = pid, .tid = pid, .addr = m->from, .len = m->to - m->from, .pgoff = m->pgoff,
			.maj = m->maj, .min = m->min, .ino = m->ino, .prot = m->prot, .flags = m->flags,
			.filename = *file ? file : "//anon",
		},
	};

	if (last)
		r.header.misc |= PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT;
	if (!(r.mmap.prot & PROT_EXEC))
		r.header.misc |= PERF_RECORD_MISC_MMAP_DATA;
	if (id) {
		r.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		r.mmap.build_id_size = id->size;
		memcpy(r.mmap.build_id, id->data, id->size);
	}
	emit(s, out, &r, pid, pid);
}

static void scan_maps(struct synthesizer *s, struct buf *out, uint32_t pid)
{
	if (proc_maps_read(&s->maps, pid, s->opts.data_maps, s->opts.how.map_timeout_ms))
		return;
	vec_for(m, &s->maps.list)
		emit_map(s, out, pid, m, s->maps.cut && m == s->maps.list.v + s->maps.list.nr - 1);
}

/* ---- processes ---- */

static void scan_other_threads(struct synthesizer *s, struct buf *out, uint32_t pid)
{
	struct pid_list tids = {0};
	uint32_t nr_threads;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	pids_in(&tids, path);
	vec_for(tid, &tids.list) {
		if ((uint32_t)*tid == pid)
			continue;
		snprintf(path, sizeof(path), "/proc/%u/task/%d/stat", pid, (int)*tid);
		scan_task(s, out, path, pid, (uint32_t)*tid, &nr_threads);
	}
	vec_free(&tids.list);
}

/* Other threads are only searched if there are any: most processes have one thread. */
void synthesize_process(struct synthesizer *s, struct buf *out, pid_t pid)
{
	uint32_t nr_threads;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (!scan_task(s, out, path, (uint32_t)pid, (uint32_t)pid, &nr_threads))
		return;
	if (!s->opts.how.no_maps)
		scan_maps(s, out, (uint32_t)pid);
	if (nr_threads > 1)
		scan_other_threads(s, out, (uint32_t)pid);
}

#define BLOCK_PIDS	16	/* processes that a thread describes at a time */

struct synthesis {
	const struct pid_list *pids;
	struct synthesizer **scans;	/* by worker; the first is the caller's */
	struct buf *texts;		/* by block */
};

static void scan_block(void *arg, unsigned worker, size_t block)
{
	struct synthesis *run = arg;

	for (size_t i = block * BLOCK_PIDS; i < MIN((block + 1) * BLOCK_PIDS, run->pids->list.nr); i++)
		synthesize_process(run->scans[worker], &run->texts[block], run->pids->list.v[i]);
}

static void synthesize_list(struct synthesizer *s, struct buf *out, const struct pid_list *pids)
{
	unsigned threads = (unsigned)MAX(MIN(s->opts.how.threads, 1024), 1);
	size_t blocks = (pids->list.nr + BLOCK_PIDS - 1) / BLOCK_PIDS;
	struct synthesis run = {
		.pids = pids, .scans = xcalloc(threads, sizeof(*run.scans)),
		.texts = xcalloc(MAX(blocks, 1), sizeof(*run.texts)),
	};

	for (unsigned i = 0; i < threads; i++)
		run.scans[i] = i ? synthesizer_new(&s->opts) : s;
	pool_run(threads, blocks, scan_block, &run);
	for (size_t i = 0; i < blocks; i++) {
		buf_put(out, run.texts[i].data, run.texts[i].len);
		buf_release(&run.texts[i]);
	}
	for (unsigned i = 1; i < threads; i++)
		synthesizer_free(run.scans[i]);
	free(run.texts);
	free(run.scans);
}

void synthesize_all(struct synthesizer *s, struct buf *out)
{
	struct pid_list pids = {0};

	pids_in(&pids, "/proc");
	synthesize_list(s, out, &pids);
	vec_free(&pids.list);
}

void synthesize_others(struct synthesizer *s, struct buf *out, const struct pid_list *known)
{
	struct pid_list pids = {0}, others = {0};

	pids_in(&pids, "/proc");
	pids_without(&others, &pids, known);
	synthesize_list(s, out, &others);
	vec_free(&pids.list);
	vec_free(&others.list);
}

pid_t process_of_thread(pid_t tid)
{
	struct buf text = {0};
	const char *at;
	char path[64];
	pid_t pid = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	if (!read_file(path, &text) && (at = strstr(buf_str(&text), "\nTgid:")))
		pid = (pid_t)atoi(at + strlen("\nTgid:"));
	buf_release(&text);
	return pid;
}

/* ---- the kernel ---- */

static void emit_kernel_map(struct synthesizer *s, struct buf *out, const struct kernel_map *m)
{
	struct record r = {
		.header = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_KERNEL },
		.mmap = {
			.pid = (uint32_t)-1, .addr = m->from, .len = m->to - m->from, .pgoff = m->pgoff,
			.filename = m->name,
		},
	};

	emit(s, out, &r, 0, 0);
}

bool synthesize_kernel(struct synthesizer *s, struct buf *out)
{
	struct kernel_maps maps;
	bool shown;

	kernel_maps_read(&maps);
	vec_for(m, &maps.list)
		emit_kernel_map(s, out, m);
	shown = maps.list.nr;
	kernel_maps_release(&maps);
	return shown;
}
