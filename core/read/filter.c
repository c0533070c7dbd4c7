/* Parses the options that select samples (lists of names and numbers, ranges of time), and applies them to samples. */
#include "core/read/filter.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/id_set.h"
#include "core/base/log.h"
#include "core/model/interpreter.h"
#include "core/model/python.h"
#include "core/read/session.h"
#include "core/read/source.h"

#define NS_PER_SEC 1000000000ull

struct word_list {
	char *text;		/* owned; the words point into it */
	VEC(const char *) words;
};

struct filter {
	struct word_list comms, dsos, symbols;	/* .symbols: some may be .addresses */
	VEC(uint64_t) addresses;
	uint64_t addr_range;
	VEC(uint32_t) pids, tids;	/* ascending */
	VEC(uint32_t) sockets;		/* from --socket-filter */
	const struct features *features;	/* borrowed from the session */
	struct cpus cpus;
	VEC(struct time_span) spans;
	struct switches switches;
	bool by_cpu, by_time;
	bool jit;			/* .dsos has code made at run time, too */
};

/* ---- lists ---- */

static void split(struct word_list *l, char separator)
{
	for (char *word = l->text, *next; word; word = next) {
		next = strchr(word, separator);
		if (next)
			*next++ = '\0';
		if (*word)
			vec_push(&l->words, word);
	}
}

static int parse_words(struct word_list *l, const char *arg, const char *what)
{
	struct buf text = {0};
	int err;

	if (!arg)
		return 0;
	if (!str_starts(arg, "file://")) {
		l->text = xstrdup(arg);
		split(l, strchr(arg, '\n') ? '\n' : ',');
		return l->words.nr ? 0 : error("the list of %s is empty", what);
	}
	arg += strlen("file://");
	err = read_file(arg, &text);
	if (err) {
		buf_release(&text);
		return error("cannot read the list of %s '%s': %s", what, arg, strerror(-err));
	}
	l->text = xstrndup(text.data, text.len);
	buf_release(&text);
	split(l, '\n');
	return 0;
}

static bool has_word(const struct word_list *l, const char *s)
{
	vec_for(word, &l->words)
		if (str_eq(*word, s))
			return true;
	return false;
}

/* Takes "python" for "[python]", which the shell would take as a pattern, and "jit" for all dsos of code made at run time. */
static int parse_dsos(struct filter *f, const char *arg)
{
	int err = parse_words(&f->dsos, arg, "dsos");

	if (!err && has_word(&f->dsos, "python"))
		vec_push(&f->dsos.words, PYTHON_NAME);
	f->jit = !err && has_word(&f->dsos, "jit");
	return err;
}

bool filter_names_symbol(const char *word, const char *symbol)
{
	size_t n = strlen(word);

	return n && !strncmp(symbol, word, n) && (!symbol[n] || symbol[n] == '(');
}

static bool has_symbol(const struct word_list *l, const char *symbol)
{
	vec_for(word, &l->words)
		if (filter_names_symbol(*word, symbol))
			return true;
	return false;
}

ORDER(compare_u32, uint32_t, compare_numbers(*a, *b))

/* A list of process or thread numbers into the VEC(uint32_t) at @list. */
#define parse_ids(list, arg, what) \
	(parse_id_list(&(list)->v, &(list)->nr, arg, what))

static int parse_id_list(uint32_t **v, size_t *nr, const char *arg, const char *what)
{
	VEC(uint32_t) ids = {0};

	for (const char *s = arg; s && *s;) {
		char *end;
		unsigned long long id;

		errno = 0;
		id = strtoull(s, &end, 10);
		if (!isdigit((unsigned char)*s) || errno || id > UINT32_MAX || (*end && *end != ',')) {
			vec_free(&ids);
			return error("'%s' is no list of %s: a number is expected at '%s'", arg, what, s);
		}
		vec_push(&ids, (uint32_t)id);
		s = *end ? end + 1 : end;
	}
	vec_sort(&ids, compare_u32);
	*v = ids.v;
	*nr = ids.nr;
	return 0;
}

static bool has_id(const uint32_t *v, size_t nr, uint32_t id)
{
	return bsearch(&id, v, nr, sizeof(id), compare_u32);
}

static int parse_cpus(struct filter *f, const char *arg)
{
	const char *bad;

	if (!arg)
		return 0;
	if (cpus_parse(&f->cpus, arg, &bad))
		return error("'%s' is no list of CPUs: a number or a range is expected at '%s'", arg, bad);
	f->by_cpu = true;
	return 0;
}

/* Prints errors. Returns 0 or -1. */
static int parse_sockets(struct filter *f, const char *arg, const struct session *s)
{
	f->features = session_features(s);
	if (parse_ids(&f->sockets, arg, "sockets"))
		return -1;
	if (arg && !f->sockets.nr)
		return error("the list of sockets is empty");
	return arg && !f->features->cpu_topology.nr ? error("'%s' does not say which CPUs are on which socket",
							    session_file(s)->path) : 0;
}

static bool on_socket(const struct filter *f, const struct item *item)
{
	uint32_t cpu = item->event->layout.cpu_at >= 0 ? item->sample->cpu : UINT32_MAX;

	return cpu < f->features->cpu_topology.nr && has_id(f->sockets.v, f->sockets.nr, f->features->cpu_topology.v[cpu].socket);
}

/* Parses the symbols that are addresses. Prints errors. Returns 0 or -1. */
static int parse_addresses(struct filter *f, const struct filter_opts *o)
{
	vec_for(word, &f->symbols.words) {
		char *end;
		uint64_t addr;

		if (!str_starts(*word, "0x"))
			continue;
		errno = 0;
		addr = strtoull(*word + 2, &end, 16);
		if (end == *word + 2 || *end || errno)
			continue;
		if (!o->addresses)
			return error("'%s' is an address: -S takes names of functions here, and addresses in prec script", *word);
		vec_push(&f->addresses, addr);
	}
	f->addr_range = o->addr_range;
	return o->addr_range && !f->addresses.nr ?
	       error("--addr-range is counted from the addresses that -S names: -S 0x4007a0 --addr-range 10") : 0;
}

static bool is_listed_address(const struct filter *f, uint64_t ip)
{
	vec_for(addr, &f->addresses)
		if (ip == *addr || (ip > *addr && ip - *addr < f->addr_range))
			return true;
	return false;
}

/* ---- time ---- */

int filter_parse_seconds(const char *s, const char **end, uint64_t *out)
{
	uint64_t sec = 0, ns = 0;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	for (; isdigit((unsigned char)*s); s++)
		if (__builtin_mul_overflow(sec, 10, &sec) || __builtin_add_overflow(sec, (uint64_t)(*s - '0'), &sec))
			return -EINVAL;
	if (*s == '.') {
		uint64_t digit = NS_PER_SEC / 10;

		for (s++; isdigit((unsigned char)*s); s++, digit /= 10)
			ns += (uint64_t)(*s - '0') * digit;
	}
	*end = s;
	return __builtin_mul_overflow(sec, NS_PER_SEC, &sec) || __builtin_add_overflow(sec, ns, out) ? -EINVAL : 0;
}

/* The same, or "+seconds" since the first sample. */
static int parse_moment(const struct session_counts *c, const char *s, const char **end, uint64_t *out)
{
	if (*s != '+')
		return filter_parse_seconds(s, end, out);
	return filter_parse_seconds(s + 1, end, out) || __builtin_add_overflow(*out, c->first_time, out) ? -EINVAL : 0;
}

/* "[start],[stop]": both ends belong to the span, as in perf. */
static int parse_clock_span(struct filter *f, const struct session_counts *c, const char **at)
{
	struct time_span span = { 0, UINT64_MAX };
	const char *s = *at;

	if (*s != ',' && parse_moment(c, s, &s, &span.from))
		return -EINVAL;
	if (*s != ',')
		return -EINVAL;
	s++;
	if (*s && *s != ' ') {
		if (parse_moment(c, s, &s, &span.to) || span.to < span.from)
			return -EINVAL;
		span.to += span.to < UINT64_MAX;
	}
	vec_push(&f->spans, span);
	*at = s;
	return 0;
}

static int parse_percent(const char *s, const char **end, double *out)
{
	char *stop;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	*out = strtod(s, &stop);
	if (*stop != '%' || *out > 100)
		return -EINVAL;
	*end = stop + 1;
	return 0;
}

static struct time_span percent_span(const struct session_counts *c, double from, double to)
{
	double length = (double)(c->last_time - c->first_time);
	struct time_span span;

	span.from = c->first_time + (uint64_t)(length * from / 100);
	span.to = to >= 100 ? c->last_time + 1 : c->first_time + (uint64_t)(length * to / 100);
	return span;
}

/* "10%" (the first tenth), "10%/2" (the second), "10%-20%". */
static int parse_percent_span(struct filter *f, const struct session_counts *c, const char **at)
{
	double from = 0, to, slice;
	const char *s = *at;
	char *end;

	if (parse_percent(s, &s, &to))
		return -EINVAL;
	if (*s == '/') {
		slice = (double)strtoul(s + 1, &end, 10);
		if (end == s + 1 || slice < 1 || (slice - 1) * to >= 100)
			return -EINVAL;
		s = end;
		from = (slice - 1) * to;
		to = from + to;
	} else if (*s == '-') {
		from = to;
		if (parse_percent(s + 1, &s, &to) || to <= from)
			return -EINVAL;
	}
	vec_push(&f->spans, percent_span(c, from, to));
	*at = s;
	return 0;
}

static int parse_spans(struct filter *f, const char *arg, const struct session *s)
{
	bool percents = arg && strchr(arg, '%'), since = arg && strchr(arg, '+');
	const struct session_counts *c;

	if (!arg)
		return 0;
	c = session_counts(s);
	f->by_time = true;
	if (!*arg)
		return error("the span of time is empty");
	if ((percents || since) && c->first_time > c->last_time)
		return error("cannot cut '%s' out of the recording: its samples have no time", arg);
	for (const char *at = arg; *at;) {
		if (percents ? parse_percent_span(f, c, &at) : parse_clock_span(f, c, &at))
			return error("'%s' is no span of time: +2,+3 (seconds since the first sample), start,stop (of the "
				     "recorder's clock), 10%%/2 or 10%%-20%% is expected at '%s'",
				     arg, at);
		if (*at && *at != ' ' && !(percents && *at == ','))
			return error("'%s' is no span of time: a list goes on with a blank, not '%s'", arg, at);
		at += *at != '\0';
	}
	return 0;
}

/* ---- the filter ---- */

int filter_new(struct filter **out, const struct filter_opts *o, struct session *s)
{
	struct filter *f = xcalloc(1, sizeof(*f));

	if (parse_words(&f->comms, o->comms, "comms") || parse_dsos(f, o->dsos) ||
	    parse_words(&f->symbols, o->symbols, "symbols") || parse_addresses(f, o) || parse_ids(&f->pids, o->pids, "processes") ||
	    parse_ids(&f->tids, o->tids, "threads") || parse_cpus(f, o->cpus) ||
	    parse_sockets(f, o->sockets, s) || parse_spans(f, o->time, s) ||
	    switches_find(&f->switches, &o->switches, s)) {
		filter_free(f);
		return -1;
	}
	*out = f;
	return 0;
}

int filter_check(const struct filter *f, const struct session *s)
{
	if (!f->by_cpu && !f->sockets.nr)
		return 0;
	vec_for(event, &session_events(s)->events)
		if ((*event)->layout.cpu_at >= 0)
			return 0;
	return error("cannot select CPUs: no event was recorded with its CPU (record with -a, -C or --sample-cpu)");
}

static void word_list_release(struct word_list *l)
{
	vec_free(&l->words);
	free(l->text);
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	word_list_release(&f->comms);
	word_list_release(&f->dsos);
	word_list_release(&f->symbols);
	vec_free(&f->pids);
	vec_free(&f->tids);
	vec_free(&f->sockets);
	vec_free(&f->spans);
	vec_free(&f->addresses);
	switches_release(&f->switches);
	cpus_release(&f->cpus);
	free(f);
}

bool filter_in_window(const struct filter *f, const struct item *item)
{
	if (f->by_cpu && (item->event->layout.cpu_at < 0 || !cpus_has(&f->cpus, (int)item->sample->cpu)))
		return false;
	if (!switches_none(&f->switches) && !switches_show(&f->switches, item))
		return false;
	if (!f->by_time)
		return true;
	vec_for(span, &f->spans)
		if (item->time && item->time >= span->from && item->time < span->to)
			return true;
	return false;
}

const struct time_span *filter_times(const struct filter *f, size_t *nr)
{
	*nr = f->spans.nr;
	return f->spans.v;
}

bool filter_comm(const struct filter *f, const char *comm)
{
	return !f->comms.words.nr || has_word(&f->comms, comm);
}

bool filter_item(const struct filter *f, const struct item *item)
{
	if (!filter_in_window(f, item))
		return false;
	if (!filter_comm(f, item->context->comm))
		return false;
	if (f->pids.nr && !has_id(f->pids.v, f->pids.nr, item->sample->pid))
		return false;
	if (f->sockets.nr && !on_socket(f, item))
		return false;
	return !f->tids.nr || has_id(f->tids.v, f->tids.nr, item->sample->tid);
}

static bool may_have_cpu(const struct filter *f, const struct id_set *cpus)
{
	vec_for(cpu, &f->cpus.list)
		if (id_set_may_have(cpus, (uint32_t)*cpu))
			return true;
	return false;
}

static bool may_have_tid(const struct filter *f, const struct id_set *tids)
{
	vec_for(tid, &f->tids)
		if (id_set_may_have(tids, *tid))
			return true;
	return false;
}

bool filter_may_pass(const void *filter, const struct source_extent *e)
{
	const struct filter *f = filter;

	if ((f->by_cpu && e->cpus && !may_have_cpu(f, e->cpus)) || (f->tids.nr && e->tids && !may_have_tid(f, e->tids)))
		return false;
	if (f->by_cpu && e->cpu != SOURCE_ANY && (e->cpu > INT_MAX || !cpus_has(&f->cpus, (int)e->cpu)))
		return false;
	if (f->pids.nr && e->pid != SOURCE_ANY && !has_id(f->pids.v, f->pids.nr, e->pid))
		return false;
	if (f->tids.nr && e->tid != SOURCE_ANY && !has_id(f->tids.v, f->tids.nr, e->tid))
		return false;
	if (!switches_none(&f->switches) && !switches_may_show(&f->switches, e->from, e->to))
		return false;
	vec_for(span, &f->spans)
		if (e->from < span->to && e->to >= span->from)
			return true;
	return !f->by_time;
}

static bool has_dso(const struct filter *f, const struct dso *dso)
{
	if (!f->dsos.words.nr)
		return true;
	return dso && (has_word(&f->dsos, dso->name) || has_word(&f->dsos, dso->path) || (f->jit && is_made_at_run_time(dso)));
}

bool filter_names(const struct filter *f, const struct dso *dso, const char *symbol)
{
	if (!has_dso(f, dso))
		return false;
	return !f->symbols.words.nr || (symbol && has_symbol(&f->symbols, symbol));
}

bool filter_location(const struct filter *f, const struct addr_location *l, uint64_t ip)
{
	const char *symbol = l->symbol ? l->symbol->name : NULL;
	bool listed = is_listed_address(f, ip);

	if (!listed && l->symbol && f->addresses.nr) {
		uint64_t start = addr_location_unmap(l, l->symbol->start);

		vec_for(addr, &f->addresses)
			listed |= *addr == start;
	}
	if (!listed)
		return filter_names(f, l->dso, symbol);
	return has_dso(f, l->dso);
}

bool filter_has_addresses(const struct filter *f)
{
	return f->addresses.nr;
}

bool filter_has_names(const struct filter *f)
{
	return f->dsos.words.nr || f->symbols.words.nr;
}

bool filter_is_open(const struct filter *f)
{
	return !f->by_cpu && !f->by_time && switches_none(&f->switches) &&
	       !f->comms.words.nr && !f->pids.nr && !f->tids.nr && !f->sockets.nr && !filter_has_names(f);
}

const char *filter_word(const struct filter *f, enum filter_list list, size_t n)
{
	const struct word_list *l = list == FILTER_COMMS ? &f->comms : list == FILTER_DSOS ? &f->dsos : &f->symbols;

	return n < l->words.nr ? l->words.v[n] : NULL;
}

static const char *only_word(const struct word_list *l)
{
	return l->words.nr == 1 ? l->words.v[0] : NULL;
}

struct filter_single filter_single(const struct filter *f)
{
	return (struct filter_single){ only_word(&f->comms), only_word(&f->dsos), only_word(&f->symbols) };
}
