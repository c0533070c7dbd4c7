/*
 * Writes the HTML page of prec export: the template (page.html) with the profile inside. The profile is a JSON text followed by
 * columns of numbers, all compressed with deflate and encoded in base64. data.js describes this format.
 */
#include "core/show/export/html/html.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "core/compression/deflate.h"
#include "core/ui/finding.h"
#include "core/base/json.h"
#include "core/base/varint.h"
#include "core/show/export/html/thin.h"
#include "core/show/export/writers.h"

extern const char html_page[];	/* the template, with @ENCODING@ and @DATA@; ends with NUL */

#ifndef HTML_PAGE
#define HTML_PAGE "core/show/export/html/page.html"	/* for tools that only look at this file: the page before it is assembled */
#endif

__asm__(".pushsection .rodata\n"
	".global html_page\n"
	"html_page:\n"
	".incbin \"" HTML_PAGE "\"\n"
	".byte 0\n"
	".popsection\n");

struct part { size_t end; enum deflate_effort effort; };

struct page {
	const struct profile *profile;
	const struct profile_data *d;
	struct thin thin;		/* the samples, stacks and threads of the page */
	struct buf text, columns;	/* .text: the JSON text; .columns: the columns of numbers */
	VEC(struct part) parts;		/* parts of .columns */
	struct json json;		/* writes .text */
	struct buf list;		/* the list of the columns, as JSON */
	uint64_t tick;			/* ns: the unit of the samples' times */
};

/* ---- columns ---- */

struct column {
	char kind;			/* u, z or d, as data.js describes them */
	char *to;			/* where the next value goes; memory for all is reserved */
	uint64_t last;
};

static struct column begin_column(struct page *page, char kind, size_t nr)
{
	return (struct column){ .kind = kind, .to = buf_room(&page->columns, nr * VARINT_MAX) };
}

static inline void put(struct column *c, uint64_t v)
{
	c->to = write_varint(c->to, c->kind == 'u' ? v : zigzag(c->kind == 'd' ? v - c->last : v));
	c->last = v;
}

/* Ends column @c. @wide: its values need more than 31 bits. */
static void end_column(struct page *page, struct column c, const char *name, bool wide, size_t nr)
{
	size_t end = (size_t)(c.to - page->columns.data);

	buf_printf(&page->list, "%s[\"%s\",\"%c\",%d,%zu,%zu]", page->list.len ? "," : "", name, c.kind, wide ? 8 : 4, nr,
		   end - page->columns.len);
	page->columns.len = end;
}

#define COLUMN(page, name, kind, wide, table, row, value) do {		\
	struct column column_ = begin_column(page, kind, (table)->nr);	\
	vec_for(row, table)						\
		put(&column_, value);					\
	end_column(page, column_, name, wide, (table)->nr);		\
} while (0)

static void end_part(struct page *page, enum deflate_effort effort)
{
	vec_push(&page->parts, ((struct part){ page->columns.len, effort }));
}

/* @number, or -1 for PROFILE_NONE. */
static uint64_t or_minus_one(uint32_t number)
{
	return number == PROFILE_NONE ? UINT64_MAX : number;
}

static uint64_t function_flags(const struct profile_function *f)
{
	return (f->inlined ? 1 : 0) | (f->level == 'k' || f->level == 'g' ? 2 : 0) | (f->name ? 0 : 4) | (f->level == 'p' ? 8 : 0) |
	       (f->level == 'j' ? 16 : 0);
}

/* The page calculates in doubles, so the high bits of kernel addresses, which are all ones, are removed. */
static uint64_t short_address(uint64_t address)
{
	return address & ((1ull << 52) - 1);
}

/* Writes the functions. The last one is "(merged)", whose name is the string after those of the profile. */
static void put_functions(struct page *page)
{
	struct profile_function merged = { .name = (uint32_t)page->d->nr_strings, .dso = PROFILE_NONE };
	VEC(struct profile_function) functions = {0};

	vec_append(&functions, &page->d->functions);
	vec_push(&functions, merged);
	COLUMN(page, "function.name", 'u', false, &functions, f, f->name);
	COLUMN(page, "function.dso", 'z', false, &functions, f, or_minus_one(f->dso));
	COLUMN(page, "function.flags", 'u', false, &functions, f, function_flags(f));
	COLUMN(page, "function.address", 'd', true, &functions, f, short_address(f->address));
	vec_free(&functions);
}

/* Writes the frames: those of the profile, one for "(merged)", and those of functions whose stacks were merged. */
static void put_frames(struct page *page)
{
	const struct profile_data *d = page->d;
	VEC(struct profile_frame) frames = {0};

	vec_append(&frames, &d->frames);
	vec_push(&frames, ((struct profile_frame){ .function = (uint32_t)d->functions.nr }));
	vec_for(function, &page->thin.stacks.functions)
		vec_push(&frames, ((struct profile_frame){ *function, .address = d->functions.v[*function].address }));
	COLUMN(page, "frame.function", 'd', false, &frames, f, f->function);
	/* A function without a name has 0: the address is the function's. */
	COLUMN(page, "frame.offset", 'z', true, &frames, f, f->function == d->functions.nr ? 0 :
	       short_address(f->address) - short_address(d->functions.v[f->function].address));
	COLUMN(page, "frame.file", 'u', false, &frames, f, f->file);
	COLUMN(page, "frame.line", 'u', false, &frames, f, f->line);
	vec_free(&frames);
}

static void put_stacks(struct page *page)
{
	const struct thin_stacks *t = &page->thin.stacks;
	/* The root is left out, so the number of a stack is that of the node - 1. */
	const struct { const struct page_stack *v; size_t nr; } nodes = { t->nodes.v + 1, t->nodes.nr - 1 };

	COLUMN(page, "stack.parent", 'd', false, &nodes, n, n->parent);
	end_part(page, DEFLATE_RUNS);
	COLUMN(page, "stack.frame", 'd', false, &nodes, n, n->frame);
	end_part(page, DEFLATE_QUICK);
}

static void put_code(struct page *page)
{
	const struct profile_data *d = page->d;

	COLUMN(page, "insn.function", 'd', false, &d->insns, i, i->function);
	COLUMN(page, "insn.address", 'd', true, &d->insns, i, short_address(i->address));
	COLUMN(page, "insn.size", 'u', false, &d->insns, i, i->size);
	COLUMN(page, "insn.text", 'u', false, &d->insns, i, i->text);
	COLUMN(page, "insn.jump", 'z', true, &d->insns, i, i->target ? i->target - i->address : 0);
	COLUMN(page, "insn.file", 'd', false, &d->insns, i, i->file);
	COLUMN(page, "insn.line", 'd', false, &d->insns, i, i->line);
	COLUMN(page, "insn.inlined", 'd', false, &d->insns, i, i->inlined);
	COLUMN(page, "source.file", 'd', false, &d->sources, s, s->file);
	COLUMN(page, "source.line", 'd', false, &d->sources, s, s->line);
	COLUMN(page, "source.text", 'u', false, &d->sources, s, s->text);
}

#define COARSE_TICK 1000u

/* With many samples, nanoseconds would take a fifth of the page's size, although no pixel shows them. */
static uint64_t tick_of(const struct profile_data *d)
{
	return d->nr_samples > 100000 ? COARSE_TICK : 1;
}

/* Converts ns to ticks. The divisor is a constant, because the division then takes a tenth of the time. */
static inline uint64_t ticks(uint64_t ns, bool exact)
{
	return exact ? ns : ns / COARSE_TICK;
}

static void put_samples(struct page *page)
{
	const struct thin *thin = &page->thin;
	const struct page_class *c = thin->classes.v;
	bool exact = page->tick == 1;

	COLUMN(page, "sample.event", 'd', false, &thin->samples, s, c[s->class].event);
	COLUMN(page, "sample.thread", 'd', false, &thin->samples, s, c[s->class].thread);
	COLUMN(page, "sample.cpu", 'z', false, &thin->samples, s, or_minus_one(c[s->class].cpu));
	end_part(page, DEFLATE_RUNS);
	COLUMN(page, "sample.stack", 'u', false, &thin->samples, s, c[s->class].stack);
	end_part(page, DEFLATE_QUICK);
	COLUMN(page, "sample.weight", 'd', true, &thin->samples, s, s->period);
	COLUMN(page, "sample.count", 'u', false, &thin->samples, s, s->nr);
	if (page->d->nr_samples)
		COLUMN(page, "sample.time", 'd', true, &thin->samples, s, ticks(s->time, exact));
	end_part(page, DEFLATE_RUNS);
}

/* The page has times since the first sample. They may be negative, because intervals and instants may be before it. */
static uint64_t since_first(const struct page *page, uint64_t time)
{
	return time - page->d->info.first_time;
}

/* The number in the page of a thread of the profile; -1: no thread. */
static uint64_t thread_of(const struct page *page, uint32_t thread)
{
	return thread == PROFILE_NONE ? UINT64_MAX : page->thin.threads.of[thread];
}

static void put_happenings(struct page *page)
{
	const struct profile_data *d = page->d;
	const uint32_t *stacks = page->thin.stacks.of;

	COLUMN(page, "interval.thread", 'z', false, &d->intervals, i, thread_of(page, i->thread));
	COLUMN(page, "interval.cpu", 'z', false, &d->intervals, i, or_minus_one(i->cpu));
	COLUMN(page, "interval.begin", 'd', true, &d->intervals, i, since_first(page, i->begin));
	COLUMN(page, "interval.end", 'd', true, &d->intervals, i, since_first(page, i->end));
	COLUMN(page, "interval.stack", 'd', false, &d->intervals, i, stacks[i->stack]);
	COLUMN(page, "interval.kind", 'u', false, &d->intervals, i, i->kind);
	COLUMN(page, "instant.thread", 'z', false, &d->instants, i, thread_of(page, i->thread));
	COLUMN(page, "instant.time", 'd', true, &d->instants, i, since_first(page, i->time));
	COLUMN(page, "instant.value", 'u', true, &d->instants, i, i->value);
	COLUMN(page, "instant.kind", 'u', false, &d->instants, i, i->kind);
	COLUMN(page, "link.from", 'z', false, &d->links, l, thread_of(page, l->from_thread));
	COLUMN(page, "link.to", 'z', false, &d->links, l, thread_of(page, l->to_thread));
	COLUMN(page, "link.begin", 'd', true, &d->links, l, since_first(page, l->from_time));
	COLUMN(page, "link.end", 'd', true, &d->links, l, since_first(page, l->to_time));
	COLUMN(page, "link.kind", 'u', false, &d->links, l, l->kind);
}

static void put_calls(struct page *page)
{
	const struct profile_data *d = page->d;

	COLUMN(page, "call.thread", 'd', false, &d->calls, c, thread_of(page, c->thread));
	COLUMN(page, "call.begin", 'd', true, &d->calls, c, since_first(page, c->begin));
	COLUMN(page, "call.length", 'u', true, &d->calls, c, c->end - c->begin);
	COLUMN(page, "call.stack", 'd', false, &d->calls, c, page->thin.stacks.of[c->stack]);
	COLUMN(page, "call.flags", 'u', false, &d->calls, c, c->flags);
}

/* ---- the JSON text ---- */

static const char *text_of(const struct page *page, uint32_t string)
{
	return profile_string(page->profile, string);
}

static void put_fact(struct page *page, const char *name, const char *value)
{
	if (!*value)
		return;
	json_open(&page->json, '[');
	json_string(&page->json, name);
	json_string(&page->json, value);
	json_close(&page->json, ']');
}

/* Writes the date in UTC, so the page does not depend on the time zone. */
static void put_date(struct page *page, time_t recorded)
{
	char text[64];
	struct tm tm;

	if (recorded && gmtime_r(&recorded, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &tm))
		put_fact(page, "Recorded", text);
}

static void put_facts(struct page *page)
{
	const struct profile_info *info = &page->d->info;
	struct buf duration = {0};

	json_key_open(&page->json, "facts", '[');
	put_fact(page, "Command", text_of(page, info->command));
	put_date(page, info->recorded);
	put_fact(page, "Host", text_of(page, info->hostname));
	put_fact(page, "Kernel", text_of(page, info->os_release));
	put_fact(page, "Architecture", text_of(page, info->arch));
	put_fact(page, "CPU", text_of(page, info->cpu));
	if (info->first_time <= info->last_time) {
		buf_printf(&duration, "%.3f s from the first sample to the last",
			   (double)(info->last_time - info->first_time) / 1e9);
		put_fact(page, "Time", buf_str(&duration));
	}
	buf_release(&duration);
	json_close(&page->json, ']');
}

static void put_events(struct page *page)
{
	struct buf rate = {0};

	json_key_open(&page->json, "events", '[');
	vec_for(e, &page->d->events) {
		rate.len = 0;
		if (e->rate)
			buf_printf(&rate, e->by_frequency ? "%" PRIu64 " a second asked for" : "one every %" PRIu64, e->rate);
		json_open(&page->json, '{');
		json_key_string(&page->json, "name", text_of(page, e->name));
		json_key_string(&page->json, "unit", profile_unit_name(e->unit));
		json_key_string(&page->json, "rate", buf_str(&rate));
		json_key_u64(&page->json, "samples", e->nr + e->nr_filtered);
		json_key_u64(&page->json, "total", e->period + e->period_filtered);
		json_close(&page->json, '}');
	}
	json_close(&page->json, ']');
	buf_release(&rate);
}

/* The name of merged threads says how many they are. Their pid and tid say whose they are. */
static void put_merged_thread(struct page *page, const struct page_thread *t, const struct profile_process *process)
{
	const char *name = t->scope == THIN_ALL ? "" : text_of(page, process->name);
	struct buf pid = {0}, tid = {0}, more = {0};

	buf_printf(&more, "%u more threads", t->nr);
	if (t->scope == THIN_PROCESS)
		buf_printf(&pid, "%d", (int32_t)process->pid);
	else
		buf_printf(&pid, "others%s%s", *name ? " of " : "", name);
	buf_printf(&tid, "of %s", t->scope == THIN_PROCESS ? buf_str(&pid) : *name ? name : "others");
	json_key(&page->json, "pid");
	if (t->scope == THIN_PROCESS)
		json_i64(&page->json, (int32_t)process->pid);
	else
		json_string(&page->json, buf_str(&pid));
	json_key_string(&page->json, "tid", buf_str(&tid));
	json_key_string(&page->json, "name", buf_str(&more));
	json_key_string(&page->json, "process", t->scope == THIN_PROCESS ? name : "");
	buf_release(&pid);
	buf_release(&tid);
	buf_release(&more);
}

static void put_thread(struct page *page, const struct profile_thread *t, const struct profile_process *process)
{
	json_key_i64(&page->json, "pid", (int32_t)process->pid);
	json_key_i64(&page->json, "tid", (int32_t)t->tid);
	json_key_string(&page->json, "name", text_of(page, page->d->names.v[t->first_name + t->nr_names - 1].name));
	json_key_string(&page->json, "process", text_of(page, process->name));
}

static void put_threads(struct page *page)
{
	const struct profile_data *d = page->d;

	json_key_open(&page->json, "threads", '[');
	vec_for(t, &page->thin.threads.list) {
		const struct profile_thread *thread = &d->threads.v[t->thread];

		json_open(&page->json, '{');
		if (t->scope == THIN_ONE_THREAD)
			put_thread(page, thread, &d->processes.v[thread->process]);
		else
			put_merged_thread(page, t, &d->processes.v[thread->process]);
		json_close(&page->json, '}');
	}
	json_close(&page->json, ']');
}

static void put_dsos(struct page *page)
{
	json_key_open(&page->json, "dsos", '[');
	vec_for(dso, &page->d->dsos) {
		json_open(&page->json, '{');
		json_key_string(&page->json, "name", text_of(page, dso->name));
		json_key_string(&page->json, "path", text_of(page, dso->path));
		json_key_string(&page->json, "kind", profile_dso_kind_name(dso->kind));
		json_close(&page->json, '}');
	}
	json_close(&page->json, ']');
}

static void put_findings(struct page *page, const struct findings *findings)
{
	struct buf text = {0};

	json_key_open(&page->json, "findings", '[');
	for (size_t i = 0; findings && i < findings->list.nr; i++) {
		const struct finding *f = &findings->list.v[i];

		json_open(&page->json, '{');
		json_key_string(&page->json, "code", finding_name(f->code));
		json_key_string(&page->json, "severity", finding_severity_name(finding_severity(f)));
		json_key_bool(&page->json, "small", f->share >= 0 && f->share < FINDING_LEAST);
		json_key_bool(&page->json, "much", f->share >= FINDING_MUCH);
		json_key(&page->json, "text");
		text.len = 0;
		finding_sentence(f, &text);
		json_string_n(&page->json, text.data, text.len);
		json_key(&page->json, "remedy");
		text.len = 0;
		finding_remedy(f, &text);
		json_string_n(&page->json, text.data, text.len);
		json_close(&page->json, '}');
	}
	json_close(&page->json, ']');
	buf_release(&text);
}

static void put_waits(struct page *page, const struct export_opts *opts)
{
	json_key_open(&page->json, "waits", '[');
	for (const struct export_wait *w = opts->waits; w < opts->waits + opts->nr_waits; w++) {
		json_open(&page->json, '{');
		json_key_string(&page->json, "name", w->text);
		json_key_string(&page->json, "of", w->function ? w->function : "");
		json_key_u64(&page->json, "weight", w->ns);
		json_close(&page->json, '}');
	}
	json_close(&page->json, ']');
}

static void put_strings(struct page *page)
{
	json_key_open(&page->json, "strings", '[');
	for (size_t i = 0; i < page->d->nr_strings; i++)
		json_string(&page->json, text_of(page, (uint32_t)i));
	json_string(&page->json, "(merged)");
	json_close(&page->json, ']');
}

static void put_merged(struct page *page)
{
	struct buf text = {0};

	thin_sentence(&page->thin, page->profile, &text);
	if (page->d->joined_ns)
		buf_printf(&text, "%sintervals and marks less than %" PRIu64 " ns apart are one", text.len ? "; " : "",
			   page->d->joined_ns);
	if (page->tick > 1)
		buf_printf(&text, "%stimes of samples are kept to the microsecond", text.len ? "; " : "");
	json_key_string(&page->json, "merged", buf_str(&text));
	buf_release(&text);
}

static void make_text(struct page *page, const struct findings *findings, const struct export_opts *opts)
{
	struct json *j = &page->json;
	const char *command = text_of(page, page->d->info.command);

	json_open(j, '{');
	json_key_string(j, "title", *command ? command : "profile");
	put_facts(page);
	put_events(page);
	put_threads(page);
	put_dsos(page);
	put_findings(page, findings);
	put_merged(page);
	json_key_string(j, "processes", opts->processes ? opts->processes : "");
	json_key_u64(j, "smallProcesses", opts->small_processes);
	put_waits(page, opts);
	json_key_u64(j, "tick", page->tick);
	put_strings(page);
	json_key_open(j, "columns", '[');
	buf_put(&page->text, page->list.data, page->list.len);
	json_close(j, ']');
	json_close(j, '}');
}

/* ---- the page ---- */

#define SLICE (1u << 20)

/* Three bytes become four letters, so up to two bytes wait for the next call, except at the end. */
static void put_letters(struct buf *packed, struct outfile *out, bool all)
{
	size_t n = all ? packed->len : packed->len / 3 * 3;

	buf_put_base64(&out->buf, packed->data, n);
	memmove(packed->data, packed->data + n, packed->len - n);
	packed->len -= n;
	outfile_maybe_flush(out);
}

static void deflate_slices(struct deflate *d, const char *p, size_t n, struct buf *packed, struct outfile *out)
{
	for (size_t part; n; p += part, n -= part) {
		part = MIN(n, SLICE);
		deflate_put(d, p, part);
		put_letters(packed, out, false);
	}
}

static void put_data(const struct page *page, struct outfile *out)
{
	struct buf packed = {0};
	struct deflate *d = deflate_begin(DEFLATE_RAW, &packed);
	size_t at = 0;
	uint8_t size[4];

	for (int i = 0; i < 4; i++)
		size[i] = (uint8_t)(page->text.len >> 8 * i);
	deflate_put(d, size, sizeof(size));
	deflate_slices(d, page->text.data, page->text.len, &packed, out);
	vec_for(part, &page->parts) {
		deflate_effort(d, part->effort);
		deflate_slices(d, page->columns.data + at, part->end - at, &packed, out);
		at = part->end;
	}
	deflate_end(d);
	put_letters(&packed, out, true);
	buf_release(&packed);
}

/* Reserves memory for all columns, so that they are never moved. Pages that are not needed stay untouched. */
static void reserve_columns(struct page *page)
{
	buf_room(&page->columns, page->thin.samples.nr * (VARINT_MAX + 12) + page->thin.stacks.nodes.nr * (VARINT_MAX + 6));
}

static void put_columns(struct page *page)
{
	reserve_columns(page);
	put_functions(page);
	put_frames(page);
	end_part(page, DEFLATE_USUAL);
	put_stacks(page);
	put_code(page);
	end_part(page, DEFLATE_USUAL);
	put_samples(page);
	put_happenings(page);
	put_calls(page);
	end_part(page, DEFLATE_USUAL);
}

void html_put(const struct profile *p, const struct findings *findings, const struct export_opts *opts, struct outfile *out)
{
	struct page page = { .profile = p, .d = profile_data(p) };
	const char *encoding = strstr(html_page, "@ENCODING@"), *data = strstr(encoding, "@DATA@");

	page.json.out = &page.text;
	page.tick = tick_of(page.d);
	thin_profile(&page.thin, p, opts->max_rows ? opts->max_rows : HTML_MAX_ROWS);
	put_columns(&page);
	make_text(&page, findings, opts);
	thin_release(&page.thin);
	buf_put(&out->buf, html_page, (size_t)(encoding - html_page));
	buf_puts(&out->buf, "deflate-raw");
	encoding += strlen("@ENCODING@");
	buf_put(&out->buf, encoding, (size_t)(data - encoding));
	put_data(&page, out);
	buf_puts(&out->buf, data + strlen("@DATA@"));
	buf_release(&page.text);
	buf_release(&page.columns);
	buf_release(&page.list);
	vec_free(&page.parts);
}

static void begin(struct export *x)
{
	html_put(x->profile, x->findings, x->opts, x->out);
}

const struct profile_writer html_writer = {
	.name = "html", .suffixes = ".html .htm", .description = "a page that shows the profile, in any browser",
	.frames = PROFILE_BY_ADDRESS, .flags = WRITER_TIMES | WRITER_TIMELINE | WRITER_CODE | WRITER_SUMMARY, .begin = begin,
};
