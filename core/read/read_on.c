/*
 * Implements session_read_on(), which reads what a recorder has added to its files since they were last read. The browser of
 * `prec report` calls it to update its view.
 */
#include "core/base/phase.h"
#include "core/model/machine.h"
#include "core/read/session.h"
#include "core/read/session_impl.h"

/* True if no sample depends on later records. */
static bool is_plain(const struct event *ev)
{
	const struct event_attr *a = &ev->attr;

	return a->type != PERF_TYPE_TRACEPOINT && !ev->is_offcpu_raw && !a->context_switch && !a->defer_callchain &&
	       !a->defer_output && !(a->sample_type & PERF_SAMPLE_AUX);
}

bool session_may_read_on(const struct session *s)
{
	if (!s->file->pieces || s->scan.by_position || s->scan.has_trace || !s->scan.settled)
		return false;
	vec_for(ev, &s->file->events.events)
		if (!is_plain(*ev))
			return false;
	return true;
}

/* True if half of the records that were read are gone, so that most processes of the machine are not needed any more. */
static bool is_worn(const struct session *s)
{
	return s->dropped > s->scan.counts.bytes;
}

/* True if a piece from @first on has a table of Python code. The machine has read one already, and cannot read another. */
static bool has_new_python(const struct session *s, size_t first)
{
	for (size_t i = first; i < s->file->parts.nr; i++)
		if (s->file->parts.v[i].whole->features.python.packed)
			return true;
	return false;
}

/* The features of the newest finished piece. */
static const struct features *newest_features(const struct session *s)
{
	for (size_t i = s->file->parts.nr; i-- > 0;) {
		const struct data_part *part = &s->file->parts.v[i];

		if (part->complete)
			return part->whole ? &part->whole->features : &s->file->features;
	}
	return &s->file->features;
}

static void forget(struct session *s, size_t gone)
{
	for (size_t i = 0; i < gone; i++)
		s->dropped += s->scan.of_parts.v[i].bytes;
	scan_forget_parts(&s->scan, s->file, gone);
	data_file_drop_parts(s->file, gone);
	findings_release(&s->found);
	s->found = (struct findings){0};
}

bool session_read_on(struct session *s, char *const *pieces, size_t nr, bool ended)
{
	struct phase phase = phase_begin();
	const struct features *f;
	size_t gone, first;

	if (s->upto == UINT64_MAX || s->sources.nr || machine_has_jitdumps(s->machine) ||
	    !data_file_goes_on(s->file, pieces, nr, &gone))
		return false;
	forget(s, gone);
	first = s->file->parts.nr;
	data_file_read_on(s->file, pieces, nr);
	f = newest_features(s);
	machine_set_jit_maps(s->machine, f->jit_maps.v, f->jit_maps.nr);
	if (is_worn(s) || has_new_python(s, first) || scan_read_on(&s->scan, s->file, s->machine))
		return false;
	s->upto = ended ? UINT64_MAX : s->scan.settled;
	machine_set_clock(s->machine, s->file->written_ns, s->scan.time, s->file->copied);
	scan_apply_side_band(&s->scan, s->file, s->machine, s->upto);
	machine_seal(s->machine);
	phase_end(&phase, "reading on");
	return true;
}
