/*
 * Fills an archive, with which another machine can show a recording without the binaries. It looks up the function and source
 * lines of every sampled address, and adds unwind tables and, if requested, the functions' code.
 */
#include "core/profile/session_archive.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/log.h"
#include "core/base/pool.h"
#include "core/read/session.h"
#include "core/model/machine_archive.h"
#include "core/model/code.h"
#include "core/model/interpreter.h"
#include "core/model/srcline.h"
#include "core/hists/bucket.h"
#include "core/code/listing.h"
#include "core/unwind/caller.h"
#include "core/unwind/frameless.h"
#include "core/unwind/tables.h"

#define MAX_DEPTH	1024	/* frames of a chain; --max-stack may show more of them than the default of 127 */
#define BATCH		256u

/* ---- other addresses: branches and data ---- */

struct others_worker { struct addr_key_table keys; };
struct others_pass { const struct machine *machine; VEC(struct addr_key_table) tables; };

static void others_init(void *worker, void *ctx)
{
	struct others_worker *w = worker;
	const struct others_pass *pass = ctx;

	addr_key_table_init(&w->keys, pass->machine);
}

/* Adds the address in both the user's and the kernel's space, because branches have no cpumode. */
static void add_other(struct others_worker *w, const struct item *item, uint64_t ip)
{
	addr_keys_frame(&w->keys, item->context->user_space, ip, false);
	addr_keys_frame(&w->keys, item->context->kernel_space, ip, false);
}

static void on_other_record(void *worker, void *ctx, const struct item *item)
{
	const struct sample *s = item->sample;
	struct others_worker *w = worker;

	if (s->addr)
		add_other(w, item, s->addr);
	for (uint64_t i = 0; i < s->branch_nr; i++) {
		add_other(w, item, words_at(&s->branches, 3 * i));
		add_other(w, item, words_at(&s->branches, 3 * i + 1));
	}
}

static void merge_others(void *worker, void *ctx)
{
	struct others_worker *w = worker;
	struct others_pass *pass = ctx;

	vec_push(&pass->tables, w->keys);
}

/* Merges all workers' address keys into @out. */
static void unite_others(struct addr_key_table *out, struct others_pass *pass, unsigned jobs)
{
	struct addr_key_table **tables = xcalloc(MAX(pass->tables.nr, 1), sizeof(*tables));
	struct united united;

	for (size_t i = 0; i < pass->tables.nr; i++)
		tables[i] = &pass->tables.v[i];
	united = addr_key_tables_unite(out, tables, pass->tables.nr, jobs);
	united_release(&united);
	free(tables);
	vec_for(table, &pass->tables)
		addr_key_table_release(table);
	vec_free(&pass->tables);
}

/* ---- looking up ---- */

struct lookup_batch {
	const struct machine *machine;
	struct unwind_tables *tables;
	struct frameless **frameless;	/* by worker */
	const struct addr_key *keys;
	size_t nr;
	bool code;
};

static void look_up(const struct lookup_batch *l, struct frameless *frameless, const struct addr_key *key)
{
	struct addr_location at;
	uint8_t code[LISTING_INSN_MAX];

	machine_resolve(l->machine, key->space, key->ip, &at);
	if (!at.dso)
		return;
	addr_location_frames(&at);
	if (l->code)
		code_if_known(l->machine, key->space, key->ip, code, sizeof(code));
	frameless_look_up(frameless, key);
	if (!key->calls)
		return;
	can_be_caller(l->machine, key->space, key->ip);
	if (at.addr) {		/* the call instruction is before the return address */
		at.addr--;
		addr_location_frames(&at);
	}
}

static void look_up_batch(void *ctx, unsigned worker, size_t batch)
{
	const struct lookup_batch *l = ctx;
	size_t end = MIN((batch + 1) * BATCH, l->nr);

	if (!worker)
		progress("naming addresses", batch * BATCH, l->nr, PROGRESS_THINGS);
	if (!l->frameless[worker])
		l->frameless[worker] = frameless_new(l->machine, l->tables);
	for (size_t i = batch * BATCH; i < end; i++)
		look_up(l, l->frameless[worker], &l->keys[i]);
}

static void look_up_all(struct session *s, const struct addr_key_table *keys, bool code)
{
	unsigned jobs = session_jobs(s);
	struct lookup_batch l = {
		.machine = session_machine(s), .tables = session_unwind_tables(s),
		.frameless = xcalloc(jobs, sizeof(*l.frameless)), .keys = keys->list.v, .nr = keys->list.nr, .code = code,
	};

	pool_run(jobs, (l.nr + BATCH - 1) / BATCH, look_up_batch, &l);
	for (unsigned i = 0; i < jobs; i++)
		if (l.frameless[i])
			frameless_free(l.frameless[i]);
	free(l.frameless);
	progress_end();
}

/* ---- source text ---- */

struct kept_line { const char *file; uint32_t line; char *text; };	/* .file is borrowed from the machine; .text is owned */
struct kept_lines { VEC(struct kept_line) list; };

ORDER(compare_lines, struct kept_line, strcmp(a->file, b->file) ?: compare_numbers(a->line, b->line))

/* Adds the source files. Each has the needed lines at their line numbers; all other lines are empty. */
static void keep_lines(struct kept_lines *lines, struct archive *out)
{
	struct buf text = {0};

	vec_sort(&lines->list, compare_lines);
	for (size_t i = 0, next; i < lines->list.nr; i = next) {
		const char *file = lines->list.v[i].file;
		uint32_t at = 1;

		text.len = 0;
		for (next = i; next < lines->list.nr && str_eq(lines->list.v[next].file, file); next++) {
			if (next > i && lines->list.v[next].line == lines->list.v[next - 1].line)
				continue;
			buf_fill(&text, '\n', lines->list.v[next].line - at);
			at = lines->list.v[next].line;
			buf_puts(&text, lines->list.v[next].text);
		}
		vec_push(&out->files, ((struct archive_file){
			archive_add_text(out, file), archive_keep(out, text.data, text.len), text.len }));
	}
	buf_release(&text);
	vec_for(line, &lines->list)
		free(line->text);
	vec_free(&lines->list);
}

static void keep_line(struct listing *l, const struct frame *f, struct kept_lines *lines)
{
	const char *text;
	size_t len;

	if (f->file && f->line && listing_source(l, f->file, f->line, &text, &len))
		vec_push(&lines->list, ((struct kept_line){ f->file, f->line, xstrndup(text, len) }));
}

/* Lists the function's code as prec annotate does, so that each instruction, its line and its target are looked up. */
static void list_function(struct session *s, const struct annotation *a, const struct annotated_function *f,
			  struct kept_lines *lines)
{
	struct frame frame;
	struct listing l;
	struct buf text = {0};
	bool inlined;

	listing_init(&l, a, f, s, LISTING_IF_KNOWN);
	vec_for(i, &l.insns) {
		listing_put_insn(&l, i, &text);
		frame = listing_frame(&l, i, &inlined);
		keep_line(&l, &frame, lines);
		text.len = 0;
	}
	listing_release(&l);
	buf_release(&text);
}

static void list_functions(struct session *s, struct kept_lines *lines)
{
	struct annotation a = {0};

	annotation_init(&a, s, NULL, true);
	vec_for(f, &a.functions) {
		progress("listing functions", (uint64_t)(f - a.functions.v), a.functions.nr, PROGRESS_THINGS);
		list_function(s, &a, f, lines);
	}
	progress_end();
	annotation_release(&a);
}

/* ---- the whole ---- */

static void sum_up(const struct archive *a, struct archived_sums *sums)
{
	vec_for(dso, &a->dsos) {
		sums->dsos += dso->path != 0;
		sums->named += dso->symbols.nr;
		sums->lines += dso->places.nr;
	}
}

int session_archive(struct session *s, const struct session_archive_opts *o, struct archive *out, struct archived_sums *sums)
{
	const struct bucket_opts opts = {
		.needs = NEED_ADDRESS | NEED_CHAIN, .max_depth = MAX_DEPTH, .all_callers = true, .filter = o->filter,
	};
	struct machine *m = session_machine(s);
	struct addr_key_table others;
	struct others_pass pass = { .machine = m };
	struct buckets buckets = {0};
	struct kept_lines lines = {0};
	int err;

	machine_track_lookups(m);
	addr_key_table_init(&others, m);
	err = buckets_collect(&buckets, s, &opts);
	if (!err)
		err = session_samples(s, &(struct sample_pass){
			.worker_size = sizeof(struct others_worker), .init = others_init, .sample = on_other_record,
			.merge = merge_others,
		}, &pass);
	unite_others(&others, &pass, session_jobs(s));
	if (!err) {
		look_up_all(s, &buckets.addr_keys, o->code);
		look_up_all(s, &others, false);
		if (o->code)
			list_functions(s, &lines);
		has_jit_names(m);
		archive_add_lookups(out, m);
		keep_lines(&lines, out);
		if (!o->no_unwind)
			unwind_tables_archive(session_unwind_tables(s), out);
		sums->addresses = buckets.addr_keys.list.nr;
		sum_up(out, sums);
	}
	addr_key_table_release(&others);
	buckets_release(&buckets);
	return err;
}
