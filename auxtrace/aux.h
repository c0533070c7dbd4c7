/*
 * Decodes the hardware trace (AUX data) of a recording into samples when a command calls aux_attach(). Also prints the packets
 * for prec script -D. Each trace device implements struct aux_decode_ops in a subfolder, such as intel_pt.
 */
#ifndef AUXTRACE_AUX_H
#define AUXTRACE_AUX_H

#include <stddef.h>
#include <stdint.h>

#include "auxtrace/itrace.h"
#include "core/read/source.h"

struct arch;
struct aux_stage;
struct buf;
struct ordered_text;
struct trace_record;
struct session;
struct words;

struct aux_decode_ops {
	size_t stage_size;		/* bytes of the device's stage, which begins with a struct aux_stage (stage.h) */
	const struct arch *arch;	/* the traced machine's */
	struct item_source source;	/* its functions, except skip(). close() gets the stage of a failed open(), too */
	/*
	 * Completes the zeroed stage: registers its events with session_add_event(), and lists its pieces. @info: the words of the
	 * AUXTRACE_INFO record. Returns 0; or prints an error and returns -1.
	 */
	int (*open)(struct aux_stage *s, const struct words *info, const struct aux_window *window);
	/*
	 * Appends a trace's packets as text for -D: the lines below ". ... NAME data: size N bytes". Each call prints a
	 * part, from offset @at, and returns the offset for the next call, or @size at the end. NULL: packets of this device
	 * cannot be printed.
	 */
	size_t (*dump)(struct buf *out, const uint8_t *data, size_t size, size_t at);
	/*
	 * Used in place of .dump() by a device whose packets need more than the bytes. Also prints the line above. @dumper is the
	 * result of dumper_new(), called once for the recording; @record is that of the AUXTRACE record. Called by several threads.
	 */
	void *(*dumper_new)(const struct session *s, const struct words *info);
	void (*dumper_free)(void *dumper);
	void (*dump_record)(struct ordered_text *out, const void *dumper, const struct session *s,
			    const struct trace_record *record);
	/* Appends the words of AUXTRACE_INFO with their meaning, one per line. */
	void (*dump_info)(struct buf *out, const struct words *info);
};

/*
 * Attaches the decoder of the session's hardware trace: the decoded samples become items of the session, which frees the decoder.
 * If !opts->given, the samples are those of itrace_default(), which gets @calls_only. Returns 0 and sets *attached (unless NULL;
 * false: there is no trace); or prints an error and returns -1.
 */
int aux_attach(bool *attached, struct session *session, const struct itrace_opts *opts, bool calls_only,
	       const struct aux_window *window);

/*
 * For -D: aux_dump() appends the text that follows a record's line: the packets of a trace, or the fields of AUXTRACE_INFO. Its
 * @dumper is the result of aux_dumper_new(), which borrows the session. aux_dumper_free() may get NULL.
 */
struct aux_dumper;
struct aux_dumper *aux_dumper_new(const struct session *s);
void aux_dumper_free(struct aux_dumper *d);
/* To be called by the print() of an ordered_pass, with its @out. */
void aux_dump(const void *dumper, const struct item *item, struct ordered_text *out);

#endif
