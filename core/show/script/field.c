/*
 * Parses the option -F of prec script, which chooses the columns, and checks that the recording has the data for the chosen
 * columns.
 */
#include "core/show/script/field.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/ui/suggest.h"
#include "core/perfdata/event_table.h"

#define ALL		((1u << KIND_MAX) - 1)

/* The names of kinds that the user writes before the colon; NULL: the kind has no name. */
static const char *const kind_names[KIND_MAX] = {
	[KIND_HARDWARE] = "hw", [KIND_SOFTWARE] = "sw", [KIND_TRACEPOINT] = "trace", [KIND_RAW] = "raw",
	[KIND_BREAKPOINT] = "break", [KIND_SYNTH] = "synth",
};

enum event_kind event_kind(const struct event *ev)
{
	static const uint8_t by_type[] = {
		[PERF_TYPE_HARDWARE] = KIND_HARDWARE, [PERF_TYPE_SOFTWARE] = KIND_SOFTWARE,
		[PERF_TYPE_TRACEPOINT] = KIND_TRACEPOINT, [PERF_TYPE_HW_CACHE] = KIND_CACHE,
		[PERF_TYPE_RAW] = KIND_RAW, [PERF_TYPE_BREAKPOINT] = KIND_BREAKPOINT,
	};

	if (ev->attr.type == SYNTH_TYPE)
		return KIND_SYNTH;
	return ev->attr.type < ARRAY_SIZE(by_type) ? by_type[ev->attr.type] : KIND_OTHER;
}

/* Appends the names of all fields for messages: "comm,tid,...". */
static void field_names(struct buf *out)
{
	for (unsigned i = 0; i < FIELD_MAX; i++) {
		buf_puts(out, i ? "," : "");
		buf_puts(out, fields[i].name);
	}
}

void output_fields_init(struct output_fields *f)
{
	*f = (struct output_fields){0};
	for (unsigned i = 0; i < FIELD_MAX; i++)
		for (unsigned kind = 0; kind < KIND_MAX; kind++)
			if (fields[i].defaults & 1u << kind)
				f->chosen[kind] |= 1ull << i;
}

bool output_fields_has(const struct output_fields *f, uint64_t which)
{
	for (unsigned kind = 0; kind < KIND_MAX; kind++)
		if (f->chosen[kind] & which)
			return true;
	return false;
}

/* ---- -F ---- */

enum change { CHANGE_SET, CHANGE_ADD, CHANGE_REMOVE };

static int find_field(const char *name, size_t len)
{
	for (unsigned i = 0; i < FIELD_MAX; i++)
		if (strlen(fields[i].name) == len && memcmp(fields[i].name, name, len) == 0)
			return (int)i;
	return -1;
}

static int unknown_field(const char *name, size_t len)
{
	struct buf names = {0}, meant = {0};

	if (len == strlen("metric") && !memcmp(name, "metric", len))	/* perf has it */
		return error("there is no field 'metric': prec has no formulas of metrics. Record the events with the modifier :S; "
			     "what each counted is then in the field 'period'");
	field_names(&names);
	suggest_of_list(&meant, name, len, buf_str(&names));
	error("unknown field '%.*s'%s; known are %s", (int)len, name, buf_str(&meant), buf_str(&names));
	buf_release(&names);
	buf_release(&meant);
	return -1;
}

static void change_kinds(struct output_fields *f, unsigned kinds, int field, enum change change)
{
	uint64_t bit = 1ull << field;

	kinds &= ~fields[field].never;
	for (unsigned k = 0; k < KIND_MAX; k++) {
		if (!(kinds & 1u << k))
			continue;
		f->touched[k] |= change != CHANGE_ADD;
		if (change == CHANGE_REMOVE) {
			f->chosen[k] &= ~bit;
			f->asked[k] &= ~bit;
		} else {
			f->chosen[k] |= bit;
			f->asked[k] |= bit;
		}
	}
}

/* Returns the kinds that "kind:" at the beginning of *arg names, and moves *arg after it. 0: there is no such kind. */
static unsigned parse_kinds(const char **arg)
{
	const char *colon = strchr(*arg, ':');

	if (!colon)
		return ALL;
	for (unsigned k = 0; k < KIND_MAX; k++) {
		if (!kind_names[k] || strlen(kind_names[k]) != (size_t)(colon - *arg) ||
		    memcmp(kind_names[k], *arg, (size_t)(colon - *arg)))
			continue;
		*arg = colon + 1;
		return 1u << k;
	}
	return 0;
}

static void forget_kinds(struct output_fields *f, unsigned kinds)
{
	for (unsigned k = 0; k < KIND_MAX; k++) {
		if (!(kinds & 1u << k))
			continue;
		f->chosen[k] = f->asked[k] = 0;
		f->replaced[k] = true;
		f->named[k] = kinds != ALL;
	}
}

static enum change change_of(char first)
{
	return first == '+' ? CHANGE_ADD : first == '-' ? CHANGE_REMOVE : CHANGE_SET;
}

static int parse_one(struct output_fields *f, const char *word, size_t len, unsigned kinds, bool set)
{
	enum change change = change_of(*word);
	int field;

	if ((change == CHANGE_SET) != set)
		return error("cannot mix fields with +field or -field in one list: '%s'", word);
	word += change != CHANGE_SET;
	len -= change != CHANGE_SET;
	field = find_field(word, len);
	if (field < 0)
		return unknown_field(word, len);
	if (!(kinds & ~fields[field].never))
		return error("field '%s' makes no sense for these events", fields[field].name);
	change_kinds(f, kinds, field, change);
	return 0;
}

int output_fields_parse(struct output_fields *f, const char *arg)
{
	const char *word = arg;
	unsigned kinds = parse_kinds(&word);
	bool set = change_of(*word) == CHANGE_SET;

	if (!kinds)
		return error("unknown kind of events in '%s'; known are hw, sw, trace, raw, break, synth", arg);
	if (!*word && kinds == ALL)
		return error("no field is named");
	if (set)
		forget_kinds(f, kinds);
	while (*word) {
		size_t len = strcspn(word, ",");

		if (parse_one(f, word, len, kinds, set))
			return -1;
		word += len;
		word += *word == ',';
	}
	return 0;
}

/* ---- does the recording have it? ---- */

static bool was_recorded(const struct field *f, const struct event *ev)
{
	return !f->needs || event_shows(ev, f->needs);
}

static uint64_t event_fields(const struct output_fields *f, const struct field_facts *facts, const struct event *ev)
{
	enum event_kind kind = event_kind(ev);
	uint64_t mask = f->chosen[kind];

	if (kind == KIND_TRACEPOINT && !f->replaced[kind] && facts->chains && event_shows(ev, PERF_SAMPLE_CALLCHAIN))
		mask |= FIELD_BIT(IP) | FIELD_BIT(SYM) | FIELD_BIT(SYMOFF) | FIELD_BIT(DSO);
	for (unsigned i = 0; i < FIELD_MAX; i++) {
		if (!(mask & 1ull << i) || was_recorded(&fields[i], ev))
			continue;
		debug(1, "samples of '%s' have no %s: field '%s' is left out", ev->name, fields[i].needs_name, fields[i].name);
		mask &= ~(1ull << i);
	}
	return mask;
}

/* Prints an error in perf's words, because perf2bolt looks for them. */
static int refuse(const struct event *ev, const struct field *f)
{
	return error("Samples for '%s' event do not have %s attribute set. Cannot print '%s' field.%s%s", ev->name, f->needs_name,
		     f->name, f->hint ? " Record with " : "", f->hint ? f->hint : "");
}

/* True if the event gives samples. A hardware trace's own event has none; one made from the trace has no ids in the file. */
static bool gives_samples(const struct field_facts *facts, const struct event *ev)
{
	return !event_is_dummy(ev) && (!facts->has_auxtrace || !ev->ids.nr || ev->attr.type < PERF_TYPE_MAX);
}

/* Returns an error if the user named the field, and no event for which it was named has recorded it. */
static int check_recorded(const struct output_fields *f, const struct field_facts *facts, unsigned field)
{
	const struct event *without = NULL;

	/* Perf accepts fields of branches for all events, because samples without branches may be among samples with branches. */
	if (fields[field].needs == PERF_SAMPLE_BRANCH_STACK)
		return 0;
	for (size_t i = 0; i < facts->events->events.nr; i++) {
		const struct event *ev = facts->events->events.v[i];

		if (!(f->asked[event_kind(ev)] & 1ull << field) || !gives_samples(facts, ev))
			continue;
		if (was_recorded(&fields[field], ev))
			return 0;
		if (!without)
			without = ev;
	}
	return without ? refuse(without, &fields[field]) : 0;
}

/* Returns an error if the recording has no events of a kind that the user named, to catch typing errors. */
static int check_kinds(const struct output_fields *f, const struct event_table *events)
{
	bool there[KIND_MAX] = { [KIND_SYNTH] = true };

	vec_for(ev, &events->events)
		there[event_kind(*ev)] = true;
	for (unsigned k = 0; k < KIND_MAX; k++)
		if (f->named[k] && !there[k])
			return error("the recording has no events of the kind '%s': leave out that -F", kind_names[k]);
	return 0;
}

static int check_together(const struct output_fields *f, const struct field_facts *facts)
{
	for (size_t i = 0; i < facts->events->events.nr; i++) {
		enum event_kind kind = event_kind(facts->events->events.v[i]);
		uint64_t asked = f->asked[kind], chosen = f->chosen[kind];

		if (asked & FIELD_BIT(SYMOFF) && !(chosen & FIELD_BIT(SYM)))
			return error("cannot print field 'symoff' without field 'sym'");
		if (asked & FIELD_BIT(SRCLINE) && !(chosen & FIELD_BIT(IP)))
			return error("cannot print field 'srcline' without field 'ip'");
		if (asked & FIELD_BIT(TOD) && !facts->has_clock)
			return error("the recording has no clock data: cannot print field 'tod' (record with -k mono)");
	}
	return 0;
}

int output_fields_apply(const struct output_fields *f, const struct field_facts *facts, uint64_t *masks)
{
	if (check_kinds(f, facts->events) || check_together(f, facts))
		return -1;
	for (unsigned i = 0; i < FIELD_MAX; i++)
		if (check_recorded(f, facts, i))
			return -1;
	for (size_t i = 0; i < facts->events->events.nr; i++)
		masks[i] = event_fields(f, facts, facts->events->events.v[i]);
	return 0;
}
