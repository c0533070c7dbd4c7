/* Only the wanted program is loaded. libbpf's own messages are not shown: the verifier's log is read instead. Layer: bpf */
#include "core/record/bpf/bpf_object.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/base/vec.h"
#include "core/record/events/event_request.h"
#include "core/record/bpf/bpf_maps.h"
#include "core/record/bpf/bpf_refusal.h"

#define LOG_BYTES	(1u << 20)
#define TAKE_BYTES	(4u << 20)	/* of ring buffers at a time */
#define RINGS_LOOKED_AT	16u		/* how full they are */

#define WITHOUT	"record without --bpf; prec's own sort key runqlen, --filter and --off-cpu need no program of yours"

/* ---- loading ---- */

/* Nothing is to be printed but by error(). */
static int print_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

static bool has_name(const struct bpf_program *p, const char *name)
{
	return !name || str_eq(bpf_program__section_name(p), name) || str_eq(bpf_program__name(p), name);
}

/* The only program that is wanted; the others are not loaded. NULL: printed. */
static struct bpf_program *choose(struct bpf_object *object, const char *path, const char *name)
{
	struct bpf_program *p, *chosen = NULL;
	struct buf known = {0};
	unsigned nr = 0;

	bpf_object__for_each_program(p, object) {
		buf_printf(&known, "%s%s (%s)", known.len ? ", " : "", bpf_program__name(p), bpf_program__section_name(p));
		bpf_program__set_autoload(p, false);
		if (has_name(p, name)) {
			chosen = p;
			nr++;
		}
	}
	if (nr != 1)
		error("'%s' has %s program%s%s: name one of %s, as '%s:NAME'", path, nr ? "more than one" : "no",
		      name ? " of the name " : "", name ? name : "", known.len ? buf_str(&known) : "none", path);
	buf_release(&known);
	if (nr != 1)
		return NULL;
	bpf_program__set_autoload(chosen, true);
	return chosen;
}

/* The type of program that the kernel takes on an event (perf_event_set_bpf_prog() in kernel/events/core.c). */
static enum bpf_prog_type type_for(const struct event_request *r)
{
	return event_is_tracepoint(&r->attr) ? BPF_PROG_TYPE_TRACEPOINT : r->path ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_PERF_EVENT;
}

static const char *section_for(enum bpf_prog_type t)
{
	return t == BPF_PROG_TYPE_TRACEPOINT ? "tracepoint" : t == BPF_PROG_TYPE_KPROBE ? "uprobe" : "perf_event";
}

/* A section that says nothing is taken as one of the event's type. */
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

static int load_chosen(struct user_program *out, const char *path, const char *name, const struct event_request *r,
		       const char *log)
{
	struct bpf_program *p = choose(out->object, path, name);
	char *what;
	int err;

	if (!p || check_type(p, path, r))
		return -1;
	vec_for(setting, &r->bpf_set)
		if (bpf_variable_set(out->object, *setting, path))
			return -1;
	err = bpf_object__load(out->object);
	if (!err) {
		out->program = bpf_program__fd(p);
		out->stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
		return 0;
	}
	what = xasprintf("program '%s' of '%s'", bpf_program__name(p), path);
	bpf_refusal_print(what, r->name, -err, log, WITHOUT);
	free(what);
	return -1;
}

/* libbpf looks for the log while it loads. */
static int open_and_load(struct user_program *out, const char *path, const char *name, const struct event_request *r)
{
	char *log = xcalloc(1, LOG_BYTES);
	LIBBPF_OPTS(bpf_object_open_opts, opts, .kernel_log_buf = log, .kernel_log_size = LOG_BYTES, .kernel_log_level = 1);
	int err;

	libbpf_set_print(print_nothing);
	out->object = bpf_object__open_file(path, &opts);
	if (!out->object) {
		char why[200];

		libbpf_strerror(errno, why, sizeof(why));
		err = error("cannot read '%s' as a BPF object (clang -target bpf -O2 -g -c): %s", path, why);
	} else {
		err = load_chosen(out, path, name, r, log);
	}
	free(log);
	return err;
}

/* The path of "FILE.o:NAME", owned by the caller; *name: borrowed, or NULL. */
static char *split_spec(const char *spec, const char **name)
{
	const char *colon = strrchr(spec, ':');
	bool named = colon && colon > spec && access(spec, R_OK);

	*name = named ? colon + 1 : NULL;
	return named ? xstrndup(spec, (size_t)(colon - spec)) : xstrdup(spec);
}

int user_program_load(struct user_program *out, const struct event_request *r)
{
	const char *name;
	char *path = split_spec(r->bpf, &name);
	int err;

	*out = (struct user_program){ .program = -1, .stats = -1 };
	err = open_and_load(out, path, name, r);
	free(path);
	return err;
}

void user_program_close(struct user_program *p)
{
	bpf_object__close(p->object);
	if (p->stats >= 0)
		close(p->stats);
	*p = (struct user_program){ .program = -1, .stats = -1 };
}

uint64_t user_program_runs(const struct user_program *p)
{
	struct bpf_prog_info info = {0};
	uint32_t size = sizeof(info);

	if (p->stats < 0 || bpf_obj_get_info_by_fd(p->program, &info, &size))
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

unsigned user_program_writes(const char *spec)
{
	const char *name;
	char *path = split_spec(spec, &name);
	struct bpf_object *object;
	struct bpf_map *m;
	unsigned writes = 0;

	libbpf_set_print(print_nothing);
	object = bpf_object__open_file(path, NULL);
	if (object)
		bpf_object__for_each_map(m, object)
			writes |= is_output(m) ? USER_OUTPUT_EVENTS : is_ring(m) ? USER_OUTPUT_RINGS : 0u;
	bpf_object__close(object);
	free(path);
	return writes;
}

int user_program_write_to(const struct user_program *p, unsigned cpu, int fd)
{
	struct bpf_map *m;
	uint32_t key = cpu;

	bpf_object__for_each_map(m, p->object)
		if (is_output(m) && bpf_map_update_elem(bpf_map__fd(m), &key, &fd, BPF_ANY))
			return error("what BPF programs write to map '%s' on CPU %u cannot be recorded: %s", bpf_map__name(m), cpu,
				     strerror(errno));
	return 0;
}

struct user_ring {
	struct user_rings *all;
	const char *name;		/* borrowed from its program */
	uint8_t *pages;			/* mapped: where its reader is, then where its writers are */
	size_t size, largest;		/* bytes; of a record, with its header */
	uint64_t nr_full;
};

struct user_rings {
	struct ring_buffer *rings;	/* owned */
	VEC(struct user_ring *) list;	/* owned */
	user_record *take;		/* of user_rings_take() */
	void *ctx;
	size_t bytes;
};

#define RECORD_HEADER	8u	/* BPF_RINGBUF_HDR_SZ */

/* More than can be taken at once stays for the next time. */
static int pass_on(void *ctx, void *data, size_t size)
{
	struct user_ring *ring = ctx;
	struct user_rings *r = ring->all;

	ring->largest = MAX(ring->largest, round_up(size, RECORD_HEADER) + RECORD_HEADER);
	r->take(r->ctx, data, size);
	r->bytes += size;
	return r->bytes > TAKE_BYTES ? -EAGAIN : 0;
}

/* Its first two pages, as the kernel has them (kernel/bpf/ringbuf.c); NULL: how full it is will not be known. */
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

int user_program_rings(const struct user_program *p, struct user_rings **rings)
{
	struct bpf_map *m;

	bpf_object__for_each_map(m, p->object) {
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

/* Bytes that wait in it. */
static size_t fill_of(const struct user_ring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!ring->pages)
		return 0;
	return __atomic_load_n((const unsigned long *)(ring->pages + page), __ATOMIC_ACQUIRE) -
	       __atomic_load_n((const unsigned long *)ring->pages, __ATOMIC_ACQUIRE);
}

void user_rings_take(struct user_rings *r, user_record *take, void *ctx)
{
	size_t fill[RINGS_LOOKED_AT], nr = MIN(r->list.nr, RINGS_LOOKED_AT);

	r->take = take;
	r->ctx = ctx;
	r->bytes = 0;
	for (size_t i = 0; i < nr; i++)
		fill[i] = fill_of(r->list.v[i]);
	ring_buffer__consume(r->rings);
	/* Its largest record is known here. */
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

void user_program_put_maps(const struct user_program *p, struct buf *out)
{
	bpf_maps_put(p->object, out);
}
