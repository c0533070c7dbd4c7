/*
 * Hardware traces (AUX): the devices that prec knows, and the stage that decodes a device's trace.
 *
 * A device is two halves side by side, both compiled on every host: its recording, and the decoding of its trace. All
 * device-independent code is here and in the other files of this folder: --itrace (itrace.h), the bytes of a trace as streams
 * (queue.h), the running tasks (cpu_task.h), the program's code (block.h), the events that samples belong to (synth.h).
 * Layer: auxtrace
 */
#ifndef AUXTRACE_AUX_H
#define AUXTRACE_AUX_H

#include <stddef.h>
#include <stdint.h>

#include "auxtrace/itrace.h"

struct aux;
struct buf;
struct findings;
struct item;
struct ordered_text;
struct item_source;
struct trace_record;
struct session;
struct words;

struct source_extent;

/* The part of a trace to show: the rest need not be decoded. */
struct aux_window {
	bool (*wants)(const void *ctx, const struct source_extent *e);	/* NULL: everything */
	const void *ctx;
};

/* Input of a backend's open(); borrowed, lives longer than the source. */
struct aux_input {
	struct session *session;
	const struct words *info;		/* the AUXTRACE_INFO record's */
	const struct itrace_opts *opts;
	const struct aux_window *window;
};

struct aux_decode_ops {
	/*
	 * Make the source: events registered with session_add_event(), pieces listed. Prints what is wrong and returns
	 * -1, 0 with *out, or 0 with *out NULL if nothing is to be decoded.
	 */
	int (*open)(struct item_source **out, const struct aux_input *in);
	void (*close)(struct item_source *s);
	/* Becomes the source's .findings. */
	void (*findings)(const struct item_source *s, struct findings *out);
	/*
	 * Append a trace's packets as text for -D: the lines below ". ... NAME data: size N bytes". Not all at once: begins at
	 * @at, returns where to go on; at @size that is all. NULL: not known.
	 */
	size_t (*dump)(struct buf *out, const uint8_t *data, size_t size, size_t at);
	/*
	 * The same with more than the bytes, for a dump with a line of its own above: @record is the AUXTRACE record's,
	 * @dumper the result of dumper_new() on the whole recording, once. Called by several threads.
	 */
	void *(*dumper_new)(const struct session *s, const struct words *info);
	void (*dumper_free)(void *dumper);
	void (*dump_record)(struct ordered_text *out, const void *dumper, const struct session *s,
			    const struct trace_record *record);
	/* Append what AUXTRACE_INFO's words mean, a line each. NULL: not known. */
	void (*dump_info)(struct buf *out, const struct words *info);
};

/*
 * Decode what @session holds of a hardware trace, if any: its samples become items of the session.
 * @opts: if !opts->given, the defaults; @calls_only: those of script. Prints what is wrong and returns -1; 0 and *out
 * (aux_detach()) otherwise, NULL if there is no trace.
 */
int aux_attach(struct aux **out, struct session *session, const struct itrace_opts *opts, bool calls_only,
	       const struct aux_window *window);
/* After session_findings(), before session_close(). NULL is fine. */
void aux_detach(struct aux *a);

/*
 * For -D: aux_dump() appends what follows the record: a trace's packets, the meaning of AUXTRACE_INFO. @dumper: an
 * aux_dumper_new(), which borrows the session; aux_dumper_free() takes NULL, too.
 */
struct aux_dumper;
struct aux_dumper *aux_dumper_new(const struct session *s);
void aux_dumper_free(struct aux_dumper *d);
/* To be called by the print() of a ordered_pass, with its @out. */
void aux_dump(const void *dumper, const struct item *item, struct ordered_text *out);

#endif
