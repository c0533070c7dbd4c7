/* Copies the binaries that recorded processes execute into the build-id cache, in a thread of its own. */
#include "core/record/live/binary_saver.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/base/byte_table.h"
#include "core/base/file.h"
#include "core/ui/finding.h"
#include "core/base/log.h"
#include "core/base/util.h"
#include "core/binary/build_id_cache.h"
#include "core/perfdata/record.h"
#include "core/record/live/kernel_records.h"
#include "core/record/live/open_map.h"

#define NICE		10
#define TOLD_BYTES	(64u << 20)	/* report the wait for the copies at the end if so many bytes are left */
#define WAITING_MAX	4096		/* files that wait to be copied */
#define OPEN_MAX_FILES	256		/* maximum of these files that are open; others are opened when it is their turn */
#define WAITS_MAX	100	/* times that a job waits for other parts of the process to close files */
#define WAIT_NS		10000000
#define OPEN_SHARE	8		/* at most one in this many of the files that this process may open */

#define FILE_SIZE	sizeof(((struct mmap2_record *)NULL)->file)

struct job {
	int fd;				/* -1: must be opened when it is its turn, by .map */
	char *name;
	struct build_id id;		/* .size 0: the record has none */
	uint32_t seen;			/* its number in struct binary_saver's .seen */
	uint64_t size;			/* bytes, when it was queued */
	struct mmap2_record map;	/* without its name */
};

/* The result for a name that was seen. */
enum save_state { SAVE_UNKNOWN, SAVE_DONE, SAVE_GONE };

struct binary_saver {
	struct build_id_cache cache;
	struct stat root;		/* the root directory of this process */
	cpu_set_t cpus;			/* the CPUs for the copying thread, whatever thread starts it */
	pthread_mutex_t lock;		/* protects the members below */
	pthread_cond_t changed;
	struct byte_table seen;		/* the key of each file: mmap2_record.file, and then the name */
	VEC(uint8_t) states;		/* enum save_state, by number in .seen */
	VEC(struct job) without_id;	/* the build ids of opened files whose records had none: .name is owned, .fd is not used */
	VEC(struct job) jobs;		/* owned; the jobs before number .next are done */
	size_t next;
	uint64_t waiting;		/* bytes that are not copied */
	unsigned nr_open, max_open;	/* open files of jobs, and their limit */
	bool started, finished, added;
	pthread_t thread;
};

/* ---- what is worth a copy ---- */

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (path[n] == '/' || !path[n]);
}

/* True if packages of the distribution put files into the directory of this file. */
static bool is_package_path(const char *path)
{
	static const char *const dirs[] = { "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32" };

	if (is_below(path, "/usr/local"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (is_below(path, dirs[i]))
			return true;
	return false;
}

static bool has_packages(void)
{
	return !access("/var/lib/dpkg/status", F_OK) || !access("/var/lib/rpm", F_OK) || !access("/usr/lib/sysimage/rpm", F_OK) ||
	       !access("/var/lib/pacman/local", F_OK) || !access("/lib/apk/db/installed", F_OK);
}

/* True for a file of this system's distribution, and false for files of a container. */
static bool is_of_distribution(const struct binary_saver *s, uint32_t pid, const char *path)
{
	char root[64];
	struct stat st;

	if (!is_package_path(path) || stat(path, &st) || st.st_uid || !has_packages())
		return false;
	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	return stat(root, &st) || (st.st_dev == s->root.st_dev && st.st_ino == s->root.st_ino);
}

/*
 * Opens the program that the process runs, if its name fits. Unlike map_files, this needs no privileges for a process of this user.
 */
static int open_program(uint32_t pid, const char *name)
{
	static const char deleted[] = " (deleted)";
	char link[64], is[4096], *end;
	const char *last = strrchr(name, '/');
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%u/exe", pid);
	n = readlink(link, is, sizeof(is) - 1);
	if (n < 0)
		return -errno;
	is[n] = '\0';
	end = strrchr(is, '/');
	if (!last || !end)
		return -ENOENT;
	/* The kernel adds this to the names of deleted files; the name may be from before that. */
	if (!str_eq(end, last) && !(str_starts(end, last) && str_eq(end + strlen(last), deleted)))
		return -ENOENT;
	return open_regular(link);
}

/*
 * Opens the mapped file, even if it was removed or another file has its name now. If that fails, opens the file of that name in the
 * process's root directory, or in ours.
 */
static int open_mapped(const struct mmap2_record *r, const char *name)
{
	int fd = open_map(r);

	if (fd < 0)
		fd = open_program(r->pid, name);
	if (fd < 0)
		fd = open_seen(r->pid, name);
	return fd < 0 ? open_regular(name) : fd;
}

/* ---- copying ---- */

static int id_of_open(struct build_id *out, int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return build_id_of_file(out, path);
}

/* Opens the job's file, unless it is open, and copies it to the cache. Returns 0, 1 if it was copied, or -errno. */
static int copy(struct binary_saver *s, struct job *job)
{
	struct build_id id;
	struct stat st;
	int err;

	if (job->fd < 0)
		job->fd = open_mapped(&job->map, job->name);
	if (job->fd < 0)
		return job->fd;
	err = fstat(job->fd, &st) ? -errno : (uint64_t)st.st_size > KEEPER_FILE_MAX ? -EFBIG : id_of_open(&id, job->fd);
	if (!err && job->id.size && !build_id_equal(&id, &job->id))
		err = -ESTALE;
	return err ? err : build_id_cache_add(&s->cache, job->name, &id, job->fd, true);
}

/* Copies the file. Returns true if the file is gone, or another file has its name. Waits if too many files are open. */
static bool do_job(struct binary_saver *s, struct job *job)
{
	int err = copy(s, job);

	for (unsigned i = 0; i < WAITS_MAX && err == -EMFILE; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = WAIT_NS }, NULL);
		err = copy(s, job);
	}
	if (err > 0)
		s->added = true;
	debug(1, err < 0 ? "'%s' is not kept: %s" : err ? "'%s' is kept" : "'%s' is kept since earlier", job->name,
	      err == -ENOENT && job->fd >= 0 ? "it has no build id" : strerror(-MIN(err, 0)));
	return err == -ESTALE || job->fd < 0;
}

static void *work(void *arg)
{
	struct binary_saver *s = arg;
	struct job job;
	bool other, was_open;

	/* Runs at normal priority: the thread that started this one may have real-time priority and be bound to one CPU. */
	sched_setaffinity(0, sizeof(s->cpus), &s->cpus);
	sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
	pthread_mutex_lock(&s->lock);
	for (;;) {
		while (s->next == s->jobs.nr && !s->finished)
			pthread_cond_wait(&s->changed, &s->lock);
		if (s->next == s->jobs.nr)
			break;
		job = s->jobs.v[s->next++];
		pthread_mutex_unlock(&s->lock);
		was_open = job.fd >= 0;
		other = do_job(s, &job);
		if (job.fd >= 0)
			close(job.fd);
		free(job.name);
		pthread_mutex_lock(&s->lock);
		s->waiting -= job.size;
		s->nr_open -= was_open;
		if (other)
			s->states.v[job.seen] = SAVE_GONE;
	}
	pthread_mutex_unlock(&s->lock);
	if (s->added)
		build_id_cache_shrink(&s->cache, KEEPER_MAX);
	return NULL;
}

/* With the lock held. */
static void begin_job(struct binary_saver *s, struct job job)
{
	vec_push(&s->jobs, job);
	s->waiting += job.size;
	s->nr_open += job.fd >= 0;
	if (!s->started)
		s->started = !pthread_create(&s->thread, NULL, work, s);
	pthread_cond_signal(&s->changed);
}

/* ---- what is seen ---- */

/* Adds a record's file. Returns its number, or UINT32_MAX: nothing to do. A file that was gone may exist the next time. */
static uint32_t add_file(struct binary_saver *s, const struct mmap2_record *r, const char *name)
{
	char key[sizeof(r->file) + 4096];
	size_t n = MIN(strlen(name), sizeof(key) - sizeof(r->file));
	uint32_t number;

	memcpy(key, r->file, sizeof(r->file));
	memcpy(key + sizeof(r->file), name, n);
	number = byte_table_add(&s->seen, key, sizeof(r->file) + n);
	if (number == s->states.nr)
		vec_push(&s->states, SAVE_UNKNOWN);
	if (s->states.v[number] == SAVE_DONE)
		return UINT32_MAX;
	s->states.v[number] = SAVE_DONE;
	return number;
}

/* Stores the build id now: when the header is written it is too late to read it. */
static void note_id(struct binary_saver *s, const struct job *job)
{
	struct job noted = { .fd = -1 };

	if (job->id.size || id_of_open(&noted.id, job->fd))
		return;
	noted.name = xstrdup(job->name);
	vec_push(&s->without_id, noted);
}

/* Opens the file of a record. Returns -EMFILE if too many files are open. */
static int open_now(const struct binary_saver *s, const struct mmap2_record *r, const char *name)
{
	int fd = s->nr_open < s->max_open ? open_mapped(r, name) : -EMFILE;

	return fd == -EMFILE && s->nr_open < s->max_open && raise_file_limit() ? open_mapped(r, name) : fd;
}

static void keep(struct binary_saver *s, const struct mmap2_record *r, const char *name, uint32_t seen)
{
	struct job job = { .fd = open_now(s, r, name), .map = *r, .name = xstrdup(name), .seen = seen };
	bool few = s->jobs.nr - s->next < WAITING_MAX;
	struct stat st;

	if (r->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID && r->file[0] <= BUILD_ID_MAX) {
		job.id.size = r->file[0];
		memcpy(job.id.data, r->file + 4, job.id.size);
	}
	if (job.fd >= 0 && !fstat(job.fd, &st) && (uint64_t)st.st_size <= KEEPER_FILE_MAX && few) {
		note_id(s, &job);
		job.size = (uint64_t)st.st_size;
		begin_job(s, job);
		return;
	}
	if (job.fd == -EMFILE && few) {
		job.fd = -1;
		begin_job(s, job);
		return;
	}
	debug(1, "'%s' is not kept: %s", name, job.fd < 0 ? strerror(-job.fd) : "it is too large, or too many wait");
	if (job.fd == -ENOENT || job.fd == -ESRCH)
		s->states.v[seen] = SAVE_GONE;
	if (job.fd >= 0)
		close(job.fd);
	free(job.name);
}

void binary_saver_see(struct binary_saver *s, const void *record, size_t size)
{
	const struct mmap2_record *r = record;
	char name[4096];
	uint32_t seen;
	size_t n;

	if (size <= sizeof(*r) || r->header.type != PERF_RECORD_MMAP2 || !(r->prot & PROT_EXEC) || r->pid == UINT32_MAX ||
	    (r->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		return;
	n = strnlen(r->name, MIN(size - sizeof(*r), sizeof(name) - 1));
	memcpy(name, r->name, n);
	name[n] = '\0';
	if (name[0] != '/' || name[1] == '/' || str_starts(name, "/dev/") || str_starts(name, "/SYSV"))
		return;
	pthread_mutex_lock(&s->lock);
	seen = add_file(s, r, name);
	if (seen != UINT32_MAX && !is_of_distribution(s, r->pid, name))
		keep(s, r, name, seen);
	pthread_mutex_unlock(&s->lock);
}

bool binary_saver_build_id(struct binary_saver *s, const char *name, struct build_id *out)
{
	bool found = false;

	pthread_mutex_lock(&s->lock);
	for (size_t i = s->without_id.nr; i && !found; i--) {
		found = str_eq(s->without_id.v[i - 1].name, name);
		*out = s->without_id.v[i - 1].id;
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}

void binary_saver_see_all(struct binary_saver *s, const void *records, size_t n)
{
	const uint8_t *p = records;
	struct record_header h;

	for (size_t at = 0; record_header_at(records, n, at, &h); at += h.size)
		binary_saver_see(s, p + at, h.size);
}

/* ---- its life ---- */

struct binary_saver *binary_saver_new(void)
{
	struct build_id_cache cache;
	int err = build_id_cache_open(&cache, true);
	struct binary_saver *s;

	if (err) {
		debug(1, "no binaries are kept: ~/.debug: %s", err == -EPERM ? "others may write there" : strerror(-err));
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->cache = cache;
	s->max_open = MAX(MIN(files_left() / OPEN_SHARE, OPEN_MAX_FILES), 1);
	stat("/", &s->root);
	if (sched_getaffinity(0, sizeof(s->cpus), &s->cpus))
		memset(&s->cpus, 0xff, sizeof(s->cpus));
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	return s;
}

#define GONE_TOLD	3

static void find_gone(const struct binary_saver *s, struct findings *out)
{
	struct buf b = {0};
	uint64_t nr = 0;

	for (uint32_t i = 0; i < s->states.nr; i++) {
		const char *key;
		size_t n;

		if (s->states.v[i] != SAVE_GONE)
			continue;
		key = byte_table_get(&s->seen, i, &n);
		if (nr++ < GONE_TOLD)
			buf_printf(&b, "%s%.*s", nr > 1 ? ", " : "", (int)(n - FILE_SIZE), key + FILE_SIZE);
	}
	if (nr > GONE_TOLD)
		buf_puts(&b, ", ...");
	findings_add(out, FINDING_BINARIES_GONE, nr, 0, buf_str(&b));
	buf_release(&b);
}

static void await_copies(struct binary_saver *s)
{
	uint64_t waiting;

	if (!s->started)
		return;
	pthread_mutex_lock(&s->lock);
	s->finished = true;
	waiting = s->waiting;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
	if (waiting >= TOLD_BYTES)
		info("keeping %" PRIu64 " MB of binaries in ~/.debug (-N leaves that out)", waiting >> 20);
	pthread_join(s->thread, NULL);
	s->started = false;
}

void binary_saver_finish(struct binary_saver *s)
{
	await_copies(s);
}

void binary_saver_findings(struct binary_saver *s, struct findings *out)
{
	pthread_mutex_lock(&s->lock);
	find_gone(s, out);
	pthread_mutex_unlock(&s->lock);
}

void binary_saver_free(struct binary_saver *s)
{
	if (!s)
		return;
	await_copies(s);
	for (size_t i = s->next; i < s->jobs.nr; i++) {
		close(s->jobs.v[i].fd);
		free(s->jobs.v[i].name);
	}
	vec_free(&s->jobs);
	byte_table_release(&s->seen);
	vec_free(&s->states);
	vec_for(noted, &s->without_id)
		free(noted->name);
	vec_free(&s->without_id);
	build_id_cache_close(&s->cache);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->changed);
	free(s);
}
