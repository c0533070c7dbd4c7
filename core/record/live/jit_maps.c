/* Finds the files /tmp/perf-PID.map, in which JIT compilers write the names of their code, and keeps copies for the recording. */
#include "core/record/live/jit_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/ui/finding.h"
#include "core/base/hash.h"
#include "core/base/util.h"
#include "core/base/vec.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/record.h"
#include "core/compression/zstd.h"
#include "core/model/dsos.h"
#include "core/model/interpreter.h"
#include "core/model/namespace.h"
#include "core/record/live/java_attach.h"
#include "core/record/live/kernel_records.h"
#include "core/record/live/pid_bits.h"

#define FILE_MAX	(64ull << 20)	/* maximum bytes of one map file */
#define ALL_MAX		(256ull << 20)	/* maximum bytes of all map files */
#define PROCESSES_MAX	65536
#define OPEN_MAX	256		/* maximum files and root directories that are held open */
#define LEVEL		1		/* compression level of zstd, which must be fast */
#define FIRST_WAIT_NS	100000000ull	/* first pause before a file is looked for again; the pause doubles up to LAST_WAIT_NS */
#define LAST_WAIT_NS	4000000000ull
#define ASK_FIRST_NS	100000000ull	/* a JVM is asked this long after it was first seen; the pause to the next time doubles up
					 * to ASK_LAST_NS */
#define ASK_LAST_NS	30000000000ull
#define ANSWER_NS	1000000000ull	/* a JVM must answer within this time */
#define ANSWERS_NS	5000000000ull	/* at the end, all JVMs together must answer within this time */

enum { ROOT_OURS = -1, ROOT_UNKNOWN = -2, ROOT_REFUSED = -3 };

/* Identifies the contents of a map file when it was read. */
struct version { dev_t dev; ino_t ino; off_t size; struct timespec changed; };

struct jit_map {
	uint32_t pid;
	unsigned long number;		/* the process's pid in its own PID namespace */
	uint64_t started;		/* when the process began, in clock ticks; 0: it had ended already */
	int root;			/* descriptor of the process's root directory, or ROOT_OURS, ROOT_UNKNOWN, ROOT_REFUSED */
	int fd;				/* the map file, open since it was first seen; -1: not seen yet */
	int left;			/* the map file of an ended process, until it is read; -1: none */
	uid_t owner;			/* the process's user */
	uint64_t due_ns, wait_ns;	/* .due_ns: when the file is looked for again; .wait_ns: the pause before that */
	bool ended, ended_once;
	int err;			/* -errno of the last attempt to read the file; 0: none */
	bool is_jvm;
	int jvm_err;			/* -errno if the JVM did not write the file; 0: it did, or was not asked */
	bool jvm_woken;			/* struct jvm.was_woken */
	uint64_t ask_due_ns, ask_wait_ns;	/* .ask_due_ns: when the JVM is asked again; .ask_wait_ns: the pause before that */
	struct version version;
	bool makes_code;		/* it has executable memory without a file */
	bool is_node;			/* it has mapped a file with the name of Node.js */
	bool has_names;			/* a map file was copied, even if to an earlier file, or the process maps a jitdump */
	uint64_t size;			/* size of the map file's copy before compression */
	struct buf packed;
};

struct jit_maps {
	pthread_mutex_t lock;		/* protects the members below */
	VEC(struct jit_map) list;
	struct index by_pid;
	unsigned nr_open;
	unsigned nr_left;		/* map files of ended processes that must be read */
	unsigned nr_reading;		/* map files that are being read */
	pthread_cond_t is_read;		/* signalled when a file was read */
	uint64_t due_ns;		/* the earliest .due_ns in .list */
	uint64_t size, packed;		/* sums over .list: bytes before and after compression */
	struct pid_bits sampled;	/* used without the lock */
	bool ask_all;			/* ask JVMs without samples, too */
	/* The worker thread asks JVMs and reads the map files of ended processes, because both take time. */
	bool worker_runs, worker_ends;
	pthread_t worker;
	pthread_cond_t worker_due;	/* CLOCK_MONOTONIC */
};

/* ---- where it is ---- */

static bool is_same(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Opens the process's root directory while the process lives. If the process has ended already, it is treated as if it had ours. */
static void find_root(struct jit_maps *j, struct jit_map *m)
{
	char root[32], mounts[32];

	snprintf(root, sizeof(root), "/proc/%u/root", m->pid);
	snprintf(mounts, sizeof(mounts), "/proc/%u/ns/mnt", m->pid);
	if (is_same(root, "/") && is_same(mounts, "/proc/self/ns/mnt"))
		return;
	m->root = j->nr_open < OPEN_MAX ? open(root, O_PATH | O_DIRECTORY | O_CLOEXEC) : ROOT_UNKNOWN;
	j->nr_open += m->root >= 0;
	if (m->root == -1)
		m->root = errno == ENOENT ? ROOT_OURS : errno == EACCES || errno == EPERM ? ROOT_REFUSED : ROOT_UNKNOWN;
}

static void release_fd(struct jit_maps *j, int *fd)
{
	if (*fd < 0)
		return;
	close(*fd);
	*fd = -1;
	j->nr_open--;
}

/* True if the map file is of a trusted user, and has one name: anyone can make a hard link to root's file. */
static bool is_trusted(const struct jit_map *m, const struct stat *st)
{
	if (st->st_nlink > 1)
		return false;
	return st->st_uid == m->owner || is_trusted_owner(st->st_uid) || st->st_uid == owner_of_process(m->pid);
}

/* Returns a descriptor or -errno. */
static int open_map(const struct jit_map *m)
{
	char path[64];
	struct stat st;
	int fd, err;

	if (m->root < ROOT_OURS)
		return -ENOENT;
	snprintf(path, sizeof(path), "/tmp/perf-%lu.map", m->number);
	fd = open_regular_below(m->root, path);
	if (fd < 0)
		return fd;
	err = fstat(fd, &st) ? -errno : is_trusted(m, &st) ? 0 : -EPERM;
	if (!err)
		return fd;
	close(fd);
	return err;
}

static void poll_map(struct jit_maps *j, struct jit_map *m, uint64_t now)
{
	if (m->ended || m->fd >= 0 || j->nr_open >= OPEN_MAX)
		return;
	m->fd = open_map(m);
	m->err = MIN(m->fd, 0);
	if (m->fd >= 0)
		j->nr_open++;
	m->wait_ns = m->wait_ns ? MIN(2 * m->wait_ns, LAST_WAIT_NS) : FIRST_WAIT_NS;
	m->due_ns = now + m->wait_ns;
	j->due_ns = MIN(j->due_ns, m->due_ns);
}

/* ---- reading it ---- */

static int pack(const struct buf *text, struct buf *out)
{
	struct zstd_writer *z = zstd_writer_new(LEVEL);
	int err = z ? zstd_write(z, text->data, text->len, out) : -ENOMEM;

	err = err ? err : zstd_end(z, out);
	zstd_writer_free(z);
	return err;
}

static void drop(struct jit_maps *j, struct jit_map *m)
{
	j->size -= m->size;
	j->packed -= m->packed.len;
	m->size = 0;
	buf_release(&m->packed);
	m->version = (struct version){0};
}

/* The copy of a map file. Its .size is 0 if the file is empty or has not changed. */
struct copy { struct version version; uint64_t size; struct buf packed; };

static bool is_version(const struct version *a, const struct version *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size && a->changed.tv_sec == b->changed.tv_sec &&
	       a->changed.tv_nsec == b->changed.tv_nsec;
}

static int read_copy(int fd, const struct version *known, uint64_t room, struct copy *out)
{
	struct buf text = {0};
	struct stat st;
	int64_t n;
	int err;

	if (fstat(fd, &st))
		return -errno;
	out->version = (struct version){ st.st_dev, st.st_ino, st.st_size, st.st_mtim };
	if (!st.st_size || is_version(&out->version, known))
		return 0;
	if ((uint64_t)st.st_size > MIN(FILE_MAX, room))
		return -EFBIG;
	n = read_at(fd, buf_room(&text, (size_t)st.st_size), (size_t)st.st_size, 0);
	text.len = n > 0 ? (size_t)n : 0;
	err = n > 0 ? pack(&text, &out->packed) : (int)n;
	out->size = err ? 0 : text.len;
	buf_release(&text);
	return err;
}

/* Moves the contents of *copy to @m. */
static int keep_copy(struct jit_maps *j, struct jit_map *m, struct copy *copy)
{
	if (!copy->size)
		return 0;
	/* The copy of another file may have been added meanwhile. */
	if (j->size - m->size + copy->size > ALL_MAX)
		return -EFBIG;
	drop(j, m);
	m->version = copy->version;
	m->size = copy->size;
	m->packed = copy->packed;
	m->has_names = true;
	copy->packed = (struct buf){0};
	j->size += m->size;
	j->packed += m->packed.len;
	return 0;
}

static struct jit_map *find(struct jit_maps *j, uint32_t pid)
{
	uint64_t h = hash_u64(pid);

	index_for(pos, &j->by_pid, h)
		if (j->list.v[pos].pid == pid)
			return &j->list.v[pos];
	return NULL;
}

/* Reads the map file @fd, and closes it. Gives up the lock meanwhile, so entries of .list may have moved when it returns. */
static void read_map(struct jit_maps *j, const struct jit_map *of, int fd)
{
	struct version known = of->version;
	uint64_t started = of->started, room = ALL_MAX - (j->size - of->size);
	uint32_t pid = of->pid;
	struct copy copy = {0};
	struct jit_map *m;
	int err;

	j->nr_reading++;
	pthread_mutex_unlock(&j->lock);
	err = read_copy(fd, &known, room, &copy);
	close(fd);
	pthread_mutex_lock(&j->lock);
	j->nr_reading--;
	pthread_cond_broadcast(&j->is_read);
	m = find(j, pid);
	if (m->started == started)
		m->err = err ? err : keep_copy(j, m, &copy);
	buf_release(&copy.packed);
}

/*
 * Returns a descriptor of the map file that exists now or, if it was removed, of the one seen earlier. Returns -1 if no file was
 * ever there, and keeps an error in m->err.
 */
static int newest(struct jit_map *m)
{
	int fd = open_map(m);

	m->err = fd < 0 && fd != -ENOENT ? fd : 0;
	return fd >= 0 ? fd : m->fd < 0 ? -1 : fcntl(m->fd, F_DUPFD_CLOEXEC, 0);
}

/* Reads one map file of an ended process. Returns false if no such file is left. */
static bool read_left(struct jit_maps *j)
{
	for (size_t i = 0; j->nr_left && i < j->list.nr; i++) {
		struct jit_map *m = &j->list.v[i];
		int fd = m->left;

		if (fd < 0)
			continue;
		m->left = -1;
		j->nr_left--;
		j->nr_open--;
		read_map(j, m, fd);
		return true;
	}
	return false;
}

/* ---- what is seen ---- */

/*
 * Returns when the process began, in clock ticks since the machine started, or 0 if there is no such process. The process's
 * name, in brackets, may contain any byte.
 */
static uint64_t start_of(uint32_t pid)
{
	char path[32];
	struct buf text = {0};
	uint64_t at = 0;
	const char *s;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	s = read_file(path, &text) ? NULL : strrchr(buf_str(&text), ')');
	for (unsigned field = 2; s && field < 22; field++)
		s = strchr(s + 1, ' ');
	if (s)
		at = strtoull(s, NULL, 10);
	buf_release(&text);
	return at;
}

/* Begins the entry of a process, or of a new process with the same pid, for which the old names would be wrong. */
static void begin(struct jit_maps *j, struct jit_map *m, uint64_t started)
{
	m->number = namespace_pid(m->pid);
	m->owner = owner_of_process(m->pid);
	m->started = started;
	drop(j, m);
	if (m->left >= 0)
		j->nr_left--;
	release_fd(j, &m->left);
	m->root = m->fd = -1;
	m->wait_ns = 0;
	m->is_jvm = m->ended = m->jvm_woken = m->makes_code = m->is_node = m->has_names = false;
	m->err = m->jvm_err = 0;
	find_root(j, m);
}

static void see_code(struct jit_maps *j, uint32_t pid)
{
	struct jit_map *m = find(j, pid);

	if (!m && j->list.nr == PROCESSES_MAX)
		return;
	if (!m) {
		index_add(&j->by_pid, hash_u64(pid), (uint32_t)j->list.nr);
		vec_push(&j->list, (struct jit_map){ .pid = pid, .root = -1, .fd = -1, .left = -1, .ended = true });
		m = &j->list.v[j->list.nr - 1];
	}
	if (m->ended) {
		uint64_t started = start_of(pid);

		/* The record may be older than the EXIT record, which was in a ring buffer that was read first. */
		if (m->ended_once && (!started || started == m->started))
			return;
		begin(j, m, started);
	}
	poll_map(j, m, now_ns());
}

/* ---- JVMs ---- */

static struct jvm jvm_of(const struct jit_map *m, int root)
{
	return (struct jvm){ .pid = m->pid, .number = m->number, .owner = m->owner, .root = root, .was_woken = m->jvm_woken };
}

/*
 * Asks a JVM to write its map file. Gives up the lock meanwhile, so entries of .list may have moved when it returns. A JVM that did
 * not answer before gets no second SIGQUIT, which could make it print the stacks of its threads. It is asked only if it listens by
 * now.
 */
static void ask_jvm(struct jit_maps *j, uint32_t pid, uint64_t until_ns)
{
	struct jit_map *m = find(j, pid);
	int root = m->root;
	bool wakes = m->jvm_err != -ETIMEDOUT;
	struct jvm jvm = jvm_of(m, m->root < 0 ? -1 : fcntl(m->root, F_DUPFD_CLOEXEC, 0));
	int err;

	pthread_mutex_unlock(&j->lock);
	if (root == ROOT_OURS || jvm.root >= 0)
		err = jvm_write_map(&jvm, wakes, until_ns);
	else
		err = root == ROOT_REFUSED ? -EPERM : -ENOENT;
	pthread_mutex_lock(&j->lock);
	m = find(j, pid);
	if (m->ended)
		jvm_forget(&jvm);
	else
		m->jvm_err = err;
	m->jvm_woken = jvm.was_woken;
	if (jvm.root >= 0)
		close(jvm.root);
	m->ask_wait_ns = MIN(2 * m->ask_wait_ns, ASK_LAST_NS);
	m->ask_due_ns = now_ns() + m->ask_wait_ns;
}

/* False for a JVM without samples, which may be idle, unless all JVMs are asked. */
static bool is_asked(const struct jit_maps *j, const struct jit_map *m)
{
	return j->ask_all || pid_bits_has(&j->sampled, m->pid);
}

/* Returns the next JVM to ask, or NULL if there is none. */
static struct jit_map *next_jvm(struct jit_maps *j)
{
	struct jit_map *first = NULL;

	vec_for(p, &j->list)
		if (p->is_jvm && !p->ended && (!first || p->ask_due_ns < first->ask_due_ns))
			first = p;
	return first;
}

static void wait_until(struct jit_maps *j, uint64_t ns)
{
	struct timespec due = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	pthread_cond_timedwait(&j->worker_due, &j->lock, &due);
}

/* Waits for the next JVM that is due, and asks it. A JVM without samples is checked again later. */
static void ask_next(struct jit_maps *j)
{
	struct jit_map *m = next_jvm(j);
	uint64_t now = now_ns();

	if (!m)
		pthread_cond_wait(&j->worker_due, &j->lock);
	else if (m->ask_due_ns > now)
		wait_until(j, m->ask_due_ns);
	else if (is_asked(j, m))
		ask_jvm(j, m->pid, now + ANSWER_NS);
	else
		m->ask_due_ns = now + ASK_FIRST_NS;
}

static void *work(void *arg)
{
	struct jit_maps *j = arg;

	pthread_mutex_lock(&j->lock);
	while (!j->worker_ends)
		if (!read_left(j))
			ask_next(j);
	pthread_mutex_unlock(&j->lock);
	return NULL;
}

static void start_worker(struct jit_maps *j)
{
	sigset_t all, mask;

	if (j->worker_runs || j->worker_ends)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	j->worker_runs = !pthread_create(&j->worker, NULL, work, j);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static void stop_worker(struct jit_maps *j)
{
	bool runs;

	pthread_mutex_lock(&j->lock);
	runs = j->worker_runs;
	j->worker_runs = false;
	j->worker_ends = true;
	pthread_cond_signal(&j->worker_due);
	pthread_mutex_unlock(&j->lock);
	if (runs)
		pthread_join(j->worker, NULL);
}

static void see_end(struct jit_maps *j, uint32_t pid)
{
	struct jit_map *m = find(j, pid);
	struct jvm jvm;
	int fd;

	if (!m || m->ended)
		return;
	fd = newest(m);
	jvm = jvm_of(m, m->root < 0 ? -1 : m->root);
	jvm_forget(&jvm);
	m->jvm_woken = false;
	release_fd(j, &m->root);
	release_fd(j, &m->fd);
	m->ended = m->ended_once = true;
	if (fd < 0)
		return;
	start_worker(j);
	if (!j->worker_runs || j->nr_open >= OPEN_MAX) {
		read_map(j, m, fd);
		return;
	}
	m->left = fd;
	j->nr_left++;
	j->nr_open++;
	pthread_cond_signal(&j->worker_due);
}

/* Notes that the process is a JVM, because it has mapped HotSpot's library. */
static void see_jvm(struct jit_maps *j, uint32_t pid)
{
	struct jit_map *m = find(j, pid);

	if (!m || m->is_jvm)
		return;
	m->is_jvm = true;
	m->ask_wait_ns = ASK_FIRST_NS;
	m->ask_due_ns = now_ns() + ASK_FIRST_NS;
	start_worker(j);
	pthread_cond_signal(&j->worker_due);
}

/* Notes about the process what the name of a map of code says. */
static void see_name(struct jit_maps *j, uint32_t pid, const char *name)
{
	struct jit_map *m = find(j, pid);

	if (!m)
		return;
	m->makes_code |= is_anonymous(name);
	m->is_node |= is_nodejs(name);
	m->has_names |= dso_kind_of(name) == DSO_JIT;
}

void jit_maps_ask(struct jit_maps *j)
{
	uint64_t end = now_ns() + ANSWERS_NS;

	stop_worker(j);
	pthread_mutex_lock(&j->lock);
	for (size_t i = 0; i < j->list.nr; i++) {
		const struct jit_map *m = &j->list.v[i];
		uint64_t now = now_ns();

		if (m->is_jvm && !m->ended && is_asked(j, m) && now < end)
			ask_jvm(j, m->pid, MIN(now + ANSWER_NS, end));
	}
	pthread_mutex_unlock(&j->lock);
}

/* ---- records ---- */

/* Handles a map of code. Any such map of a known process causes a look for its map file, which may exist by now. */
static void see_map(struct jit_maps *j, const struct record_header *h, const void *record, size_t size)
{
	const struct mmap2_record *r2 = record;
	const struct mmap_record *r = record;
	bool is_new = h->type == PERF_RECORD_MMAP2;
	size_t at = is_new ? sizeof(*r2) : sizeof(*r);
	char name[PATH_MAX];
	bool is_library;
	size_t n;

	if (size <= at || r->pid == UINT32_MAX || (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER ||
	    (is_new ? !(r2->prot & PROT_EXEC) : h->misc & PERF_RECORD_MISC_MMAP_DATA))
		return;
	n = strnlen((const char *)record + at, MIN(size - at, sizeof(name) - 1));
	memcpy(name, (const char *)record + at, n);
	name[n] = '\0';
	is_library = is_jvm_library(name);
	if (is_anonymous(name) || (is_new && r2->flags & MAP_HUGETLB) || is_library || is_nodejs(name) ||
	    find(j, r->pid))
		see_code(j, r->pid);
	see_name(j, r->pid, name);
	if (is_library)
		see_jvm(j, r->pid);
}

void jit_maps_see(struct jit_maps *j, const void *record, size_t size)
{
	const struct task_record *end = record;
	struct record_header h;

	memcpy(&h, record, sizeof(h));
	pthread_mutex_lock(&j->lock);
	if (h.type == PERF_RECORD_MMAP || h.type == PERF_RECORD_MMAP2)
		see_map(j, &h, record, size);
	else if (h.type == PERF_RECORD_EXIT && size >= sizeof(*end) && end->pid == end->tid)
		see_end(j, end->pid);
	pthread_mutex_unlock(&j->lock);
}

void jit_maps_see_all(struct jit_maps *j, const void *records, size_t n)
{
	const uint8_t *p = records;
	struct record_header h;

	for (size_t at = 0; record_header_at(records, n, at, &h); at += h.size)
		jit_maps_see(j, p + at, h.size);
}

void jit_maps_poll(struct jit_maps *j)
{
	uint64_t now = now_ns();

	pthread_mutex_lock(&j->lock);
	if (now >= j->due_ns) {
		j->due_ns = UINT64_MAX;
		vec_for(p, &j->list) {
			if (p->ended || p->fd >= 0)
				continue;
			if (now >= p->due_ns)
				poll_map(j, p, now);
			j->due_ns = MIN(j->due_ns, p->due_ns);
		}
	}
	pthread_mutex_unlock(&j->lock);
}

/* ---- what is written ---- */

/* Reads all map files, and waits until no file is being read. */
static void read_all(struct jit_maps *j)
{
	for (size_t i = 0; i < j->list.nr; i++) {
		struct jit_map *m = &j->list.v[i];
		int fd = m->ended ? -1 : newest(m);

		if (fd >= 0)
			read_map(j, m, fd);
	}
	while (read_left(j))
		;
	while (j->nr_reading)
		pthread_cond_wait(&j->is_read, &j->lock);
}

void jit_maps_section(struct jit_maps *j, struct features *f)
{
	pthread_mutex_lock(&j->lock);
	read_all(j);
	vec_for(p, &j->list) {
		struct feature_jit_map map = { .pid = p->pid };

		if (!p->packed.len)
			continue;
		map.size = p->size;
		map.packed_size = p->packed.len;
		map.packed = xmalloc(p->packed.len);
		memcpy(map.packed, p->packed.data, p->packed.len);
		vec_push(&f->jit_maps, map);
	}
	pthread_mutex_unlock(&j->lock);
	f->has[FEATURE_JIT_MAPS] = f->jit_maps.nr;
}

struct pid_bits *jit_maps_sampled(struct jit_maps *j)
{
	return &j->sampled;
}

uint64_t jit_maps_bytes(struct jit_maps *j)
{
	uint64_t bytes;

	pthread_mutex_lock(&j->lock);
	bytes = j->packed;
	pthread_mutex_unlock(&j->lock);
	return bytes;
}

void jit_maps_forget(struct jit_maps *j)
{
	pthread_mutex_lock(&j->lock);
	vec_for(p, &j->list)
		if (p->ended)
			drop(j, p);
	pthread_mutex_unlock(&j->lock);
}

#define TOLD_MAX	3

static const char *reason(int err)
{
	switch (err) {
	case -EPERM:
		return "another user's, or with several names";
	case -EFBIG:
		return "too large";
	default:
		return "no regular file";
	}
}

/* The reason why a JVM's code has no names. */
static const char *jvm_reason(int err)
{
	switch (err) {
	case -ENOTSUP:
		return "does not attach";
	case -EPROTO:
		return "is older than JDK 17";
	case -EPERM:
	case -EACCES:
		return "is another user's";
	default:
		return "did not answer";
	}
}

/* Adds findings about JVMs whose code has no names. JVMs that ended before they were asked have no map file, either. */
static void find_jvms(struct jit_maps *j, struct findings *out)
{
	struct buf b = {0};
	uint64_t nr = 0;

	vec_for(p, &j->list) {
		if (!p->is_jvm || p->packed.len || !pid_bits_has(&j->sampled, p->pid))
			continue;
		if (nr++ < TOLD_MAX)
			buf_printf(&b, "%s%u %s", nr > 1 ? ", " : "", p->pid, p->jvm_err ? jvm_reason(p->jvm_err) : "ended before");
	}
	if (nr > TOLD_MAX)
		buf_puts(&b, ", ...");
	findings_add(out, FINDING_JVM_UNNAMED, nr, 0, buf_str(&b));
	buf_release(&b);
}

/*
 * Adds a finding about the samples of Node.js processes whose JavaScript has no names. A map file that could not be copied, or that
 * is in a root directory that cannot be opened, may have them.
 */
static void find_nodes(struct jit_maps *j, const uint32_t *of_pid, uint64_t all, struct findings *out)
{
	struct buf b = {0};
	uint64_t nr = 0, samples = 0;

	vec_for(p, &j->list) {
		uint64_t n = of_pid ? of_pid[p->pid % PID_BITS] : 0;

		if (!n || !p->is_node || !p->makes_code || p->has_names || p->root < ROOT_OURS || (p->err && p->err != -ENOENT))
			continue;
		samples += n;
		if (nr++ < TOLD_MAX)
			buf_printf(&b, "%s%u", nr > 1 ? ", " : "", p->pid);
	}
	if (nr > TOLD_MAX)
		buf_puts(&b, ", ...");
	/* Some of the counted samples may not have been written. */
	findings_add(out, FINDING_JS_UNNAMED, MIN(samples, all), all, buf_str(&b));
	buf_release(&b);
}

void jit_maps_findings(struct jit_maps *j, const uint32_t *of_pid, uint64_t all, struct findings *out)
{
	struct buf b = {0};
	uint64_t nr = 0;

	pthread_mutex_lock(&j->lock);
	vec_for(p, &j->list) {
		if (p->err != -EPERM && p->err != -EFBIG && p->err != -EINVAL && p->err != -ELOOP)
			continue;
		if (nr++ < TOLD_MAX)
			buf_printf(&b, "%s/tmp/perf-%lu.map is %s", nr > 1 ? ", " : "", p->number, reason(p->err));
	}
	find_jvms(j, out);
	find_nodes(j, of_pid, all, out);
	pthread_mutex_unlock(&j->lock);
	if (nr > TOLD_MAX)
		buf_puts(&b, ", ...");
	findings_add(out, FINDING_JIT_MAPS_LEFT, nr, 0, buf_str(&b));
	buf_release(&b);
}

/* ---- its life ---- */

struct jit_maps *jit_maps_new(bool ask_all)
{
	struct jit_maps *j = xcalloc(1, sizeof(*j));
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&j->worker_due, &attr);
	pthread_condattr_destroy(&attr);
	pthread_cond_init(&j->is_read, NULL);
	pthread_mutex_init(&j->lock, NULL);
	j->due_ns = UINT64_MAX;
	j->ask_all = ask_all;
	return j;
}

void jit_maps_free(struct jit_maps *j)
{
	if (!j)
		return;
	stop_worker(j);
	pthread_cond_destroy(&j->worker_due);
	pthread_cond_destroy(&j->is_read);
	vec_for(p, &j->list) {
		release_fd(j, &p->root);
		release_fd(j, &p->fd);
		release_fd(j, &p->left);
		buf_release(&p->packed);
	}
	vec_free(&j->list);
	index_release(&j->by_pid);
	pthread_mutex_destroy(&j->lock);
	free(j);
}
