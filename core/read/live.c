/*
 * Reads a recording from a pipe while the recorder still writes it. It makes the first pass (session.h), which collects maps and
 * processes, in steps as records arrive. ordered.c shows the new records after each step.
 */
#include "core/read/live.h"

#include <string.h>

#include "core/read/scan.h"
#include "core/perfdata/pipe_reader.h"
#include "core/model/machine.h"

/*
 * While more data are available at once, collects this many bytes, enough for all workers, before they are shown. Sealing the
 * machine takes time for each map and thread, so if there are many, more is collected.
 */
#define GATHER_LEAST	(8u << 20)
#define GATHER_PER_LIFE	256u

struct live {
	struct scan *scan;
	struct data_file *file;
	struct machine *machine;
	struct scan_pass *pass;	/* owned; NULL: the stream has ended */
	uint64_t upto;		/* records up to this time may be shown */
	uint64_t gathered;	/* bytes that arrived since the last live_advance() */
};

/* Scans the complete records that were read. Returns 0 or -1 (printed). */
static int read_records(struct live *l)
{
	struct pipe_reader *in = l->file->pipe_reader;
	const uint8_t *data;
	int64_t taken;
	size_t size;

	data = pipe_reader_rest(in, &size);
	taken = scan_add(l->pass, data, size, pipe_reader_offset(in));
	if (taken < 0)
		return -1;
	pipe_reader_consume(in, (size_t)taken);
	l->gathered += (uint64_t)taken;
	return 0;
}

static void add_failure(struct data_file *f, int err)
{
	char *path = xasprintf("cannot read '%s' further: %s", f->path, strerror(err));

	findings_add(&f->findings, FINDING_READ_FAILED, 1, 0, path);
	free(path);
}

static int read_more(struct live *l, bool *ended)
{
	int64_t came = pipe_reader_read(l->file->pipe_reader);

	if (came < 0)
		add_failure(l->file, (int)-came);
	*ended = came <= 0;
	return read_records(l);
}

/* Handles the end of the stream, which is then treated as a file. */
static void end_pass(struct live *l)
{
	struct data_file *f = l->file;
	struct data_part *part = &f->parts.v[0];
	uint64_t whole = pipe_reader_offset(f->pipe_reader);
	size_t left;

	pipe_reader_rest(f->pipe_reader, &left);
	f->size = whole + left;
	part->size = f->data_size = f->promised_size = f->size - part->offset;
	scan_end(l->pass, left > 0, whole - part->offset);
	l->pass = NULL;
}

/* ---- the beginning ---- */

static bool can_be_live(const struct live *l)
{
	if (l->scan->counts.by_type[RECORD_AUXTRACE_INFO])
		return false;
	/* The user parts of deferred call chains arrive later than the samples. */
	vec_for(ev, &l->file->events.events)
		if ((*ev)->attr.defer_callchain || (*ev)->attr.defer_output)
			return false;
	return true;
}

int live_begin(struct live **out, struct scan *scan, struct data_file *file, struct machine *machine)
{
	struct live *l = xcalloc(1, sizeof(*l));
	bool ended = false;
	int err;

	*l = (struct live){ .scan = scan, .file = file, .machine = machine };
	l->pass = scan_begin(scan, file, machine);
	err = read_records(l);	/* records that came with the header */
	while (!err && !ended && !scan_past_start(l->pass))
		err = read_more(l, &ended);
	if (err || !can_be_live(l)) {
		live_free(l);
		scan_release(scan);
		*scan = (struct scan){0};
		return err ? err : 1;
	}
	scan_go_live(l->pass);
	if (ended)
		end_pass(l);
	*out = l;
	return 0;
}

void live_free(struct live *l)
{
	if (!l)
		return;
	if (l->pass)
		scan_end(l->pass, false, 0);
	free(l);
}

/* ---- going on ---- */

static uint64_t settled(const struct live *l)
{
	if (!l->pass || l->scan->by_position)
		return UINT64_MAX;
	return l->scan->settled;
}

/* True if there is enough to show. */
static bool is_due(const struct live *l)
{
	uint64_t enough = MAX(GATHER_LEAST, (uint64_t)GATHER_PER_LIFE * machine_nr_threads(l->machine));

	if (!l->pass)
		return true;
	if (!l->gathered || !settled(l))
		return false;
	return l->gathered >= enough ||
	       ((l->scan->by_position || settled(l) > l->upto) && !pipe_reader_is_ready(l->file->pipe_reader));
}

bool live_advance(struct live *l, uint64_t *upto, bool *changed)
{
	bool ended = false;

	while (!is_due(l)) {
		if (read_more(l, &ended) || ended)
			end_pass(l);
	}
	l->gathered = 0;
	*upto = l->upto = settled(l);
	scan_apply_side_band(l->scan, l->file, l->machine, l->upto);
	*changed = machine_seal(l->machine);
	return l->pass;
}

void live_release_before(struct live *l, uint64_t position)
{
	struct pipe_reader *in = l->file->pipe_reader;
	uint64_t needed = scan_release_before(l->scan, MIN(position, scan_first_side_band(l->scan)));

	pipe_reader_release_before(in, MIN(needed, pipe_reader_offset(in)));
}
