/*
 * Reads function symbols from an ELF file or /proc/kallsyms, and sorts them by address. A function without a size, such as all
 * in kallsyms, ends where the next one begins.
 */
#include "core/record/events/functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/binary/elf_symbol.h"
#include "core/binary/kallsyms.h"

static void add(struct functions *all, const char *name, struct function f)
{
	f.name = (uint32_t)all->names.len;
	buf_put(&all->names, name, strlen(name) + 1);
	vec_push(&all->list, f);
}

static int by_address(const void *a, const void *b, void *names)
{
	const struct function *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return strcmp((const char *)names + x->name, (const char *)names + y->name);
}

static bool same(const struct functions *all, const struct function *a, const struct function *b)
{
	return a->at == b->at && str_eq(function_name(all, a), function_name(all, b));
}

/* A function without a size reaches to the next function. The last one reaches to the end of its page. */
static void close_open_ends(struct functions *all)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), next = 0, before = 0;

	for (size_t i = all->list.nr; i--;) {
		struct function *f = &all->list.v[i];

		if (f->at != before)
			next = before;
		before = f->at;
		if (f->end <= f->at)
			f->end = next ? next : round_up(f->at + 1, page);
	}
}

static void finish(struct functions *all)
{
	size_t kept = 0;

	if (!all->list.nr)
		return;
	qsort_r(all->list.v, all->list.nr, sizeof(*all->list.v), by_address, all->names.data);
	for (size_t i = 1; i < all->list.nr; i++)
		if (!same(all, &all->list.v[kept], &all->list.v[i]))
			all->list.v[++kept] = all->list.v[i];
	all->list.nr = kept + 1;
	close_open_ends(all);
}

static void add_of_file(void *arg, const char *name, const struct elf_position *p, bool global)
{
	if (p->offset != UINT64_MAX)
		add(arg, name, (struct function){ .at = p->offset, .end = p->offset + p->size, .global = global });
}

int functions_of_file(struct functions *out, const char *path)
{
	int err = elf_functions(path, add_of_file, out);

	finish(out);
	return err;
}

/* In kallsyms the type of code is t or w, or T or W if it is global. There are no sizes. */
int functions_of_kernel(struct functions *out)
{
	struct kallsyms k;
	int err = kallsyms_read(&k, "/proc/kallsyms");

	if (err)
		return err;
	vec_for(line, &k.lines)
		if (line->addr && strchr("tTwW", line->type))
			add(out, line->name, (struct function){
				.at = line->addr, .global = line->type == 'T' || line->type == 'W' });
	kallsyms_release(&k);
	finish(out);
	return out->list.nr ? 0 : -EPERM;
}

void functions_release(struct functions *f)
{
	vec_free(&f->list);
	buf_release(&f->names);
}
