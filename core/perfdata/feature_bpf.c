/*
 * Reads the feature sections BPF_PROG_INFO and BPF_BTF of perf.data. Each BPF program is a struct bpf_prog_info (linux/bpf.h)
 * followed by its arrays. The struct has offsets in place of its pointers (struct perf_bpil in tools/perf/util/bpf-utils.h).
 */
#include "core/perfdata/feature_bpf.h"

#include <inttypes.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/printable.h"
#include "core/base/util.h"
#include "core/base/wire.h"
#include "core/perfdata/btf.h"

#define FUNCTIONS_MAX	4096u		/* of a program; the verifier allows 256 */

/* A program as it is stored in the section. */
struct stored {
	const void *info, *arrays;
	uint32_t info_size, arrays_size;
	bool swap;
};

static struct wire wire_at(const void *p, uint64_t size, uint64_t at, bool swap)
{
	struct wire w = wire_reader((const uint8_t *)p + MIN(at, size), size - MIN(at, size));

	w.swap = swap;
	return w;
}

/* A member of the info; 0 if the kernel that wrote it had none. */
static uint32_t info_u32(const struct stored *s, size_t at)
{
	struct wire w = wire_at(s->info, s->info_size, at, s->swap);
	uint32_t v;

	wire_u32(&w, &v);
	return v;
}

static struct wire array_at(const struct stored *s, size_t pointer_at)
{
	struct wire w = wire_at(s->info, s->info_size, pointer_at, s->swap);
	uint64_t at;

	wire_u64(&w, &at);
	return wire_at(s->arrays, s->arrays_size, at, s->swap);
}

#define MEMBER(s, name) info_u32(s, offsetof(struct bpf_prog_info, name))
#define ARRAY(s, name) array_at(s, offsetof(struct bpf_prog_info, name))

/* False: the arrays are shorter than the info says, or it has too many functions. */
static bool read_functions(struct feature_bpf_program *p, const struct stored *s)
{
	uint32_t nr = MEMBER(s, nr_jited_ksyms);
	struct wire addrs = ARRAY(s, jited_ksyms), sizes = ARRAY(s, jited_func_lens), tags = ARRAY(s, prog_tags);

	/* The kernel hides addresses from users without the right to see them. Then the program has no functions here. */
	if (nr != MEMBER(s, nr_jited_func_lens) || nr > FUNCTIONS_MAX)
		return nr <= FUNCTIONS_MAX;
	for (uint32_t i = 0; i < nr; i++) {
		struct feature_bpf_function f = {0};
		const void *tag;

		wire_u64(&addrs, &f.addr);
		wire_u32(&sizes, &f.size);
		wire_bytes(&tags, &tag, sizeof(f.tag));
		if (tag && !tags.bad)
			memcpy(f.tag, tag, sizeof(f.tag));
		if (addrs.bad || sizes.bad)
			return false;
		vec_push(&p->functions, f);
	}
	return true;
}

/* Reads the type of each function from its struct bpf_func_info, which begins with the offset of its code and its type. */
static void read_types(struct feature_bpf_program *p, const struct stored *s)
{
	uint32_t size = MEMBER(s, func_info_rec_size), nr = MEMBER(s, nr_func_info);
	struct wire infos = ARRAY(s, func_info);

	if (nr != p->functions.nr || size < 2 * sizeof(uint32_t))
		return;
	vec_for(f, &p->functions) {
		uint32_t offset;

		wire_u32(&infos, &offset);
		wire_u32(&infos, &f->type);
		wire_zeros(&infos, size - 2 * sizeof(uint32_t));
	}
}

static bool read_program(struct feature_bpf *f, const struct stored *s)
{
	struct feature_bpf_program p = { .id = MEMBER(s, id), .btf_id = MEMBER(s, btf_id) };
	struct wire name = wire_at(s->info, s->info_size, offsetof(struct bpf_prog_info, name), false);
	const void *bytes;
	bool good;

	wire_bytes(&name, &bytes, sizeof(p.name) - 1);
	if (bytes && !name.bad)
		memcpy(p.name, bytes, sizeof(p.name) - 1);
	good = read_functions(&p, s);
	read_types(&p, s);
	vec_push(&f->programs, p);
	return good;
}

void feature_bpf_programs_pass(struct wire *w, struct feature_bpf *f)
{
	uint32_t nr = 0;

	wire_u32(w, &nr);
	for (uint32_t i = 0; w->mode == WIRE_READ && i < nr && !w->bad; i++) {
		struct stored s = { .swap = w->swap };
		uint64_t which;

		wire_u32(w, &s.info_size);
		wire_u32(w, &s.arrays_size);
		wire_u64(w, &which);
		wire_bytes(w, &s.info, s.info_size);
		wire_bytes(w, &s.arrays, s.arrays_size);
		if (!w->bad && !read_program(f, &s))
			w->bad = true;
	}
}

struct description {		/* a BTF in the section */
	uint32_t id, size;
	const void *types;	/* the bytes of the BTF; NULL: .names has been read from them */
	struct btf_names names;
};

ORDER(by_id, struct description, compare_numbers(a->id, b->id))

static void name_functions(struct feature_bpf_program *p, struct description *d, bool swap)
{
	if (d->types)
		btf_read(&d->names, d->types, d->size, swap);
	d->types = NULL;
	vec_for(f, &p->functions) {
		const char *name = btf_function(&d->names, f->type);

		if (name && !f->name)
			f->name = xstrdup(name);
	}
}

void feature_bpf_btf_pass(struct wire *w, struct feature_bpf *f)
{
	VEC(struct description) all = {0};
	uint32_t nr = 0;

	wire_u32(w, &nr);
	for (uint32_t i = 0; w->mode == WIRE_READ && i < nr && !w->bad; i++) {
		struct description d = {0};

		wire_u32(w, &d.id);
		wire_u32(w, &d.size);
		wire_bytes(w, &d.types, d.size);
		if (w->bad)
			break;
		vec_push(&f->btf_ids, d.id);
		vec_push(&all, d);
	}
	vec_sort(&all, by_id);
	vec_for(p, &f->programs) {
		struct description key = { .id = p->btf_id }, *d = NULL;

		if (p->btf_id && all.nr)
			d = bsearch(&key, all.v, all.nr, sizeof(*all.v), by_id);
		if (d)
			name_functions(p, d, w->swap);
	}
	vec_for(d, &all)
		btf_release(&d->names);
	vec_free(&all);
}

void feature_bpf_release(struct feature_bpf *f)
{
	vec_for(p, &f->programs) {
		vec_for(function, &p->functions)
			free(function->name);
		vec_free(&p->functions);
	}
	vec_free(&f->programs);
	vec_free(&f->btf_ids);
}

/* ---- as text ---- */

/* Prints a function's name as /proc/kallsyms has it. Without BTF, only the first function has a name of its own. */
static void put_function(const struct feature_bpf_program *p, size_t number, struct buf *out)
{
	const struct feature_bpf_function *f = &p->functions.v[number];

	buf_puts(out, "bpf_prog_");
	for (size_t i = 0; i < sizeof(f->tag); i++)
		buf_hex0(out, f->tag[i], 2);
	if (f->name || number || p->name[0]) {
		buf_putc(out, '_');
		buf_put_printable(out, f->name ? f->name : number ? "F" : p->name);
	}
	buf_printf(out, " addr 0x%" PRIx64 " size %" PRIu32 "\n", f->addr, f->size);
}

void feature_bpf_programs_print(const struct feature_bpf *f, struct buf *out)
{
	if (!f->programs.nr)
		buf_puts(out, "# bpf_prog_info empty\n");
	vec_for(p, &f->programs) {
		if (!p->functions.nr)
			continue;
		buf_printf(out, "# bpf_prog_info %" PRIu32 ":", p->id);
		if (p->functions.nr > 1)
			buf_putc(out, '\n');
		for (size_t i = 0; i < p->functions.nr; i++) {
			if (p->functions.nr > 1)
				buf_printf(out, "# \tsub_prog %zu:", i);
			buf_putc(out, ' ');
			put_function(p, i, out);
		}
	}
}

void feature_bpf_btf_print(const struct feature_bpf *f, struct buf *out)
{
	if (!f->btf_ids.nr)
		buf_puts(out, "# btf info empty\n");
	vec_for(id, &f->btf_ids)
		buf_printf(out, "# btf info of id %" PRIu32 "\n", *id);
}
