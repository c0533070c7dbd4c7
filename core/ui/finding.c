/*
 * Keeps a list of findings (problems of a recording, finding.h), and writes the sentence of each finding from its template in
 * finding_sentences.h.
 */
#include "core/ui/finding.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/printable.h"

struct code { const char *name; enum finding_severity severity; const char *sentence, *remedy; };

#define CODE_ROW(id, name, severity, sentence, remedy) [FINDING_##id] = { name, FINDING_##severity, sentence, remedy },
static const struct code codes[] = { FINDING_CODES(CODE_ROW) };
#undef CODE_ROW

static bool same_place(const char *a, const char *b)
{
	return a && b ? str_eq(a, b) : a == b;
}

/* A hostile file may be damaged in a million places. */
#define PLACES_MAX	100
static const char elsewhere[] = "elsewhere";

/* Returns the finding with this code and place, or NULL. If the code has too many places, *where becomes "elsewhere". */
static struct finding *find(struct findings *f, enum finding_code code, const char **where)
{
	unsigned nr_places = 0;

	vec_for(it, &f->list) {
		if (it->code != code)
			continue;
		nr_places++;
		if (same_place(it->where, *where) || (nr_places > PLACES_MAX && str_eq(it->where, elsewhere)))
			return it;
	}
	if (nr_places >= PLACES_MAX)
		*where = elsewhere;
	return NULL;
}

/* Returns the share of two findings together. If their totals are unknown, this is the sum of the shares. */
static double join_shares(const struct finding *a, uint64_t count, uint64_t of, double share)
{
	if (a->share < 0 || share < 0)
		return -1;
	return a->of + of ? (double)(a->count + count) / (double)(a->of + of) : MIN(a->share + share, 1.0);
}

void findings_add_share(struct findings *f, enum finding_code code, uint64_t count, uint64_t of, const char *where,
			double share)
{
	struct finding *has = count ? find(f, code, &where) : NULL;

	if (!count)
		return;
	if (!has) {
		vec_push(&f->list, ((struct finding){ code, count, of, share, where ? xstrdup(where) : NULL, NULL }));
		return;
	}
	has->share = join_shares(has, count, of, share);
	has->count += count;
	has->of += of;
}

void findings_add(struct findings *f, enum finding_code code, uint64_t count, uint64_t of, const char *where)
{
	findings_add_share(f, code, count, of, where, of ? MIN((double)count / (double)of, 1.0) : -1);
}

/* Adds a copy of @it. A finding that is there already keeps its remedy. */
static void add_copy(struct findings *f, const struct finding *it)
{
	const char *where = it->where;
	struct finding *has;

	findings_add_share(f, it->code, it->count, it->of, it->where, it->share);
	has = it->remedy ? find(f, it->code, &where) : NULL;
	if (has && !has->remedy)
		has->remedy = xstrdup(it->remedy);
}

void findings_merge(struct findings *f, const struct findings *other)
{
	vec_for(it, &other->list)
		add_copy(f, it);
}

void findings_unite(struct findings *f, const struct findings *other)
{
	vec_for(it, &other->list) {
		const char *where = it->where;
		struct finding *has = find(f, it->code, &where);

		if (!has) {
			add_copy(f, it);
		} else if (it->count > has->count) {
			has->count = it->count;
			has->of = it->of;
			has->share = it->share;
		}
	}
}

/* The share that a finding is sorted by. If it is unknown, a warning may affect all samples; a note affects none. */
static double weight(const struct finding *f)
{
	return f->share >= 0 ? f->share : codes[f->code].severity == FINDING_NOTE ? 0 : 1;
}

static int compare_findings(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	enum finding_severity sx = finding_severity(x), sy = finding_severity(y);
	double share_x = weight(x), share_y = weight(y);

	if (sx != sy)
		return sx > sy ? -1 : 1;
	if (finding_matters(x) != finding_matters(y))
		return finding_matters(x) ? -1 : 1;
	if (share_x < share_y || share_x > share_y)
		return share_x > share_y ? -1 : 1;
	return x->code != y->code ? compare_numbers(x->code, y->code) : strcmp(x->where ? x->where : "", y->where ? y->where : "");
}

static void release(struct finding *f)
{
	free(f->where);
	free(f->remedy);
}

/* Adds the count and place of @from to @to, and releases @from. */
static void join(struct finding *to, struct finding *from)
{
	char *where = xasprintf("%s, %s", to->where, from->where);

	to->count += from->count;
	to->share = MIN((double)to->count / (double)to->of, 1.0);
	free(to->where);
	release(from);
	to->where = where;
}

/* Makes @from, in which the recorder says how to avoid its losses, the remedy of @loss, and releases @from. */
static void take_remedy(struct finding *loss, struct finding *from)
{
	struct buf text = {0};

	if (!loss->remedy) {
		finding_sentence(from, &text);
		buf_str(&text);
		loss->remedy = text.data;
	}
	release(from);
}

/* Joins broken chains, which are found with and without known maps, to one finding, and the worst loss with its remedy. */
static void join_related(struct findings *f)
{
	struct finding *chains = NULL, *loss = NULL;
	size_t nr = 0;

	vec_for(it, &f->list) {
		bool broken = it->code == FINDING_CHAINS_BROKEN && it->of && it->where;
		bool lost = it->code == FINDING_LOST_SAMPLES || it->code == FINDING_LOST_RECORDS;

		if (broken && chains && chains->of == it->of) {
			join(chains, it);
		} else if (it->code == FINDING_LOSS_REMEDY && loss) {
			take_remedy(loss, it);
		} else {
			f->list.v[nr] = *it;
			chains = broken && !chains ? &f->list.v[nr] : chains;
			loss = lost && !loss ? &f->list.v[nr] : loss;
			nr++;
		}
	}
	f->list.nr = nr;
}

void findings_sort(struct findings *f)
{
	if (!f->list.nr)
		return;
	vec_sort(&f->list, compare_findings);
	join_related(f);
	vec_sort(&f->list, compare_findings);
}

void findings_release(struct findings *f)
{
	vec_for(it, &f->list)
		release(it);
	vec_free(&f->list);
}

bool finding_matters(const struct finding *f)
{
	bool nameless = f->code == FINDING_NO_SYMBOL || f->code == FINDING_JS_UNNAMED;

	return finding_severity(f) > FINDING_NOTE || (nameless && f->share >= FINDING_MUCH);
}

bool findings_have(const struct findings *f, enum finding_severity at_least)
{
	vec_for(it, &f->list)
		if (codes[it->code].severity >= at_least)
			return true;
	return false;
}

double findings_concern(const struct findings *f)
{
	double sum = 0;

	vec_for(it, &f->list)
		if (codes[it->code].severity >= FINDING_WARNING)
			sum += it->share < 0 ? 1 : it->share;
	return MIN(sum, 1.0);
}

const char *finding_name(enum finding_code code)
{
	return codes[code].name;
}

enum finding_severity finding_severity(const struct finding *f)
{
	enum finding_severity severity = codes[f->code].severity;

	return severity == FINDING_WARNING && f->share >= 0 && f->share < FINDING_LEAST ? FINDING_NOTE : severity;
}

const char *finding_severity_name(enum finding_severity severity)
{
	static const char *const names[] = { [FINDING_NOTE] = "note", [FINDING_WARNING] = "warning", [FINDING_DAMAGE] = "damage" };

	return names[severity];
}

/* Appends the value of the placeholder @name: one|many, n, of or where. Returns false if it has no value. */
static bool put_value(const struct finding *f, const char *name, size_t len, struct buf *out)
{
	const char *bar = memchr(name, '|', len);

	if (bar) {
		if (f->count == 1)
			buf_put(out, name, (size_t)(bar - name));
		else
			buf_put(out, bar + 1, len - (size_t)(bar + 1 - name));
		return true;
	}
	if (len == 1) {
		buf_dec(out, f->count, 0);
		return true;
	}
	if (len == 2) {
		buf_dec(out, f->of, 0);
		return f->of;
	}
	buf_put_printable(out, f->where ? f->where : "");
	return f->where;
}

static void put_template(const struct finding *f, const char *t, struct buf *out)
{
	size_t optional = 0;		/* where the part in brackets begins */
	bool lacks = false;		/* a placeholder in that part has no value */

	for (; *t; t++) {
		const char *end = *t == '{' ? strchr(t, '}') : NULL;

		if (end) {
			lacks |= !put_value(f, t + 1, (size_t)(end - t - 1), out);
			t = end;
		} else if (*t == '[') {
			optional = out->len;
			lacks = false;
		} else if (*t == ']') {
			out->len = lacks ? optional : out->len;
		} else {
			buf_putc(out, *t);
		}
	}
}

void finding_sentence(const struct finding *f, struct buf *out)
{
	put_template(f, codes[f->code].sentence, out);
}

/* True for names with commas between them, as "libc.so.6, bash". False for a sentence that has commas. */
static bool is_list(const char *where)
{
	bool several = false;

	for (const char *p = strchr(where, ' '); p; p = strchr(p + 1, ' ')) {
		if (p == where || p[-1] != ',')
			return false;
		several = true;
	}
	return several;
}

void finding_short_sentence(const struct finding *f, struct buf *out)
{
	struct finding first = *f;

	if (f->where && is_list(f->where))
		first.where = xasprintf("%.*s, ...", (int)strcspn(f->where, ","), f->where);
	finding_sentence(&first, out);
	if (first.where != f->where)
		free(first.where);
}

void finding_remedy(const struct finding *f, struct buf *out)
{
	if (f->remedy)
		buf_puts(out, f->remedy);
	else
		put_template(f, codes[f->code].remedy, out);
}
