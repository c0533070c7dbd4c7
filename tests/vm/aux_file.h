/*
 * The AUX side of a perf.data file, read apart from the library so that the two can disagree: which pieces of trace
 * it holds, and which records announce them.
 *
 */
#ifndef TESTS_VM_AUX_FILE_H
#define TESTS_VM_AUX_FILE_H

#include <stddef.h>
#include <stdint.h>

#define AUX_TRUNCATED	1
#define AUX_OVERWRITE	2

/* One PERF_RECORD_AUXTRACE. */
struct piece {
	uint64_t offset;	/* in the AUX area's numbering */
	uint64_t size;		/* includes up to seven bytes of padding */
	const uint8_t *data;	/* borrowed from the file */
};

/* One PERF_RECORD_AUX. */
struct announcement {
	uint64_t offset, size, flags;
};

/* An AUX area: that of a CPU, or (cpu -1) that of a thread. */
struct buffer {
	int32_t cpu, tid;
	struct piece *pieces;		/* in the order of the file */
	size_t nr_pieces;
	struct announcement *announced;	/* the same */
	size_t nr_announced;
};

/* Trace in a sample. */
struct aux_sample {
	const uint8_t *data;	/* borrowed from the file */
	uint64_t size;
};

struct aux_file {
	uint8_t **parts;		/* unpacked records, a part a file */
	size_t nr_parts;
	int cut;			/* a part ends within a record */
	struct event *events;
	size_t nr_events;
	struct buffer *buffers;
	size_t nr_buffers;
	struct aux_sample *samples;	/* those with trace, in the order of the file */
	size_t nr_samples;
	uint64_t lost;		/* LOST records' counts: with any, records may be missing */
};

/*
 * Read a file, or one more of the same recording, whose events and ids are the same. 0, or -1 and a message on stderr.
 * Either way aux_file_close() frees what there is.
 */
int aux_file_add(struct aux_file *f, const char *path);
void aux_file_close(struct aux_file *f);

#endif
