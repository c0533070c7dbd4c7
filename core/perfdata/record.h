/*
 * Defines the header and the bodies of the records of perf.data, and a table of the record types. sample.h defines samples.
 * CONTRIBUTING.md lists the steps to add a type.
 */
#ifndef CORE_PERFDATA_RECORD_H
#define CORE_PERFDATA_RECORD_H

#include "core/perfdata/abi.h"
#include "core/perfdata/sample.h"

struct buf;

struct record_header {
	uint32_t type;
	uint16_t misc, size;
};

#define RECORD_ALIGN 8

/* Bodies, by type. Strings and byte ranges are borrowed from the record. */
struct record_mmap {			/* MMAP and MMAP2 */
	uint32_t pid, tid;		/* pid UINT32_MAX: the kernel */
	uint64_t addr, len, pgoff;
	uint32_t maj, min, prot, flags;		/* MMAP2; prot 0 for MMAP (which is code unless MISC_MMAP_DATA) */
	uint64_t ino, ino_generation;
	uint8_t build_id_size;			/* > 0: build_id holds that many bytes (misc MMAP_BUILD_ID) */
	uint8_t build_id[20];
	const char *filename;
};
struct record_comm { uint32_t pid, tid; const char *comm; };	/* misc COMM_EXEC: by exec */
struct record_task { uint32_t pid, ppid, tid, ptid; uint64_t time; };	/* FORK and EXIT */
struct record_lost { uint64_t id, lost; };			/* LOST; LOST_SAMPLES has only lost */
struct record_throttle { uint64_t time, id, stream_id; };
struct record_read { uint32_t pid, tid; struct words values; };
struct record_aux { uint64_t offset, size, flags; };
struct record_itrace { uint32_t pid, tid; };
struct record_switch { uint32_t next_prev_pid, next_prev_tid; };	/* SWITCH_CPU_WIDE only */
struct record_namespaces { uint32_t pid, tid; uint64_t nr; struct words links; };	/* 2 words each: dev, inode */
struct record_ksymbol { uint64_t addr; uint32_t len; uint16_t ksym_type, flags; const char *name; };
struct record_bpf { uint16_t bpf_type, flags; uint32_t id; uint8_t tag[8]; };
struct record_cgroup { uint64_t id; const char *path; };
struct record_text_poke { uint64_t addr; uint16_t old_len, new_len; const void *bytes; };
struct record_hw_id { uint64_t hw_id; };
struct record_deferred { uint64_t cookie; struct words chain; };
struct record_build_id { uint32_t pid; uint8_t build_id[20], size; const char *filename; };	/* see also the feature */
struct record_auxtrace_info { uint32_t type, reserved; struct words priv; };
struct record_auxtrace { uint64_t size, offset, reference; uint32_t idx, tid, cpu, reserved; };	/* @size bytes follow */
struct record_auxtrace_error {
	uint32_t type, code, cpu, pid, tid, fmt;
	uint64_t ip, time;
	char msg[64];
	uint32_t machine_pid, vcpu;
};
struct record_time_conv { uint64_t shift, mult, zero, cycles, mask; uint8_t cap_zero, cap_short; };
struct record_id_index { uint64_t nr; struct words entries; };	/* 4 words each: id, idx, cpu, tid */
struct record_event_update { uint64_t type, id; const void *data; uint64_t size; };
struct record_feature { uint64_t id; const void *data; uint64_t size; };
struct record_payload { const void *data; uint64_t size; };	/* COMPRESSED, COMPRESSED2, HEADER_ATTR, TRACING_DATA, maps ... */

struct record {
	struct record_header header;	/* native byte order */
	uint64_t offset;		/* in the file, for messages */
	union {
		struct record_mmap mmap;
		struct record_comm comm;
		struct record_task task;
		struct record_lost lost;
		struct record_throttle throttle;
		struct record_read read;
		struct record_aux aux;
		struct record_itrace itrace;
		struct record_switch sw;
		struct record_namespaces namespaces;
		struct record_ksymbol ksymbol;
		struct record_bpf bpf;
		struct record_cgroup cgroup;
		struct record_text_poke text_poke;
		struct record_hw_id hw_id;
		struct record_deferred deferred;
		struct record_build_id build_id;
		struct record_auxtrace_info auxtrace_info;
		struct record_auxtrace auxtrace;
		struct record_auxtrace_error auxtrace_error;
		struct record_time_conv time_conv;
		struct record_id_index id_index;
		struct record_event_update event_update;
		struct record_feature feature;
		struct record_payload payload;
		struct sample sample;
	};
	struct sample_id id;		/* the trailer; only with layout->id_size */
};

/* The header of the record at @p, which need not be aligned. */
static inline struct record_header record_header_of(const void *p)
{
	struct record_header h;

	__builtin_memcpy(&h, p, sizeof(h));
	return h;
}

/*
 * Reads the header of the record at offset @at of the @n bytes at @records, which are in native byte order. False at the end, and
 * for an incomplete record. The next record is at @at + h->size.
 */
static inline bool record_header_at(const void *records, size_t n, size_t at, struct record_header *h)
{
	if (n - at < sizeof(*h))
		return false;
	__builtin_memcpy(h, (const uint8_t *)records + at, sizeof(*h));
	return h->size >= sizeof(*h) && h->size <= n - at;
}

/* True for the last synthesized map of a process whose other maps are missing because time ran out. */
static inline bool record_is_cut_map(const struct record_header *h)
{
	return (h->type == PERF_RECORD_MMAP || h->type == PERF_RECORD_MMAP2) &&
	       h->misc & PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT;
}

/* The options that make script print a record: --show-*-events. */
enum record_show {
	SHOW_MMAP = 1, SHOW_TASK = 2, SHOW_LOST = 4, SHOW_SWITCH = 8, SHOW_NAMESPACES = 16, SHOW_CGROUP = 32, SHOW_BPF = 64,
	SHOW_TEXT_POKE = 128, SHOW_ROUND = 256,
	SHOW_ALWAYS = 512,		/* whatever the options */
};

/* When records of a type are kept for the decoders of hardware trace. KEPT_WITH_TRACE: only after an AUXTRACE_INFO record. */
enum record_kept { KEPT_NEVER, KEPT_ALWAYS, KEPT_WITH_TRACE };

/* Properties of a record type. */
struct record_type {
	const char *name;		/* "MMAP2"; NULL for a type prec does not know */
	void (*pass)(struct wire *w, struct record *r);	/* passes the body; NULL: the body's layout depends on the event */
	uint16_t show;			/* SHOW_*, each of which prints it; 0: script never prints it */
	uint8_t kept;			/* enum record_kept */
	/* Offsets, in struct record, of the pid and tid that the record is about; 0: the thread in its trailer, which ran. */
	uint16_t pid_at, tid_at;
};

/* The row of @type, static; a row of zeros if prec does not know the type. */
const struct record_type *record_type_of(uint32_t type);
static inline const char *record_name(uint32_t type)
{
	return record_type_of(type)->name;
}

/*
 * Passes the whole record with its header. @l is the layout of the record's event, for samples and trailers; NULL: no trailer.
 * If header.size is 0, writing first computes it by a measuring pass. Strings are padded to 8 bytes.
 * The payload that follows an AUXTRACE or TRACING_DATA record is not part of the record.
 * Returns 0; -EINVAL if the body does not fit the size; -ENOTSUP for an unknown type, after passing only the header.
 */
int record_pass(struct wire *w, const struct sample_layout *l, struct record *rec);

/* Read the record at @p; the caller has checked that header.size bytes are there. */
int record_read(struct record *out, const void *p, const struct sample_layout *l);

/* Append @rec as bytes to @out. Returns 0 or -EINVAL. */
int record_append(struct buf *out, const struct sample_layout *l, struct record *rec);

/* Prints a record as -D does: "PERF_RECORD_COMM: demo:12/12". It may have several lines; the caller adds the last newline. */
void record_print(const struct record *rec, struct buf *out);

/* The same without the type's name, as script prints an AUXTRACE_ERROR between samples. */
void record_print_words(const struct record *rec, struct buf *out);

#endif
