/* Prints the summary of a profile (profile_summary.h) as text or JSON, for prec summary. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/ui/fit.h"
#include "core/base/json.h"
#include "core/base/printable.h"
#include "core/perfdata/event_table.h"
#include "core/show/report/profile_summary.h"

#define MAX_NEXT	3	/* commands that are suggested at the end */
#define NAME_COLUMNS	100	/* maximum width of a name in text; JSON has whole names */

static double percent(const struct profile_summary *s, uint64_t period)
{
	return s->period ? 100.0 * (double)period / (double)s->period : 0;
}

static const struct profile_event *event_of(const struct profile_summary *s)
{
	return &s->d->events.v[s->event];
}

static void put_amount_of(const struct profile_event *e, uint64_t period, struct buf *out)
{
	if (e->unit == PROFILE_NS)
		put_duration(out, period);
	else
		put_amount(out, period);
}

/* Writes a text as one word of a shell command line. */
static void put_quoted(const char *text, struct buf *out)
{
	struct buf plain = {0};

	buf_put_printable(&plain, text);
	buf_putc(out, '\'');
	for (const char *c = buf_str(&plain); *c; c++)
		if (*c == '\'')
			buf_puts(out, "'\\''");
		else
			buf_putc(out, *c);
	buf_putc(out, '\'');
	buf_release(&plain);
}

/* ---- rows ---- */

/* The number of rows shown of a section: no small rows, unless all are small, or the rest is a single row. */
static size_t nr_shown(const struct profile_summary *s, const struct summary_section *section, size_t most)
{
	const struct summary_row *rows = section->rows.list.v;
	size_t all = section->rows.list.nr, nr = MIN(most, all);

	while (nr && summary_row_is_small(s, &rows[nr - 1]) && !summary_row_is_small(s, &rows[0]))
		nr--;
	return nr + 1 == all && all <= most ? all : nr;
}

/* ---- the commands to go on with ---- */

static const struct summary_row *first_row(const struct profile_summary *s, const char *section)
{
	for (unsigned i = 0; i < s->nr_sections; i++)
		if (str_eq(s->sections[i].name, section) && s->sections[i].rows.list.nr)
			return &s->sections[i].rows.list.v[0];
	return NULL;
}

/* The event with most samples besides the one shown: waits, or another event. */
static const char *other_event(const struct profile_summary *s)
{
	const char *found = NULL;
	uint64_t most = 0;

	for (uint32_t i = 0; i < s->d->events.nr; i++) {
		const char *name = profile_string(s->profile, s->d->events.v[i].name);
		uint64_t nr = i == s->event ? 0 : profile_summary_of_event(s, i).nr;

		if (nr && str_eq(name, OFF_CPU_NAME))
			return name;
		if (nr > most) {
			most = nr;
			found = name;
		}
	}
	return found;
}

static bool has_no_events(const struct profile_summary *s)
{
	return s->of_events && !s->of_nr;
}

/* "prec report -i 'perf.data' --tid 7 -e 'cycles'", without the event if it is shown by itself. */
static void put_command(const struct profile_summary *s, const char *command, const char *path, bool with_event, struct buf *out)
{
	buf_printf(out, "prec %s -i ", command);
	put_quoted(path, out);
	buf_puts(out, s->opts->filters);
	if (s->of && str_starts(s->of, "t:") && !str_starts(command, "summary") && !strstr(s->opts->filters, " --tid "))
		buf_printf(out, " --tid %" PRIu32, (uint32_t)strtoul(s->of + 2, NULL, 10));
	if (!with_event)
		return;
	buf_puts(out, " -e ");
	put_quoted(profile_string(s->profile, event_of(s)->name), out);
}

static bool is_unnamed(const struct profile_function *f)
{
	return !f->name || f->made;
}

/* True if @name takes more than two lines of the terminal. A command with this name would push rows off the screen. */
static bool is_screenful(const struct profile_summary *s, const char *name)
{
	return s->opts->width && strlen(name) > 2 * (size_t)s->opts->width;
}

static void put_callers_command(const struct profile_summary *s, const char *path, struct buf *out)
{
	put_command(s, "report -g caller", path, s->opts->event_named && !s->is_wall, out);
}

/* Suggests a command that shows more about the code of the samples. False: no command fits. */
static bool put_place_command(const struct profile_summary *s, const char *path, struct buf *out)
{
	const struct profile_function *code = s->code == PROFILE_NONE ? NULL : &s->d->functions.v[s->code];
	bool named = s->opts->event_named && !s->is_wall;

	if (s->is_waits && first_row(s, "functions")) {
		put_command(s, "report --wall -G", path, false, out);
	} else if (s->opts->tracepoint && first_row(s, "functions")) {
		put_command(s, s->opts->fields ? "report -s trace_fields" : "script", path,
			    s->opts->fields && (named || s->d->events.nr > 1), out);
	} else if (s->of && str_starts(s->of, "f:") && (s->is_waits || s->opts->tracepoint)) {
		put_callers_command(s, path, out);
	} else if (code && is_unnamed(code)) {
		put_command(s, "report --unresolved", path, named, out);
	} else if (code && !is_screenful(s, profile_string(s->profile, code->name))) {
		put_command(s, "annotate", path, false, out);
		buf_putc(out, ' ');
		put_quoted(profile_string(s->profile, code->name), out);
	} else if (!code && s->of && str_starts(s->of, "f:")) {
		put_callers_command(s, path, out);
	}
	return out->len;
}

struct next { struct buf commands[MAX_NEXT]; unsigned nr; };

static void find_next(const struct profile_summary *s, const char *path, struct next *n)
{
	const struct summary_row *function = first_row(s, "functions");
	const char *other = s->of && !has_no_events(s) ? NULL : other_event(s);
	struct buf *out = n->commands;

	if (other && (!s->is_waits || s->of)) {
		put_command(s, "summary", path, false, &out[n->nr]);
		buf_puts(&out[n->nr], " -e ");
		put_quoted(other, &out[n->nr]);
		if (s->of)
			buf_printf(&out[n->nr], " --of=%s", s->of);
		n->nr++;
	}
	if (has_no_events(s))
		return;
	if (!s->of && function) {
		put_command(s, s->is_wall ? "summary --wall" : "summary", path, s->opts->event_named && !s->is_wall, &out[n->nr]);
		buf_printf(&out[n->nr++], " --of=%s", function->id);
	}
	n->nr += put_place_command(s, path, &out[n->nr]);
	if (s->of && str_starts(s->of, "f:") && s->code != PROFILE_NONE && !s->is_waits && !s->opts->tracepoint)
		put_callers_command(s, path, &out[n->nr++]);
}

/* ---- text ---- */

static void put_name_in(const char *name, size_t columns, struct buf *out)
{
	struct buf plain = {0};

	buf_put_printable(&plain, name);
	fit_name(plain.data, plain.len, columns, out);
	buf_release(&plain);
}

static void put_name(const char *name, struct buf *out)
{
	put_name_in(name, NAME_COLUMNS, out);
}

static void put_rest(const struct profile_summary *s, const struct summary_section *section, size_t from, struct buf *out)
{
	size_t nr = section->rows.list.nr - from;
	uint64_t rest = 0;

	for (size_t i = from; i < section->rows.list.nr; i++)
		add_saturated(&rest, section->rows.list.v[i].period);
	if (nr) {
		buf_printf(out, "  %zu more", nr);
		if (!s->of && summary_row_is_small(s, &section->rows.list.v[from]))
			buf_printf(out, " below %g %%", SUMMARY_LEAST_PERCENT);
		buf_printf(out, ": %.2f %%\n", percent(s, rest));
	}
	if (section->rest_name)
		buf_printf(out, "  %s: %.2f %%\n", section->rest_name, percent(s, section->rest.period));
}

/* True if a line above the rows shows the worst finding. Only for a terminal. */
static bool has_worst(const struct profile_summary *s)
{
	return s->opts->quality && !s->of && s->findings->list.nr && finding_matters(&s->findings->list.v[0]);
}

#define LEAST_WHERE 6u	/* columns */

/* Appends the file, in the columns of the line that @used leaves. */
static void put_where(const struct profile_summary *s, const struct summary_row *row, size_t used, struct buf *out)
{
	size_t room = s->opts->width ? s->opts->width - MIN(s->opts->width, used + 4) : NAME_COLUMNS;
	struct buf plain = {0};

	if (!row->where || room < LEAST_WHERE)
		return;
	buf_put_printable(&plain, row->where);
	buf_puts(out, "  (");
	if (s->opts->width)
		fit_file_name(plain.data, plain.len, room, out);
	else
		fit_name(plain.data, plain.len, room, out);
	buf_putc(out, ')');
	buf_release(&plain);
}

static bool has_inlined(const struct summary_section *section, size_t nr)
{
	bool inlined = false;

	for (size_t i = 0; i < nr; i++)
		inlined |= section->rows.list.v[i].inlined;
	return inlined;
}

static void put_section(const struct profile_summary *s, const struct summary_section *section, size_t most, struct buf *out)
{
	size_t nr = nr_shown(s, section, most);

	if (!nr)
		return;
	buf_printf(out, "%s%s%s\n", section == s->sections && has_worst(s) ? "" : "\n", section->title,
		   has_inlined(section, nr) ? " (inlined code counts for itself)" : "");
	for (size_t i = 0; i < nr; i++) {
		const struct summary_row *row = &section->rows.list.v[i];
		const char *inlined = row->inlined ? " (inlined)" : "";
		struct buf amount = {0};
		size_t begin = out->len;

		put_amount_of(event_of(s), row->period, &amount);
		buf_printf(out, "  %6.2f %%  %9s  %-10s  ", percent(s, row->period), buf_str(&amount), row->id);
		if (row->brief)
			buf_put_printable(out, row->brief);
		else
			put_name_in(row->name, s->opts->width ? MIN(s->columns - strlen(inlined), NAME_COLUMNS) :
				    NAME_COLUMNS, out);
		buf_puts(out, inlined);
		put_where(s, row, out->len - begin, out);
		buf_putc(out, '\n');
		buf_release(&amount);
	}
	put_rest(s, section, nr, out);
}

static void put_processes(const struct profile_summary *s, size_t most, struct buf *out)
{
	const char *end = s->opts->processes;
	size_t left = s->opts->small_processes;

	buf_puts(out, "\nprocesses, each with all that it started\n");
	for (size_t i = 0; i < most + 1 && *end; i++)	/* the first line has the titles */
		end = strchr(end, '\n') + 1;
	buf_put(out, s->opts->processes, (size_t)(end - s->opts->processes));
	while ((end = strchr(end, '\n'))) {
		end++;
		left++;
	}
	if (left)
		buf_printf(out, "  %zu more: prec report --tasks\n", left);
}

/* Appends a line with @text and @end. Cuts @text so that the line fits the terminal. */
static void put_line(const struct profile_summary *s, struct buf *text, const char *end, struct buf *out)
{
	size_t room = s->opts->width - MIN(s->opts->width, strlen(end) + 3);

	if (text->len > room + 3) {
		text->len = room;
		while (text->len && ((unsigned char)text->data[text->len] & 0xc0) == 0x80)
			text->len--;
		buf_puts(text, "...");
	}
	buf_printf(out, "%s%s\n", buf_str(text), end);
}

/* For a terminal: one line each on the quality and on the worst finding, so that the first row is in the sixth at the latest. */
static void put_quality(const struct profile_summary *s, struct buf *out)
{
	const struct findings *found = s->findings;
	size_t nr = found->list.nr;

	put_wrapped(out, s->opts->quality, 0, 2, s->opts->width);
	buf_putc(out, '\n');
	if (has_worst(s)) {
		struct buf text = {0}, end = {0};

		finding_short_sentence(&found->list.v[0], &text);
		if (nr > 1)
			buf_printf(&end, " (%zu more: --findings)", nr - 1);
		else
			buf_puts(&end, " (--findings)");
		put_line(s, &text, buf_str(&end), out);
		buf_release(&text);
		buf_release(&end);
	}
}

static bool is_light(const struct profile_summary *s, const struct finding *f)
{
	return !s->opts->all_findings && finding_severity(f) != FINDING_DAMAGE && f->share >= 0 && f->share < FINDING_LEAST;
}

static size_t nr_light_of(const struct profile_summary *s, enum finding_code code)
{
	size_t nr = 0;

	vec_for(f, &s->findings->list)
		nr += f->code == code && is_light(s, f);
	return nr;
}

/* Appends a line with the names of findings about few samples, each name once. */
static void put_light_findings(const struct profile_summary *s, struct buf *out)
{
	bool named[FINDING_NR] = {0};
	const char *before = "";
	size_t nr = 0;

	vec_for(f, &s->findings->list)
		nr += is_light(s, f);
	if (!nr)
		return;
	buf_printf(out, "  %zu of less weight: ", nr);
	vec_for(f, &s->findings->list) {
		size_t alike = nr_light_of(s, f->code);

		if (!is_light(s, f) || named[f->code])
			continue;
		named[f->code] = true;
		buf_printf(out, "%s%s", before, finding_name(f->code));
		if (alike > 1)
			buf_printf(out, " x %zu", alike);
		before = ", ";
	}
	buf_puts(out, " (--findings)\n");
}

static void put_findings(const struct profile_summary *s, size_t most, struct buf *out)
{
	size_t nr = 0;

	if (!s->of)
		buf_puts(out, s->findings->list.nr ? "\nfindings\n" : "\nfindings: none\n");
	vec_for(f, &s->findings->list) {
		if (s->of ? !s->of_name || !str_eq(finding_name(f->code), s->of) : is_light(s, f))
			continue;
		if (nr++ >= most)
			continue;
		buf_printf(out, "%s  %s %s: ", s->of && nr == 1 ? "\nfindings\n" : "",
			   finding_severity_name(finding_severity(f)), finding_name(f->code));
		finding_sentence(f, out);
		buf_puts(out, "\n      ");
		finding_remedy(f, out);
		buf_putc(out, '\n');
	}
	if (nr > most)
		buf_printf(out, "  %zu more\n", nr - most);
	if (!s->of)
		put_light_findings(s, out);
}

/* Lists the events with samples that are not shown. */
static void put_other_events(const struct profile_summary *s, struct buf *out)
{
	for (uint32_t i = 0; i < s->d->events.nr; i++) {
		const struct profile_event *e = &s->d->events.v[i];
		struct profile_sum sum = profile_summary_of_event(s, i);

		if (i == s->event || !sum.nr)
			continue;
		buf_puts(out, "also: ");
		put_name(profile_string(s->profile, e->name), out);
		buf_printf(out, ", %" PRIu64 " samples, ", sum.nr);
		put_amount_of(e, sum.period, out);
		buf_puts(out, str_eq(profile_string(s->profile, e->name), OFF_CPU_NAME) ? " off the CPU\n" : "\n");
	}
}

/* Writes the name of what opts.of names, and its share of the event. */
static void put_of(const struct profile_summary *s, struct buf *out)
{
	buf_printf(out, "of %s: ", s->of);
	buf_put_printable(out, s->of_name);
	if (s->of_nr) {
		buf_printf(out, ", %" PRIu64 " samples, %.2f %%", s->of_nr, percent(s, s->of_period));
	} else if (has_no_events(s)) {
		buf_puts(out, ", no samples of ");
		put_name(profile_string(s->profile, event_of(s)->name), out);
	}
	buf_putc(out, '\n');
}

#define MOST_NAMED 4	/* other functions of the requested name that are printed; JSON has SUMMARY_ROWS */

/* Writes a line with the other functions that opts.of may mean, and their IDs to ask for. */
static void put_also_named(const struct profile_summary *s, struct buf *out)
{
	size_t nr = s->of_named.list.nr;

	if (nr < 2)
		return;
	buf_puts(out, "also named ");
	put_quoted(s->opts->of, out);
	for (size_t i = 1; i < MIN(nr, MOST_NAMED + 1); i++) {
		const struct summary_row *row = &s->of_named.list.v[i];

		buf_printf(out, "%s %s ", i > 1 ? "," : ":", row->id);
		put_name(row->name, out);
		buf_puts(out, " [");
		put_name(row->where, out);
		buf_putc(out, ']');
	}
	if (nr > MOST_NAMED + 1)
		buf_printf(out, ", and %zu more", nr - MOST_NAMED - 1);
	buf_putc(out, '\n');
}

/* Writes the recorded command, shortened to one line on a terminal. */
static void put_recorded(const struct profile_summary *s, const struct profile_info *info, struct buf *out)
{
	static const char before[] = "recorded: ";
	struct buf command = {0}, after = {0};

	put_name(info->command ? profile_string(s->profile, info->command) : "(it is not known how)", &command);
	if (info->hostname) {
		buf_puts(&after, " on ");
		put_name(profile_string(s->profile, info->hostname), &after);
	}
	if (info->first_time < info->last_time) {
		buf_puts(&after, ", ");
		put_duration(&after, info->last_time - info->first_time);
	}
	buf_puts(out, before);
	if (s->opts->width > sizeof(before) + after.len)
		fit_name(command.data, command.len, s->opts->width - sizeof(before) - after.len, out);
	else
		buf_put(out, command.data, command.len);
	buf_put(out, after.data, after.len);
	buf_release(&command);
	buf_release(&after);
}

static void put_head(const struct profile_summary *s, struct buf *out)
{
	const struct profile_event *e = event_of(s);
	const struct profile_info *info = &s->d->info;

	put_recorded(s, info, out);
	if (*s->opts->filters)
		buf_printf(out, "\nonly:%s", s->opts->filters);
	if (s->wall)
		buf_printf(out, "\n%s", s->wall);
	if (s->opts->counts) {
		buf_printf(out, "\ncounted, and not sampled:\n%s", s->opts->counts);
		return;
	}
	buf_puts(out, "\nevent: ");
	put_name(profile_string(s->profile, e->name), out);
	if (e->nr_filtered)
		buf_printf(out, ", %" PRIu64 " of %" PRIu64 " samples, ", e->nr, s->nr);
	else
		buf_printf(out, ", %" PRIu64 " samples, ", s->nr);
	if (e->nr_filtered) {
		put_amount_of(e, e->period, out);
		buf_puts(out, " of ");
	}
	put_amount_of(e, s->period, out);
	buf_puts(out, e->unit != PROFILE_NS ? " counted" : s->is_waits ? " off the CPU" :
		 s->is_wall ? " of wall time" : " of CPU");
	if (s->idle)
		buf_printf(out, ", idle %.1f %%", percent(s, s->idle));
	buf_putc(out, '\n');
	if (s->of)
		put_of(s, out);
	put_also_named(s, out);
	put_other_events(s, out);
}

static void put_text(const struct profile_summary *s, const struct next *next, size_t most, struct buf *out)
{
	put_head(s, out);
	if (s->of)
		put_findings(s, most, out);
	else if (s->opts->quality)
		put_quality(s, out);
	for (unsigned i = 0; i < s->nr_sections; i++) {
		if (s->opts->processes && str_eq(s->sections[i].name, "threads"))
			put_processes(s, most, out);
		put_section(s, &s->sections[i], most, out);
	}
	if (!s->of && !s->opts->quality)
		put_findings(s, most, out);
	for (unsigned i = 0; i < next->nr; i++) {
		buf_puts(out, i ? "      " : "\nnext: ");
		buf_put(out, next->commands[i].data, next->commands[i].len);
		buf_putc(out, '\n');
	}
}

/* ---- JSON ---- */

static void json_percent(const struct profile_summary *s, struct json *j, const char *name, uint64_t period)
{
	json_key(j, name);
	json_fixed(j, percent(s, period), 2);
}

static void json_rows(const struct profile_summary *s, struct json *j, const struct summary_section *section, size_t most)
{
	json_key_open(j, section->name, '[');
	for (size_t i = 0; i < nr_shown(s, section, most); i++) {
		const struct summary_row *row = &section->rows.list.v[i];

		json_open(j, '{');
		if (*row->id)
			json_key_string(j, "id", row->id);
		json_key_string(j, "name", row->name);
		if (row->where)
			json_key_string(j, "where", row->where);
		if (row->inlined)
			json_key_bool(j, "inlined", true);
		json_key_u64(j, "samples", row->nr);
		json_key_u64(j, "period", row->period);
		json_percent(s, j, "percent", row->period);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_finding(struct json *j, const struct finding *f)
{
	struct buf text = {0};

	json_open(j, '{');
	json_key_string(j, "id", finding_name(f->code));
	json_key_string(j, "severity", finding_severity_name(finding_severity(f)));
	json_key_u64(j, "count", f->count);
	finding_sentence(f, &text);
	json_key_string(j, "text", buf_str(&text));
	text.len = 0;
	finding_remedy(f, &text);
	json_key_string(j, "remedy", buf_str(&text));
	json_close(j, '}');
	buf_release(&text);
}

static void json_findings(const struct profile_summary *s, struct json *j, size_t most)
{
	size_t nr = 0;

	json_key_open(j, "findings", '[');
	vec_for(f, &s->findings->list)
		if ((!s->of || str_eq(finding_name(f->code), s->of)) && nr++ < most)
			json_finding(j, f);
	json_close(j, ']');
}

static void json_other_events(const struct profile_summary *s, struct json *j)
{
	json_key_open(j, "other_events", '[');
	for (uint32_t i = 0; i < s->d->events.nr; i++) {
		struct profile_sum sum = profile_summary_of_event(s, i);

		if (i == s->event || !sum.nr)
			continue;
		json_open(j, '{');
		json_key_string(j, "event", profile_string(s->profile, s->d->events.v[i].name));
		json_key_u64(j, "samples", sum.nr);
		json_key_u64(j, "period", sum.period);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* Writes the other functions that opts.of may mean, if there are any. */
static void json_also_named(const struct profile_summary *s, struct json *j)
{
	if (s->of_named.list.nr < 2)
		return;
	json_key_open(j, "also_named", '[');
	for (size_t i = 1; i < MIN(s->of_named.list.nr, SUMMARY_ROWS + 1); i++) {
		const struct summary_row *row = &s->of_named.list.v[i];

		json_open(j, '{');
		json_key_string(j, "id", row->id);
		json_key_string(j, "name", row->name);
		json_key_string(j, "where", row->where);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_head(const struct profile_summary *s, struct json *j)
{
	const struct profile_info *info = &s->d->info;

	json_key_string(j, "command", profile_string(s->profile, info->command));
	json_key_string(j, "host", profile_string(s->profile, info->hostname));
	json_key(j, "seconds");
	json_fixed(j, info->first_time < info->last_time ? (double)(info->last_time - info->first_time) / 1e9 : 0, 6);
	if (*s->opts->filters)
		json_key_string(j, "filters", s->opts->filters + 1);
	json_key_string(j, "event", profile_string(s->profile, event_of(s)->name));
	json_key_string(j, "unit", event_of(s)->unit == PROFILE_NS ? "ns" : "count");
	json_key_u64(j, "samples", s->nr);
	json_key_u64(j, "period", s->period);
	json_percent(s, j, "idle_percent", s->idle);
	json_other_events(s, j);
	if (!s->of)
		return;
	json_key_string(j, "of", s->of);
	json_key_string(j, "of_name", s->of_name);
	json_key_u64(j, "of_samples", s->of_nr);
	json_percent(s, j, "of_percent", s->of_period);
	json_also_named(s, j);
}

/* Writes how many rows of each section are left out. */
static void json_left_out(const struct profile_summary *s, struct json *j, size_t most)
{
	json_key_open(j, "left_out", '{');
	for (unsigned i = 0; i < s->nr_sections; i++)
		json_key_u64(j, s->sections[i].name, s->sections[i].rows.list.nr - nr_shown(s, &s->sections[i], most));
	json_close(j, '}');
	for (unsigned i = 0; i < s->nr_sections; i++)
		if (s->sections[i].rest_name && s->sections[i].rows.list.nr)
			json_percent(s, j, "no_caller_percent", s->sections[i].rest.period);
}

static void put_json(const struct profile_summary *s, const struct next *next, size_t most, struct buf *out)
{
	struct json j = { .out = out };

	json_open(&j, '{');
	json_head(s, &j);
	json_findings(s, &j, most);
	for (unsigned i = 0; i < s->nr_sections; i++)
		json_rows(s, &j, &s->sections[i], most);
	json_left_out(s, &j, most);
	json_key_open(&j, "next", '[');
	for (unsigned i = 0; i < next->nr; i++)
		json_string_n(&j, next->commands[i].data, next->commands[i].len);
	json_close(&j, ']');
	json_close(&j, '}');
	buf_putc(out, '\n');
}

/* ---- either ---- */

/* Prints with fewer and fewer rows, until the text fits the budget. */
void profile_summary_print(const struct profile_summary *s, const char *path, size_t budget, bool json, struct buf *out)
{
	size_t from = out->len, most = SUMMARY_ROWS;
	struct next next = {0};

	find_next(s, path, &next);
	do {
		out->len = from;
		if (json)
			put_json(s, &next, most, out);
		else
			put_text(s, &next, most, out);
	} while (budget && out->len - from > budget && --most);
	for (unsigned i = 0; i < MAX_NEXT; i++)
		buf_release(&next.commands[i]);
}
