/* Decides which columns the lines of each event have in prec script, from the options and from the data that was recorded. */
#include "core/show/script/line_plan.h"

#include <stdio.h>
#include <string.h>

#include "core/read/session.h"
#include "core/show/script/branch_counters.h"
#include "core/tracepoint/tracing_data.h"

/* True if each sample is a branch from a hardware trace. perf gives such events these attributes. */
static bool is_branch_event(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_HARDWARE && ev->attr.config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS &&
	       !ev->attr.freq && ev->attr.sample_period == 1;
}

static bool is_bpf_output(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_BPF_OUTPUT;
}

static unsigned address_form(uint64_t mask)
{
	static const struct { uint64_t field; unsigned form; } forms[] = {
		{ FIELD_BIT(IP), ADDRESS_IP }, { FIELD_BIT(SYM), ADDRESS_SYM }, { FIELD_BIT(SYMOFF), ADDRESS_SYMOFF },
		{ FIELD_BIT(DSO), ADDRESS_DSO }, { FIELD_BIT(DSOFF), ADDRESS_DSOFF }, { FIELD_BIT(SRCLINE), ADDRESS_SRCLINE },
	};
	unsigned form = 0;

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (mask & forms[i].field)
			form |= forms[i].form;
	return form;
}

/* Fields that share a function are adjacent in the table, and one call prints them all. */
static void plan_columns(struct event_plan *e)
{
	unsigned n = 0;

	for (unsigned i = 0; i < FIELD_MAX; i++) {
		void (*print)(struct line *) = e->branch && fields[i].print_branch ? fields[i].print_branch : fields[i].print;

		if (e->fields & 1ull << i && print && !(n && e->columns[n - 1] == print))
			e->columns[n++] = print;
	}
}

static uint32_t task_form(const struct event_plan *e)
{
	static const uint64_t shown[] = { FIELD_BIT(COMM), FIELD_BIT(PID), FIELD_BIT(TID), FIELD_BIT(CPU) };
	uint32_t form = e->chain && e->fields & FIELD_BIT(IP);

	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		form = form << 1 | !!(e->fields & shown[i]);
	return form;
}

static void plan_event(struct line_plan *p, const struct event *ev, uint64_t mask, unsigned name_width)
{
	struct event_plan *e = &p->events[ev->number];

	e->event = ev;
	e->fields = is_bpf_output(ev) ? mask : mask & ~FIELD_BIT(BPF_OUTPUT);
	e->chain = event_shows(ev, PERF_SAMPLE_CALLCHAIN) && !p->opts.hide_chains;
	e->branch = is_branch_event(ev);
	e->always_target = ev->layout.type & PERF_SAMPLE_ADDR && !p->opts.fields.touched[event_kind(ev)];
	e->counts = event_counts(ev);
	e->name_len = MAX(name_width, (unsigned)strlen(ev->name)) + 2;
	e->name = xcalloc(1, round_up(e->name_len + 1, BUF_STEP));
	sprintf(e->name, "%*s: ", (int)name_width, ev->name);
	e->task_form = task_form(e);
	e->how = address_form(mask);
	if (ev->attr.type == PERF_TYPE_TRACEPOINT)
		e->trace = tracing_data_event(session_tracing(p->session), ev->attr.config);
	plan_columns(e);
}

static void plan_events(struct line_plan *p, const uint64_t *masks)
{
	const struct event_table *t = session_events(p->session);
	unsigned width = 0;

	for (size_t i = 0; i < t->events.nr; i++)
		width = MAX(width, (unsigned)strlen(t->events.v[i]->name));
	for (size_t i = 0; i < t->events.nr; i++)
		plan_event(p, t->events.v[i], masks[i], width);
}

static void plan_stops(struct line_plan *p)
{
	char *at;

	if (!p->opts.stop_at)
		return;
	p->stop_text = xstrdup(p->opts.stop_at);
	for (char *name = strtok_r(p->stop_text, ",", &at); name; name = strtok_r(NULL, ",", &at))
		vec_push(&p->stop_names, name);
	vec_push(&p->stop_names, NULL);
}

static void plan_addresses(struct line_plan *p)
{
	p->address = (struct address_text_opts){
		.machine = session_machine(p->session),
		.arch = machine_arch(session_machine(p->session)),
		.features = session_features(p->session),
		.filter = p->filter,
		.stop_at = p->stop_names.v,
		.no_inline = p->opts.no_inline, .at_return = p->opts.at_return,
		.full_source_path = p->opts.full_source_path,
		.kernel_path = p->opts.kernel_path,
	};
}

static int plan_queues(struct line_plan *p)
{
	for (size_t i = 0; i < p->nr_events && !p->queues; i++)
		if (p->events[i].fields & FIELD_BIT(RUNQLEN)) {
			p->queues = session_runqueues(p->session);
			return p->queues ? 0 : -1;
		}
	return 0;
}

int line_plan_new(struct line_plan **out, struct session *s, const struct line_opts *opts, const struct filter *filter)
{
	const struct features *features = session_features(s);
	struct field_facts facts = {
		.events = session_events(s),
		.has_auxtrace = features->has[FEATURE_AUXTRACE],
		.has_clock = features->has[FEATURE_CLOCK_DATA],
		.chains = !opts->hide_chains && event_table_has_chains(session_events(s)),
	};
	struct line_plan *p = xcalloc(1, sizeof(*p));
	uint64_t *masks;
	int err;

	*p = (struct line_plan){ .opts = *opts, .session = s, .filter = filter, .nr_events = facts.events->events.nr,
				 .wall_ns = features->clock_wall_ns, .mono_ns = features->clockid_time_ns };
	p->events = xcalloc(MAX(p->nr_events, 1), sizeof(*p->events));
	masks = xcalloc(MAX(p->nr_events, 1), sizeof(*masks));
	p->counter_width = branch_counters_width(features);
	err = output_fields_apply(&opts->fields, &facts, masks) ||
	      (output_fields_has(&opts->fields, FIELD_BIT(BRCNTR)) && branch_counters_check(facts.events)) ? -1 : 0;
	if (!err) {
		plan_events(p, masks);
		plan_stops(p);
		plan_addresses(p);
		err = plan_queues(p);
	}
	free(masks);
	if (err) {
		line_plan_free(p);
		return -1;
	}
	*out = p;
	return 0;
}

void line_plan_free(struct line_plan *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nr_events; i++)
		free(p->events[i].name);
	free(p->events);
	runqueues_free(p->queues);
	free(p->stop_text);
	vec_free(&p->stop_names);
	free(p);
}

bool line_plan_needs_order(const struct line_plan *p)
{
	for (size_t i = 0; i < p->nr_events; i++)
		if (p->events[i].counts || p->events[i].fields & (FIELD_BIT(CALLINDENT) | FIELD_BIT(SRCCODE)))
			return true;
	return p->opts.reltime || p->opts.deltatime || p->opts.graph_function;
}

bool line_plan_shows_chains(const struct line_plan *p)
{
	for (size_t i = 0; i < p->nr_events; i++)
		if (p->events[i].chain && p->events[i].fields & FIELD_BIT(IP))
			return true;
	return false;
}
