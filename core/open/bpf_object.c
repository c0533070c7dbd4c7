/*
 * Only the program that is wanted is loaded. libbpf's own messages are not shown: what the verifier says is asked for.
 * Layer: open
 */
#include "core/open/bpf_object.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/cpus.h"
#include "core/base/log.h"
#include "core/base/vec.h"
#include "core/open/bpf_refusal.h"

#define LOG_BYTES	(1u << 20)
#define BAR		40u	/* columns of the longest bar */
#define TAKE_BYTES	(4u << 20)	/* of ring buffers at a time */
#define RINGS_LOOKED_AT	16u		/* how full they are */
#define MAX_ENTRIES	(1u << 16)	/* of a map, that are shown */

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

/* A section that says nothing is taken as one of events. */
static int check_type(struct bpf_program *p, const char *path)
{
	if (bpf_program__type(p) == BPF_PROG_TYPE_UNSPEC)
		bpf_program__set_type(p, BPF_PROG_TYPE_PERF_EVENT);
	if (bpf_program__type(p) == BPF_PROG_TYPE_PERF_EVENT)
		return 0;
	return error("'%s': program %s is of section \"%s\", and not of one for events: SEC(\"perf_event\")", path,
		     bpf_program__name(p), bpf_program__section_name(p));
}

static int load_chosen(struct user_program *out, const char *path, const char *name, const char *event, const char *log)
{
	struct bpf_program *p = choose(out->object, path, name);
	char *what;
	int err;

	if (!p || check_type(p, path))
		return -1;
	err = bpf_object__load(out->object);
	if (!err) {
		out->program = bpf_program__fd(p);
		return 0;
	}
	what = xasprintf("program '%s' of '%s'", bpf_program__name(p), path);
	bpf_refusal_print(what, event, -err, log, WITHOUT);
	free(what);
	return -1;
}

/* libbpf looks for the log while it loads. */
static int open_and_load(struct user_program *out, const char *path, const char *name, const char *event)
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
		err = load_chosen(out, path, name, event, log);
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

int user_program_load(struct user_program *out, const char *spec, const char *event)
{
	const char *name;
	char *path = split_spec(spec, &name);
	int err;

	*out = (struct user_program){ .program = -1 };
	err = open_and_load(out, path, name, event);
	free(path);
	return err;
}

void user_program_close(struct user_program *p)
{
	bpf_object__close(p->object);
	*p = (struct user_program){ .program = -1 };
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
	/* Its largest record has been seen by now. */
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

struct entry { uint64_t key, value; };
struct entries { VEC(struct entry) list; };

static bool is_integer(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool is_by_cpu(enum bpf_map_type t)
{
	return t == BPF_MAP_TYPE_PERCPU_ARRAY || t == BPF_MAP_TYPE_PERCPU_HASH || t == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static bool is_shown(const struct bpf_map *m)
{
	enum bpf_map_type t = bpf_map__type(m);

	return (is_by_cpu(t) || t == BPF_MAP_TYPE_ARRAY || t == BPF_MAP_TYPE_HASH || t == BPF_MAP_TYPE_LRU_HASH) &&
	       is_integer(bpf_map__key_size(m)) && is_integer(bpf_map__value_size(m));
}

static uint64_t integer_of(const uint8_t *p, uint32_t size)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < size; i++)
		v |= (uint64_t)p[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : size - 1 - i] << 8 * i;
	return v;
}

/* Values of a map by CPU lie 8 bytes apart, and are summed up. */
static void read_entries(struct entries *out, const struct bpf_map *m, unsigned nr_cpus)
{
	unsigned nr = is_by_cpu(bpf_map__type(m)) ? nr_cpus : 1;
	uint8_t key[8] = {0}, before[8], *values = xcalloc(nr, 8);
	int fd = bpf_map__fd(m), err = bpf_map_get_next_key(fd, NULL, key);

	for (uint32_t i = 0; !err && i < MAX_ENTRIES; i++) {
		struct entry e = { .key = integer_of(key, bpf_map__key_size(m)) };

		if (!bpf_map_lookup_elem(fd, key, values)) {
			for (unsigned k = 0; k < nr; k++)
				e.value += integer_of(values + 8 * k, bpf_map__value_size(m));
			vec_push(&out->list, e);
		}
		memcpy(before, key, sizeof(before));
		err = bpf_map_get_next_key(fd, before, key);
	}
	free(values);
}

static int compare_entries(const void *a, const void *b)
{
	return compare_numbers(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

static void put_entries(struct entries *e, struct buf *out)
{
	uint64_t most = 1;

	if (e->list.nr)
		qsort(e->list.v, e->list.nr, sizeof(*e->list.v), compare_entries);
	vec_for(entry, &e->list)
		most = MAX(most, entry->value);
	vec_for(entry, &e->list) {
		if (!entry->value)
			continue;
		buf_printf(out, "%20" PRIu64 " %20" PRIu64 " ", entry->key, entry->value);
		buf_fill(out, '#', (size_t)((double)entry->value * BAR / (double)most + 0.999));
		buf_putc(out, '\n');
	}
}

static unsigned nr_possible_cpus(void)
{
	struct cpus all;
	unsigned nr;

	if (cpus_possible(&all))
		return 0;
	nr = (unsigned)all.list.nr;
	cpus_release(&all);
	return nr;
}

void user_program_put_maps(const struct user_program *p, struct buf *out)
{
	unsigned nr_cpus = nr_possible_cpus();
	struct bpf_map *m;

	bpf_object__for_each_map(m, p->object) {
		struct entries entries = {0};

		if (bpf_map__is_internal(m) || is_output(m) || is_ring(m))
			continue;
		buf_printf(out, "# Map %s\n", bpf_map__name(m));
		if (is_shown(m) && nr_cpus) {
			buf_puts(out, "#                Key                Value\n");
			read_entries(&entries, m, nr_cpus);
			put_entries(&entries, out);
		} else {
			buf_printf(out, "# is not shown: keys of %u bytes, values of %u bytes\n", bpf_map__key_size(m),
				   bpf_map__value_size(m));
		}
		buf_putc(out, '\n');
		vec_free(&entries.list);
	}
}
