/*
 * Keeps the symbols and source lines of files when prec top reads its recording again for an update of the browser, so that they
 * are not loaded each time. cmd/report_browse.c calls it.
 */
#include "core/model/machine_state.h"

#include <string.h>

#include "core/base/util.h"

/* Moves all that load.c and srcline.c found; @from is as if it had never been loaded. */
static void move_loaded(struct dso *to, struct dso *from)
{
	to->loaded = true;
	to->state = from->state;
	to->is_stripped = from->is_stripped;
	to->why = from->why;
	to->symbols_from = from->symbols_from;
	to->file = from->file;
	to->file_has_code = from->file_has_code;
	to->image_fd = from->image_fd;
	to->dwarf_file = from->dwarf_file;
	to->symbols = from->symbols;
	to->mangled = from->mangled;
	to->segments = from->segments;
	to->relocation = from->relocation;
	to->relative = from->relative;
	to->elf_class = from->elf_class;
	to->lines = from->lines;
	from->loaded = from->requested = false;
	from->state = DSO_UNLOADED;
	from->why = NULL;
	from->symbols_from = from->file = from->dwarf_file = NULL;
	from->image_fd = 0;
	from->symbols = (struct symbols){0};
	memset(&from->segments, 0, sizeof(from->segments));
	from->lines = NULL;
}

static bool is_free(const struct dso *dso)
{
	return !dso->loaded && !dso->archived && !dso->jitdump;
}

static bool was_read(const struct dso *dso)
{
	return dso->loaded && !dso->archived && !dso->jitdump && (dso->state == DSO_LOADED || dso->state == DSO_NO_SYMBOLS);
}

/* The dso of @m with the path and build id of @dso, if it is not loaded yet; NULL: @m has none. */
static struct dso *find_same(struct machine *m, const struct dso *dso)
{
	struct dso *same = dsos_find_known(&m->dsos, DSO_USER, dso->path, &dso->build_id);

	return same && is_free(same) ? same : NULL;
}

/* ---- the kernel ---- */

static bool has_module(const struct machine *m, const struct dso *module)
{
	vec_for(dso, &m->dsos.list)
		if ((*dso)->kind == DSO_MODULE && str_eq((*dso)->name, module->name))
			return true;
	return false;
}

/* True if @before has all modules of @m. The kallsyms that was read lacks the names of modules that were loaded later. */
static bool has_same_modules(const struct machine *m, const struct machine *before)
{
	vec_for(dso, &m->dsos.list)
		if ((*dso)->kind == DSO_MODULE && !has_module(before, *dso))
			return false;
	return true;
}

static bool is_same_kernel(const struct dso *a, const struct dso *b)
{
	return a->reference_addr == b->reference_addr && !a->reference == !b->reference &&
	       (!a->reference || str_eq(a->reference, b->reference)) && build_id_equal(&a->build_id, &b->build_id);
}

/* Moves the symbols of the kernel. As their names are in the text of kallsyms, moves kallsyms, too. */
static void reuse_kernel(struct machine *m, struct machine *before)
{
	struct dso *to = machine_kernel(m), *from = machine_kernel(before);

	if (!to || !from || !is_free(to) || !was_read(from) || !is_same_kernel(to, from) || m->kallsyms.tried ||
	    !has_same_modules(m, before))
		return;
	move_loaded(to, from);
	m->kallsyms.tried = before->kallsyms.tried;
	m->kallsyms.all = before->kallsyms.all;
	m->kallsyms.path = before->kallsyms.path;
	m->kallsyms.relocation = before->kallsyms.relocation;
	before->kallsyms.tried = false;
	memset(&before->kallsyms.all, 0, sizeof(before->kallsyms.all));
	before->kallsyms.path = NULL;
}

void machine_reuse_files(struct machine *m, struct machine *before)
{
	machine_join_early(before);
	vec_for(it, &before->dsos.list) {
		struct dso *from = *it, *to;

		if (from->kind != DSO_USER || !from->build_id.size || !was_read(from))
			continue;
		to = find_same(m, from);
		if (to)
			move_loaded(to, from);
	}
	reuse_kernel(m, before);
}
