/* Parses the terms that every event accepts, such as period= and call-graph=. A table has a function for each term. */
#include "core/record/events/event_term.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/record/events/sample_bits.h"

/* Input and output of a row's function. */
struct term_value {
	struct event_terms *terms;
	struct event_attr *attr;
	struct word value;
	unsigned long long number;	/* the value of VALUE_NUMBER and VALUE_FLAG */
	bool flag;			/* the value of VALUE_FLAG */
};

static void set_config(struct term_value *t) { t->attr->config = t->number; }
static void set_config1(struct term_value *t) { t->attr->config1 = t->number; }
static void set_config2(struct term_value *t) { t->attr->config2 = t->number; }
static void set_config3(struct term_value *t) { t->attr->config3 = t->number; }
static void set_config4(struct term_value *t) { t->attr->config4 = t->number; }
static void set_period(struct term_value *t) { t->terms->period = t->number; }
static void set_freq(struct term_value *t) { t->terms->freq = t->number; }
static void set_time(struct term_value *t) { t->terms->time = t->number; }
static void set_stack_size(struct term_value *t) { t->terms->stack_size = (uint32_t)t->number; }
static void set_max_stack(struct term_value *t) { t->terms->max_stack = (uint16_t)t->number; }
static void set_inherit(struct term_value *t) { t->terms->inherit = t->flag; }
static void set_no_inherit(struct term_value *t) { t->terms->inherit = !t->flag; }
static void set_overwrite(struct term_value *t) { t->terms->overwrite = t->flag; }
static void set_no_overwrite(struct term_value *t) { t->terms->overwrite = !t->flag; }
static void set_aux_output(struct term_value *t) { t->attr->aux_output = t->flag; }
static void set_aux_sample_size(struct term_value *t) { t->attr->aux_sample_size = (uint32_t)t->number; }
static void set_nothing(struct term_value *t) { (void)t; }	/* accepted as in perf, and not used */

static void set_name(struct term_value *t)
{
	free(t->terms->name);
	t->terms->name = word_dup(t->value);
}

/* ---- values that are words ---- */

static char *set_chain(struct term_value *t)
{
	static const struct { const char *name; enum chain_mode mode; } modes[] = {
		{ "no", CHAIN_NONE }, { "fp", CHAIN_FP }, { "dwarf", CHAIN_DWARF },
		{ "auto", CHAIN_AUTO }, { "lbr", CHAIN_LBR },
	};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		if (!word_is(t->value, modes[i].name))
			continue;
		t->terms->chain = modes[i].mode;
		return NULL;
	}
	return xstrdup("a call graph is one of fp, dwarf, auto, lbr, no");
}

static char *set_branches(struct term_value *t)
{
	char *text = word_dup(t->value), *what = NULL;

	branch_filter_parse(text, "|,", &t->terms->branches, &what);
	free(text);
	return what;
}

static char *set_aux_action(struct term_value *t)
{
	static const struct { const char *name; uint32_t bit; } actions[] = {
		{ "start-paused", AUX_ACTION_START_PAUSED }, { "pause", AUX_ACTION_PAUSE }, { "resume", AUX_ACTION_RESUME },
	};

	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		if (!word_is(t->value, actions[i].name))
			continue;
		t->attr->aux_action |= actions[i].bit;
		return NULL;
	}
	return xstrdup("an action is one of start-paused, pause, resume");
}

/* The term is for processors whose counters reload each other. It cannot be translated: the user must give period and acr_mask. */
static char *refuse_ratio(struct term_value *t)
{
	return xstrdup("prec makes no periods from those of other events: give this one its 'period', and the counters "
		       "that reload it as 'acr_mask'");
}

static char *set_cpus(struct term_value *t)
{
	char *text = word_dup(t->value);
	const char *bad;
	int err;

	cpus_release(&t->terms->cpus);
	err = cpus_parse(&t->terms->cpus, text, &bad);
	free(text);
	return err ? xstrdup("a CPU is a number, or two with a dash between them") : NULL;
}

/* ---- the table ---- */

enum value_kind { VALUE_NUMBER, VALUE_FLAG, VALUE_WORD };

static const struct term {
	const char *name;
	enum value_kind kind;
	uint64_t max;				/* greatest value of VALUE_NUMBER */
	uint32_t given;				/* TERM_* bit that it sets in event_terms.given */
	void (*take)(struct term_value *t);
	char *(*check)(struct term_value *t);	/* if .take is NULL: as .take, but returns an error, owned by the caller, or NULL */
} terms[] = {
	{ "config", VALUE_NUMBER, UINT64_MAX, 0, set_config, NULL },
	{ "config1", VALUE_NUMBER, UINT64_MAX, 0, set_config1, NULL },
	{ "config2", VALUE_NUMBER, UINT64_MAX, 0, set_config2, NULL },
	{ "config3", VALUE_NUMBER, UINT64_MAX, 0, set_config3, NULL },
	{ "config4", VALUE_NUMBER, UINT64_MAX, 0, set_config4, NULL },
	{ "name", VALUE_WORD, 0, 0, set_name, NULL },
	{ "period", VALUE_NUMBER, INT64_MAX, TERM_PERIOD, set_period, NULL },
	{ "freq", VALUE_NUMBER, INT64_MAX, TERM_FREQ, set_freq, NULL },
	{ "branch_type", VALUE_WORD, 0, TERM_BRANCHES, NULL, set_branches },
	{ "time", VALUE_NUMBER, 1, TERM_TIME, set_time, NULL },
	{ "call-graph", VALUE_WORD, 0, TERM_CHAIN, NULL, set_chain },
	{ "stack-size", VALUE_NUMBER, UINT16_MAX & ~7u, TERM_STACK_SIZE, set_stack_size, NULL },
	{ "max-stack", VALUE_NUMBER, UINT16_MAX, TERM_MAX_STACK, set_max_stack, NULL },
	{ "inherit", VALUE_FLAG, 1, TERM_INHERIT, set_inherit, NULL },
	{ "no-inherit", VALUE_FLAG, 1, TERM_INHERIT, set_no_inherit, NULL },
	{ "nr", VALUE_NUMBER, UINT32_MAX, 0, set_nothing, NULL },
	{ "overwrite", VALUE_FLAG, 1, TERM_OVERWRITE, set_overwrite, NULL },
	{ "no-overwrite", VALUE_FLAG, 1, TERM_OVERWRITE, set_no_overwrite, NULL },
	{ "percore", VALUE_FLAG, 1, 0, set_nothing, NULL },
	{ "aux-output", VALUE_FLAG, 1, 0, set_aux_output, NULL },
	{ "aux-sample-size", VALUE_NUMBER, UINT16_MAX, TERM_AUX_SAMPLE, set_aux_sample_size, NULL },
	{ "aux-action", VALUE_WORD, 0, 0, NULL, set_aux_action },
	{ "metric-id", VALUE_WORD, 0, 0, set_nothing, NULL },
	{ "cpu", VALUE_WORD, 0, TERM_CPUS, NULL, set_cpus },
	{ "ratio-to-prev", VALUE_WORD, 0, 0, NULL, refuse_ratio },
};

static const struct term *find(struct word name)
{
	for (size_t i = 0; i < ARRAY_SIZE(terms); i++)
		if (word_is(name, terms[i].name))
			return &terms[i];
	return NULL;
}

bool event_term_is(struct word name)
{
	/* "@sink" has its value in its name. */
	return (name.n > 1 && name.s[0] == '@') || find(name);
}

static char *read_number(const struct term *row, const struct term_node *n, struct term_value *t)
{
	t->number = 1;
	if (n->has_value && (word_number(n->value, &t->number) || t->number > row->max))
		return xasprintf("'%s' needs a number%s", row->name, row->kind == VALUE_FLAG ? ", 0 or 1" :
				 row->max == UINT64_MAX ? "" : " that is not too large");
	t->flag = t->number;
	return NULL;
}

static void set_sink(struct event_terms *out, const struct term_node *n)
{
	struct word w = n->name;

	w.s++;
	w.n--;
	free(out->sink);
	out->sink = word_dup(w);
}

int event_term_apply(struct event_terms *out, struct event_attr *attr, const struct term_node *n,
		     struct event_error *err)
{
	const struct term *row = find(n->name);
	struct term_value t = { .terms = out, .attr = attr, .value = n->value };
	char *what = NULL;

	if (!row) {
		set_sink(out, n);
		return 0;
	}
	if (!n->has_value && row->kind != VALUE_FLAG)
		return wrong_at(err, n->name, xasprintf("'%s' needs a value: %s=...", row->name, row->name));
	if (row->kind != VALUE_WORD)
		what = read_number(row, n, &t);
	if (!what && row->check)
		what = row->check(&t);
	else if (!what)
		row->take(&t);
	if (what)
		return wrong_at(err, n->has_value ? n->value : n->name, what);
	out->given |= row->given;
	return 0;
}

void event_term_names(struct names *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(terms); i++)
		names_add(out, terms[i].name);
}

void event_terms_release(struct event_terms *t)
{
	free(t->name);
	free(t->sink);
	cpus_release(&t->cpus);
	*t = (struct event_terms){0};
}
