/*
 * Writes the log of --itrace=d: each packet of the Intel PT trace, then the instructions that the packet shows to have run, and
 * the decode errors. sampler.c decodes the trace in a separate pass for the log.
 */
#include "auxtrace/intel_pt/sampler.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "auxtrace/block.h"
#include "core/base/log.h"
#include "core/base/outfile.h"

#define LOG_FILE	"intel_pt.log"	/* as perf's */
#define AT_ONCE		(1u << 20)	/* bytes of text */
#define BEFORE_ERROR	(16u << 10)	/* bytes of text that are printed with an error, if only errors are logged; as in perf */
#define MAX_INSN	15

struct pt_log {
	struct outfile out;
	struct buf text;	/* not written yet */
	bool errors_only;
	size_t size, at;	/* .size: bytes of the piece's data; .at: the packets before this offset are logged */
};

static void put_text(struct pt_log *log)
{
	if (!log->text.len)
		return;
	buf_put(&log->out.buf, log->text.data, log->text.len);
	outfile_maybe_flush(&log->out);
	log->text.len = 0;
}

/* Shortens the text to whole lines at its end: about as many as are printed with an error. */
static void shorten(struct pt_log *log)
{
	const char *begin, *line;

	if (log->text.len < 4 * BEFORE_ERROR)
		return;
	begin = log->text.data + log->text.len - BEFORE_ERROR;
	line = memchr(begin, '\n', BEFORE_ERROR);
	begin = line ? line + 1 : begin;
	log->text.len = (size_t)(log->text.data + log->text.len - begin);
	memmove(log->text.data, begin, log->text.len);
}

static void log_packets(struct pt_worker *w, uint64_t offset)
{
	struct pt_log *log = w->log;

	while (log->at < log->size && log->at <= offset)
		log->at = pt_dump(&log->text, w->data, log->size, log->at, 1);
	if (log->errors_only)
		shorten(log);
	else if (log->text.len > AT_ONCE)
		put_text(log);
}

static void log_block(void *ctx, const struct pt_state *s, const struct block *b, unsigned from, unsigned to)
{
	struct pt_worker *w = ctx;
	struct buf *text = &w->log->text;

	log_packets(w, s->offset);
	for (; from < to; from++) {
		uint64_t ip = block_insn_ip(b, from);
		uint8_t bytes[MAX_INSN];
		size_t n = MIN((size_t)b->sizes[from], sizeof(bytes));

		buf_puts(text, "          ");
		buf_hex0(text, ip, 8);
		buf_puts(text, ": ");
		n = aux_read_code(&w->aux, w->aux.space, ip, bytes, n);
		for (size_t i = 0; i < n; i++) {
			buf_putc(text, ' ');
			buf_hex0(text, bytes[i], 2);
		}
		buf_putc(text, '\n');
	}
}

static void log_gap(void *ctx, const struct pt_state *s, const struct pt_gap *g)
{
	struct pt_worker *w = ctx;

	log_packets(w, s->offset);
	buf_printf(&w->log->text, "error: %s at %#" PRIx64 ", offset %#" PRIx64 "\n", pt_gap_text(g->reason), g->ip, g->offset);
	put_text(w->log);
}

static void log_piece(struct pt_worker *w, size_t number)
{
	const struct pt_piece *p = &w->stage->pieces.v[number];
	struct pt_log *log = w->log;

	buf_printf(&log->text, "queue %" PRIu32 " cpu %d tid %d: from byte %#" PRIx64 "\n", p->queue->number, (int)p->queue->cpu,
		   (int)p->queue->tid, p->from);
	log->at = 0;
	log->size = p->to - p->from;
	pt_sampler_follow(w, number);
	log_packets(w, UINT64_MAX);
}

/* For the log, one thread decodes the trace in a separate pass. */
int pt_log(struct pt_stage *s)
{
	static const struct pt_sink calls = { .block = log_block, .gap = log_gap };
	struct pt_log log = { .errors_only = s->aux.opts.debug_errors };
	struct pt_worker *w;

	fflush(stdout);		/* the log may go there, too, after earlier output */
	if (outfile_open(&log.out, s->aux.opts.debug_stdout ? NULL : LOG_FILE))
		return -1;
	w = pt_sampler_new_log(s, &log, &calls);
	for (size_t i = 0; i < s->pieces.nr; i++)
		log_piece(w, i);
	if (!log.errors_only)
		put_text(&log);
	pt_sampler_free(&s->aux.source, w);
	buf_release(&log.text);
	return outfile_close(&log.out);
}
