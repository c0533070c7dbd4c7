/*
 * Loads the user's BPF programs (--bpf) from object files with libbpf, and reads their ring buffers. bpf_maps.c prints their maps,
 * and bpf_refusal.c explains why the kernel refuses a program.
 */
#include "core/record/bpf/bpf_object.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/vec.h"
#include "core/record/events/event_request.h"
#include "core/record/bpf/bpf_entries.h"
#include "core/record/bpf/bpf_maps.h"
#include "core/record/bpf/bpf_refusal.h"
#include "core/record/bpf/bpf_variables.h"

#define LOG_BYTES	(1u << 20)
#define OPEN_SECONDS	2u		/* CPU time in which a child must have read an object file */
#define LOAD_SECONDS	10u		/* CPU time in which a child must have read and loaded an object file */
#define MOST_MODIFIERS	32u		/* modifiers and typedefs in a row; as in libbpf (MAX_RESOLVE_DEPTH) */
#define TAKE_BYTES	(4u << 20)	/* bytes of records that are read from ring buffers at a time */
#define RINGS_LOOKED_AT	16u		/* ring buffers of which prec measures how full they are */

#define WITHOUT	"record without --bpf; prec's own sort key runqlen, --filter and --off-cpu need no program of yours"

/* ---- loading ---- */

/* Returns the only program whose section or function is @name (NULL: any), or NULL if there is none or several (printed). */
static struct bpf_program *choose(const struct bpf_object *object, const char *path, const char *name)
{
	struct bpf_program *p, *chosen = NULL;
	struct buf known = {0};
	unsigned nr = 0;

	bpf_object__for_each_program(p, object) {
		buf_printf(&known, "%s%s (%s)", known.len ? ", " : "", bpf_program__name(p), bpf_program__section_name(p));
		if (!name || str_eq(bpf_program__section_name(p), name) || str_eq(bpf_program__name(p), name)) {
			chosen = p;
			nr++;
		}
	}
	if (nr != 1)
		error("'%s' has %s program%s%s: name one of %s, as '%s:NAME'", path, nr ? "more than one" : "no",
		      name ? " of the name " : "", name ? name : "", known.len ? buf_str(&known) : "none", path);
	buf_release(&known);
	return nr == 1 ? chosen : NULL;
}

/* Returns the type of program that the kernel accepts for an event (perf_event_set_bpf_prog() in kernel/events/core.c). */
static enum bpf_prog_type type_for(const struct event_request *r)
{
	return event_is_tracepoint(&r->attr) ? BPF_PROG_TYPE_TRACEPOINT : r->path ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_PERF_EVENT;
}

static const char *section_for(enum bpf_prog_type t)
{
	return t == BPF_PROG_TYPE_TRACEPOINT ? "tracepoint" : t == BPF_PROG_TYPE_KPROBE ? "uprobe" : "perf_event";
}

/* Checks that the program has the type for the event. A program whose section has no known name gets this type. */
static int check_type(struct bpf_program *p, const char *path, const struct event_request *r)
{
	enum bpf_prog_type wanted = type_for(r);

	if (bpf_program__type(p) == BPF_PROG_TYPE_UNSPEC)
		bpf_program__set_type(p, wanted);
	if (bpf_program__type(p) == wanted)
		return 0;
	return error("'%s': program %s is of section \"%s\", and event '%s' takes those of SEC(\"%s\")", path,
		     bpf_program__name(p), bpf_program__section_name(p), r->name, section_for(wanted));
}

typedef int take_object(struct user_object *o, const struct event_requests *events);

/* Splits "FILE.o:NAME" or "FILE.o". Returns the path, owned by the caller. *name is borrowed from @spec; NULL: it has no name. */
static char *split_spec(const char *spec, const char **name)
{
	const char *colon = strrchr(spec, ':');
	bool named = colon && colon > spec && access(spec, R_OK);

	*name = named ? colon + 1 : NULL;
	return named ? xstrndup(spec, (size_t)(colon - spec)) : xstrdup(spec);
}

struct wanted {
	const struct event_request *first;
	struct buf names;		/* names of the programs that are loaded, for messages */
};

static int want(struct user_object *o, const struct event_request *r, const char *name, struct wanted *w)
{
	struct bpf_program *p = choose(o->object, o->path, name);

	if (!p || check_type(p, o->path, r))
		return -1;
	if (!bpf_program__autoload(p))
		buf_printf(&w->names, "%s%s", w->names.len ? ", " : "", bpf_program__name(p));
	bpf_program__set_autoload(p, true);
	if (!w->first)
		w->first = r;
	vec_for(setting, &r->bpf_set)
		if (bpf_variable_set(o->object, *setting, o->path))
			return -1;
	return 0;
}

/* Wants each program of this object that an event names. */
static int want_all(struct user_object *o, const struct event_requests *events, struct wanted *w)
{
	int err = 0;

	for (size_t i = 0; i < events->list.nr && !err; i++) {
		const struct event_request *r = &events->list.v[i];
		const char *name;
		char *path = r->bpf ? split_spec(r->bpf, &name) : NULL;

		if (path && str_eq(path, o->path))
			err = want(o, r, name, w);
		free(path);
	}
	return err;
}

/* Returns how many bytes the kernel allocates when it makes the map, or UINT64_MAX if the number is too large. */
static uint64_t map_bytes(const struct bpf_map *m)
{
	enum bpf_map_type type = bpf_map__type(m);
	uint64_t entry = bpf_map_step(m), all;

	if (type == BPF_MAP_TYPE_RINGBUF)
		return bpf_map__max_entries(m);
	if (bpf_map__map_flags(m) & BPF_F_NO_PREALLOC)
		return 0;
	if (bpf_map_is_by_cpu(m))
		entry *= (uint64_t)MAX(libbpf_num_possible_cpus(), 1);
	if (type != BPF_MAP_TYPE_ARRAY && type != BPF_MAP_TYPE_PERCPU_ARRAY)
		entry += round_up(bpf_map__key_size(m), 8);
	return __builtin_mul_overflow(entry, bpf_map__max_entries(m), &all) ? UINT64_MAX : all;
}

/* Returns the free memory in bytes, or UINT64_MAX if it is unknown. */
static uint64_t free_memory(void)
{
	struct buf text = {0};
	const char *at = read_file("/proc/meminfo", &text) ? NULL : strstr(buf_str(&text), "MemAvailable:");
	uint64_t kb = at ? strtoull(at + strlen("MemAvailable:"), NULL, 10) : 0;

	buf_release(&text);
	return kb ? kb << 10 : UINT64_MAX;
}

/* Checks that the maps, which the kernel cannot reclaim, take at most half of the free memory. Returns 0 or -1 (printed). */
static int check_memory(const struct user_object *o)
{
	uint64_t all = 0, most = 0, room = free_memory();
	const struct bpf_map *m, *largest = NULL;

	bpf_object__for_each_map(m, o->object) {
		uint64_t bytes = map_bytes(m);

		if (!largest || bytes > most) {
			most = bytes;
			largest = m;
		}
		if (__builtin_add_overflow(all, bytes, &all))
			all = UINT64_MAX;
	}
	if (all <= room / 2)
		return 0;
	return error("'%s': its maps would take %" PRIu64 " MiB of the kernel's memory, most of it '%s', and %" PRIu64
		     " MiB are free: half of that may be taken", o->path, all >> 20, bpf_map__name(largest), room >> 20);
}

static int load(struct user_object *o, const struct event_requests *events, const char *log)
{
	struct wanted w = {0};
	struct bpf_program *p;
	int err;

	bpf_object__for_each_program(p, o->object)
		bpf_program__set_autoload(p, false);
	err = want_all(o, events, &w) || check_memory(o);
	if (!err) {
		err = bpf_object__load(o->object);
		if (err) {
			char *what = xasprintf("program '%s' of '%s'", buf_str(&w.names), o->path);

			bpf_refusal_print(what, w.first->name, -err, log, WITHOUT);
			free(what);
		}
	}
	buf_release(&w.names);
	return err ? -1 : 0;
}

/* ---- trying ---- */

/*
 * Calls @try in a child process, because libbpf trusts an object file, and may crash on a damaged one. Returns the signal that
 * ended the child, SIGXCPU if it took more than @most seconds of CPU time, or 0 if no signal ended it.
 */
static int crash_of(struct user_object *o, const struct event_requests *events, take_object *try, unsigned most)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU };
	const struct rlimit no_core = {0}, seconds = { most, most + 1 };
	int status = 0;
	pid_t child = fork();

	if (!child) {
		for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
			signal(crashes[i], SIG_DFL);
		setrlimit(RLIMIT_CORE, &no_core);
		setrlimit(RLIMIT_CPU, &seconds);
		close(STDERR_FILENO);
		try(o, events);
		_exit(0);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* Returns the number of a type that modifies itself, directly or by others, which libbpf would follow for ever; 0: none. */
static uint32_t endless_type(const char *path)
{
	struct btf *btf = btf__parse_elf(path, NULL);
	uint32_t nr = libbpf_get_error(btf) ? 0 : btf__type_cnt(btf);
	uint32_t found = 0;

	for (uint32_t id = 1; id < nr && !found; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		unsigned steps = 0;

		while (t && (btf_is_mod(t) || btf_is_typedef(t)) && steps++ < MOST_MODIFIERS)
			t = btf__type_by_id(btf, t->type);
		if (steps > MOST_MODIFIERS)
			found = id;
	}
	if (nr)
		btf__free(btf);
	return found;
}

/* Reports that libbpf cannot open the file. Its errors of files, such as ENOENT, may be about the contents. */
static int refuse_object(const char *path, int err)
{
	bool is_read = !access(path, R_OK) && (err == ENOENT || err == EINVAL || err == EOPNOTSUPP || err == ESRCH);
	char why[200];

	libbpf_strerror(err, why, sizeof(why));
	return error("cannot read '%s' as a BPF object (clang -target bpf -O2 -g -c): %s", path,
		     is_read ? "its sections, symbols and types do not fit together" : why);
}

/* Opens and loads an object file. The verifier's log must be given at opening, though it is written at loading. */
static int open_and_load(struct user_object *o, const struct event_requests *events)
{
	char *log = xcalloc(1, LOG_BYTES);
	LIBBPF_OPTS(bpf_object_open_opts, opts, .kernel_log_buf = log, .kernel_log_size = LOG_BYTES, .kernel_log_level = 1);
	uint32_t type;
	int err;

	libbpf_set_print(NULL);	/* bpf_refusal.c explains a failure by the verifier's log */
	type = endless_type(o->path);
	if (!type)
		o->object = bpf_object__open_file(o->path, &opts);
	if (type)
		err = error("'%s' is damaged: type %" PRIu32 " of its BTF stands for itself, or for more than %u others", o->path,
			    type, MOST_MODIFIERS);
	else
		err = o->object ? load(o, events, log) : refuse_object(o->path, errno);
	free(log);
	return err;
}

/* Returns the object of this path, or NULL if it is not in the list. */
static struct user_object *object_of(const struct user_objects *o, const char *path)
{
	vec_for(object, &o->list)
		if (str_eq(object->path, path))
			return object;
	return NULL;
}

int user_objects_load(struct user_objects *out, const struct event_requests *events)
{
	struct user_object *object;
	int err = 0, crash;

	*out = (struct user_objects){ .stats = -1 };
	for (size_t i = 0; i < events->list.nr && !err; i++) {
		const char *name, *spec = events->list.v[i].bpf;
		char *path = spec ? split_spec(spec, &name) : NULL;

		if (!path || object_of(out, path)) {
			free(path);
			continue;
		}
		vec_push(&out->list, (struct user_object){ .path = path, .seen = xcalloc(1, sizeof(struct bpf_maps_seen)) });
		object = &out->list.v[out->list.nr - 1];
		crash = crash_of(object, events, open_and_load, LOAD_SECONDS);
		if (!crash)
			err = open_and_load(object, events);
		else if (crash == SIGXCPU)
			err = error("'%s' is not loaded after %u s of CPU time: it is damaged, or too much for the verifier", path,
				    LOAD_SECONDS);
		else
			err = error("'%s' is damaged: libbpf crashes when it loads it", path);
	}
	if (out->list.nr && !err)
		out->stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	return err;
}

void user_objects_close(struct user_objects *o)
{
	if (o->list.nr && o->stats >= 0)
		close(o->stats);
	vec_for(object, &o->list) {
		bpf_maps_seen_release(object->seen);
		free(object->seen);
		bpf_object__close(object->object);
		free(object->path);
	}
	vec_free(&o->list);
}

int user_objects_program(const struct user_objects *o, const struct event_request *r)
{
	const char *name;
	char *path = split_spec(r->bpf, &name);
	const struct user_object *object = object_of(o, path);
	const struct bpf_program *p = object ? choose(object->object, path, name) : NULL;

	free(path);
	return p ? bpf_program__fd(p) : -1;
}

uint64_t user_program_runs(const struct user_objects *o, int program)
{
	struct bpf_prog_info info = {0};
	uint32_t size = sizeof(info);

	if (o->stats < 0 || bpf_obj_get_info_by_fd(program, &info, &size))
		return 0;
	return info.run_cnt;
}

/* ---- records of its own ---- */

static bool is_output(const struct bpf_map *m)
{
	return bpf_map__type(m) == BPF_MAP_TYPE_PERF_EVENT_ARRAY;
}

static bool is_ring(const struct bpf_map *m)
{
	return bpf_map__type(m) == BPF_MAP_TYPE_RINGBUF;
}

static int just_open(struct user_object *o, const struct event_requests *events)
{
	libbpf_set_print(NULL);
	o->object = endless_type(o->path) ? NULL : bpf_object__open_file(o->path, NULL);
	return o->object ? 0 : -1;
}

unsigned user_program_writes(const char *spec)
{
	const char *name;
	struct user_object o = { .path = split_spec(spec, &name) };
	struct bpf_map *m;
	unsigned writes = 0;

	if (!crash_of(&o, NULL, just_open, OPEN_SECONDS) && !just_open(&o, NULL))
		bpf_object__for_each_map(m, o.object)
			writes |= is_output(m) ? USER_OUTPUT_EVENTS : is_ring(m) ? USER_OUTPUT_RINGS : 0u;
	bpf_object__close(o.object);
	free(o.path);
	return writes;
}

static int write_to(const struct bpf_object *object, unsigned cpu, int fd)
{
	struct bpf_map *m;
	uint32_t key = cpu;

	bpf_object__for_each_map(m, object)
		if (is_output(m) && bpf_map_update_elem(bpf_map__fd(m), &key, &fd, BPF_ANY))
			return error("what BPF programs write to map '%s' on CPU %u cannot be recorded: %s", bpf_map__name(m), cpu,
				     strerror(errno));
	return 0;
}

int user_objects_write_to(const struct user_objects *o, unsigned cpu, int fd)
{
	vec_for(object, &o->list)
		if (write_to(object->object, cpu, fd))
			return -1;
	return 0;
}

struct user_ring {
	struct user_rings *all;
	const char *name;		/* name of the map; borrowed from the object */
	uint8_t *pages;			/* mapped: a page with the reader's position, then one with the writers'; NULL: unknown */
	size_t size, largest;		/* .size: of the ring buffer; .largest: of the largest record so far, with its header */
	uint64_t nr_full;
};

struct user_rings {
	struct ring_buffer *rings;	/* owned */
	VEC(struct user_ring *) list;	/* owned */
	user_record *on_record;		/* with .ctx: the arguments of user_rings_read() */
	void *ctx;
	size_t bytes;
};

#define RECORD_HEADER	8u	/* BPF_RINGBUF_HDR_SZ */

/* Passes on one record. -EAGAIN ends the read after TAKE_BYTES: the other records stay for the next time. */
static int pass_on(void *ctx, void *data, size_t size)
{
	struct user_ring *ring = ctx;
	struct user_rings *r = ring->all;

	ring->largest = MAX(ring->largest, round_up(size, RECORD_HEADER) + RECORD_HEADER);
	r->on_record(r->ctx, data, size);
	r->bytes += size;
	return r->bytes > TAKE_BYTES ? -EAGAIN : 0;
}

/* Maps the first two pages of a ring buffer, which have its positions (kernel/bpf/ringbuf.c). NULL: this failed. */
static uint8_t *map_positions(const struct bpf_map *m)
{
	void *p = mmap(NULL, 2 * (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, bpf_map__fd(m), 0);

	return p == MAP_FAILED ? NULL : p;
}

static int add_ring(struct user_rings *r, const struct bpf_map *m)
{
	struct user_ring *ring = xcalloc(1, sizeof(*ring));

	*ring = (struct user_ring){
		.all = r, .name = bpf_map__name(m), .pages = map_positions(m), .size = bpf_map__max_entries(m),
	};
	vec_push(&r->list, ring);
	if (r->rings)
		return ring_buffer__add(r->rings, bpf_map__fd(m), pass_on, ring);
	r->rings = ring_buffer__new(bpf_map__fd(m), pass_on, ring, NULL);
	return r->rings ? 0 : -errno;
}

static int add_rings(struct user_rings **rings, const struct bpf_object *object)
{
	struct bpf_map *m;

	bpf_object__for_each_map(m, object) {
		int err;

		if (!is_ring(m))
			continue;
		if (!*rings)
			*rings = xcalloc(1, sizeof(**rings));
		err = add_ring(*rings, m);
		if (err)
			return error("what BPF programs write to ring buffer '%s' cannot be recorded: %s", bpf_map__name(m),
				     strerror(-err));
	}
	return 0;
}

int user_objects_rings(const struct user_objects *o, struct user_rings **rings)
{
	*rings = NULL;
	vec_for(object, &o->list)
		if (add_rings(rings, object->object))
			return -1;
	return 0;
}

void user_rings_free(struct user_rings *r)
{
	if (!r)
		return;
	ring_buffer__free(r->rings);
	vec_for(ring, &r->list) {
		if ((*ring)->pages)
			munmap((*ring)->pages, 2 * (size_t)sysconf(_SC_PAGESIZE));
		free(*ring);
	}
	vec_free(&r->list);
	free(r);
}

/* Returns the number of bytes that wait in the ring buffer. */
static size_t fill_of(const struct user_ring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!ring->pages)
		return 0;
	return __atomic_load_n((const unsigned long *)(ring->pages + page), __ATOMIC_ACQUIRE) -
	       __atomic_load_n((const unsigned long *)ring->pages, __ATOMIC_ACQUIRE);
}

void user_rings_read(struct user_rings *r, user_record *on_record, void *ctx)
{
	size_t fill[RINGS_LOOKED_AT], nr = MIN(r->list.nr, RINGS_LOOKED_AT);

	r->on_record = on_record;
	r->ctx = ctx;
	r->bytes = 0;
	for (size_t i = 0; i < nr; i++)
		fill[i] = fill_of(r->list.v[i]);
	ring_buffer__consume(r->rings);
	/* The size of the largest record is only known now. */
	for (size_t i = 0; i < nr; i++)
		r->list.v[i]->nr_full += fill[i] && fill[i] + r->list.v[i]->largest > r->list.v[i]->size;
}

uint64_t user_rings_full(const struct user_rings *r, const char **name)
{
	uint64_t nr = 0, most = 0;

	vec_for(ring, &r->list) {
		nr += (*ring)->nr_full;
		if ((*ring)->nr_full > most) {
			most = (*ring)->nr_full;
			*name = (*ring)->name;
		}
	}
	return nr;
}

/* ---- maps ---- */

void user_objects_put_maps(const struct user_objects *o, bool changes, struct buf *out)
{
	vec_for(object, &o->list)
		bpf_maps_put(object->object, changes ? object->seen : NULL, out);
}

void user_objects_put_json(const struct user_objects *o, bool changes, struct json *out)
{
	json_open(out, '[');
	vec_for(object, &o->list) {
		json_open(out, '{');
		json_key_string(out, "file", object->path);
		json_key(out, "maps");
		bpf_maps_put_json(object->object, changes ? object->seen : NULL, out);
		json_close(out, '}');
	}
	json_close(out, ']');
}
