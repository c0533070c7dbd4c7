/*
 * Reads and writes the records of perf.data. One function for each record type lists the fields of the body, and serves both
 * reading and writing. sample.c handles samples. record_print.c prints records.
 */
#include "core/perfdata/record.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/buf.h"
#include "core/perfdata/attr.h"
#include "core/binary/build_id.h"

#define HEADER_SIZE	8u
#define SIZE_MAX_RECORD	UINT16_MAX

/* Passes all that is left of the body, as bytes. */
static void rest(struct wire *w, const void **data, uint64_t *size)
{
	if (wire_reading(w))
		*size = wire_left(w);
	wire_bytes(w, data, *size);
}

/* Passes all that is left of the body, as whole words. */
static void rest_words(struct wire *w, struct words *v)
{
	wire_words(w, v, wire_reading(w) ? wire_left(w) / 8 : v->nr);
}

/* Passes @nr groups of @each words. An @nr that no record can hold is an error, so the product cannot overflow. */
static void counted_words(struct wire *w, struct words *v, uint64_t nr, unsigned each)
{
	if (nr > SIZE_MAX_RECORD) {
		w->bad = true;
		nr = 0;
	}
	wire_words(w, v, nr * each);
}

static void range_pass(struct wire *w, struct record_mmap *m)
{
	wire_u32(w, &m->pid);
	wire_u32(w, &m->tid);
	wire_u64(w, &m->addr);
	wire_u64(w, &m->len);
	wire_u64(w, &m->pgoff);
}

static void mmap_pass(struct wire *w, struct record *r)
{
	range_pass(w, &r->mmap);
	wire_string(w, &r->mmap.filename);
}

/* The bits that prot can have: PROT_READ to PROT_MTE and kin, PROT_GROWSDOWN, PROT_GROWSUP (asm-generic/mman). */
#define PROT_BITS	0x0300003fu

/*
 * True if the name is at the place of prot and flags, as before Linux 3.16 (and in RHEL 7's 3.10). The first four letters of a path
 * have other bits than a prot. The mode of a file, which perf inject --jit writes as prot, has other bits, too, but does not look
 * like the first letter of a path.
 */
static bool without_prot(const struct wire *w)
{
	uint32_t prot;

	if (!wire_reading(w) || wire_left(w) < sizeof(prot))
		return false;
	memcpy(&prot, w->pos, sizeof(prot));
	if (w->swap)
		prot = __builtin_bswap32(prot);
	return prot & ~PROT_BITS && (*w->pos == '/' || *w->pos == '[');
}

static void prot_pass(struct wire *w, struct record *r)
{
	if (without_prot(w)) {
		r->mmap.prot = PROT_READ | (r->header.misc & PERF_RECORD_MISC_MMAP_DATA ? 0 : PROT_EXEC);
		r->mmap.flags = MAP_PRIVATE;
		return;
	}
	wire_u32(w, &r->mmap.prot);
	wire_u32(w, &r->mmap.flags);
}

static void mmap2_pass(struct wire *w, struct record *r)
{
	struct record_mmap *m = &r->mmap;

	range_pass(w, m);
	if (r->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {	/* Linux 5.12: instead of the inode */
		wire_u8(w, &m->build_id_size);
		wire_zeros(w, 3);
		wire_copy(w, m->build_id, sizeof(m->build_id));
		if (m->build_id_size > sizeof(m->build_id))
			w->bad = true;
	} else {
		wire_u32(w, &m->maj);
		wire_u32(w, &m->min);
		wire_u64(w, &m->ino);
		wire_u64(w, &m->ino_generation);
	}
	prot_pass(w, r);
	wire_string(w, &m->filename);
}

static void lost_pass(struct wire *w, struct record *r)
{
	wire_u64(w, &r->lost.id);
	wire_u64(w, &r->lost.lost);
}

static void lost_samples_pass(struct wire *w, struct record *r)
{
	wire_u64(w, &r->lost.lost);
}

static void comm_pass(struct wire *w, struct record *r)
{
	wire_u32(w, &r->comm.pid);
	wire_u32(w, &r->comm.tid);
	wire_string(w, &r->comm.comm);
}

static void task_pass(struct wire *w, struct record *r)
{
	wire_u32(w, &r->task.pid);
	wire_u32(w, &r->task.ppid);
	wire_u32(w, &r->task.tid);
	wire_u32(w, &r->task.ptid);
	wire_u64(w, &r->task.time);
}

static void throttle_pass(struct wire *w, struct record *r)
{
	wire_u64(w, &r->throttle.time);
	wire_u64(w, &r->throttle.id);
	wire_u64(w, &r->throttle.stream_id);
}

static void read_pass(struct wire *w, struct record *r)
{
	wire_u32(w, &r->read.pid);
	wire_u32(w, &r->read.tid);
	rest_words(w, &r->read.values);
}

static void aux_pass(struct wire *w, struct record *r)
{
	wire_u64(w, &r->aux.offset);
	wire_u64(w, &r->aux.size);
	wire_u64(w, &r->aux.flags);
}

static void itrace_pass(struct wire *w, struct record *r)
{
	wire_u32(w, &r->itrace.pid);
	wire_u32(w, &r->itrace.tid);
}

static void empty_pass(struct wire *w, struct record *r)
{
	(void)w, (void)r;
}

static void switch_cpu_wide_pass(struct wire *w, struct record *r)
{
	wire_u32(w, &r->sw.next_prev_pid);
	wire_u32(w, &r->sw.next_prev_tid);
}

static void namespaces_pass(struct wire *w, struct record *r)
{
	wire_u32(w, &r->namespaces.pid);
	wire_u32(w, &r->namespaces.tid);
	wire_u64(w, &r->namespaces.nr);
	counted_words(w, &r->namespaces.links, r->namespaces.nr, 2);
}

static void ksymbol_pass(struct wire *w, struct record *r)
{
	wire_u64(w, &r->ksymbol.addr);
	wire_u32(w, &r->ksymbol.len);
	wire_u16(w, &r->ksymbol.ksym_type);
	wire_u16(w, &r->ksymbol.flags);
	wire_string(w, &r->ksymbol.name);
}

static void bpf_pass(struct wire *w, struct record *r)
{
	wire_u16(w, &r->bpf.bpf_type);
	wire_u16(w, &r->bpf.flags);
	wire_u32(w, &r->bpf.id);
	wire_copy(w, r->bpf.tag, sizeof(r->bpf.tag));
}

static void cgroup_pass(struct wire *w, struct record *r)
{
	wire_u64(w, &r->cgroup.id);
	wire_string(w, &r->cgroup.path);
}

static void text_poke_pass(struct wire *w, struct record *r)
{
	struct record_text_poke *t = &r->text_poke;

	wire_u64(w, &t->addr);
	wire_u16(w, &t->old_len);
	wire_u16(w, &t->new_len);
	wire_bytes(w, &t->bytes, (uint64_t)t->old_len + t->new_len);
	if (!wire_reading(w))
		wire_align(w, RECORD_ALIGN);
}

static void hw_id_pass(struct wire *w, struct record *r)
{
	wire_u64(w, &r->hw_id.hw_id);
}

static void deferred_pass(struct wire *w, struct record *r)
{
	wire_u64(w, &r->deferred.cookie);
	wire_u64(w, &r->deferred.chain.nr);
	counted_words(w, &r->deferred.chain, r->deferred.chain.nr, 1);
}

static void payload_pass(struct wire *w, struct record *r)
{
	rest(w, &r->payload.data, &r->payload.size);
}

/* A perf_event_attr and its ids. Reading passes each field, so that those of the other byte order are swapped in the record. */
static void header_attr_pass(struct wire *w, struct record *r)
{
	struct wire inner = *w;
	struct event_attr attr;
	struct words ids;

	if (wire_reading(w) && !w->bad) {
		if (attr_pass(&inner, &attr, wire_left(w)))
			w->bad = true;
		else
			rest_words(&inner, &ids);
	}
	payload_pass(w, r);
}

static void tracing_data_pass(struct wire *w, struct record *r)
{
	struct wire inner = *w;
	uint32_t size;

	if (wire_reading(w))
		wire_u32(&inner, &size);
	payload_pass(w, r);
}

static void build_id_pass(struct wire *w, struct record *r)
{
	struct record_build_id *b = &r->build_id;

	wire_u32(w, &b->pid);
	wire_copy(w, b->build_id, sizeof(b->build_id));
	wire_u8(w, &b->size);
	wire_zeros(w, 3);
	if (wire_reading(w) && (!(r->header.misc & RECORD_MISC_BUILD_ID_SIZE) || b->size > sizeof(b->build_id)))
		b->size = sizeof(b->build_id);
	wire_string(w, &b->filename);
	if (!wire_reading(w))
		wire_align(w, RECORD_ALIGN);
}

static void id_index_pass(struct wire *w, struct record *r)
{
	wire_u64(w, &r->id_index.nr);
	counted_words(w, &r->id_index.entries, r->id_index.nr, 4);
}

static void auxtrace_info_pass(struct wire *w, struct record *r)
{
	wire_u32(w, &r->auxtrace_info.type);
	wire_u32(w, &r->auxtrace_info.reserved);
	rest_words(w, &r->auxtrace_info.priv);
}

static void auxtrace_pass(struct wire *w, struct record *r)
{
	struct record_auxtrace *a = &r->auxtrace;

	wire_u64(w, &a->size);
	wire_u64(w, &a->offset);
	wire_u64(w, &a->reference);
	wire_u32(w, &a->idx);
	wire_u32(w, &a->tid);
	wire_u32(w, &a->cpu);
	wire_u32(w, &a->reserved);
}

/* A message that is shorter than its room ends the record. A record of fmt 0 has no time, and one of fmt 2 also has the guest. */
static void auxtrace_error_pass(struct wire *w, struct record *r)
{
	struct record_auxtrace_error *e = &r->auxtrace_error;

	wire_u32(w, &e->type);
	wire_u32(w, &e->code);
	wire_u32(w, &e->cpu);
	wire_u32(w, &e->pid);
	wire_u32(w, &e->tid);
	wire_u32(w, &e->fmt);
	wire_u64(w, &e->ip);
	if (e->fmt >= 1)
		wire_u64(w, &e->time);
	wire_copy(w, e->msg, wire_reading(w) ? MIN(sizeof(e->msg), wire_left(w)) : sizeof(e->msg));
	if (wire_reading(w))
		e->msg[sizeof(e->msg) - 1] = '\0';
	if (e->fmt >= 2 && (!wire_reading(w) || wire_left(w) >= 8)) {
		wire_u32(w, &e->machine_pid);
		wire_u32(w, &e->vcpu);
	}
}

static void time_conv_pass(struct wire *w, struct record *r)
{
	struct record_time_conv *t = &r->time_conv;

	wire_u64(w, &t->shift);
	wire_u64(w, &t->mult);
	wire_u64(w, &t->zero);
	if (wire_reading(w) && wire_left(w) < 24)	/* before Linux 5.10 that was all */
		return;
	wire_u64(w, &t->cycles);
	wire_u64(w, &t->mask);
	wire_u8(w, &t->cap_zero);
	wire_u8(w, &t->cap_short);
	wire_zeros(w, 6);
}

static void event_update_pass(struct wire *w, struct record *r)
{
	struct wire inner;
	uint64_t scale;

	wire_u64(w, &r->event_update.type);
	wire_u64(w, &r->event_update.id);
	inner = *w;
	if (wire_reading(w) && r->event_update.type == EVENT_UPDATE_SCALE)
		wire_u64(&inner, &scale);
	rest(w, &r->event_update.data, &r->event_update.size);
}

/* The section's bytes keep their byte order: feature_pass() of the same file reads them. */
static void feature_record_pass(struct wire *w, struct record *r)
{
	wire_u64(w, &r->feature.id);
	rest(w, &r->feature.data, &r->feature.size);
}

static void compressed2_pass(struct wire *w, struct record *r)
{
	wire_u64(w, &r->payload.size);
	wire_bytes(w, &r->payload.data, r->payload.size);
	if (!wire_reading(w))
		wire_align(w, RECORD_ALIGN);
}

#define TASK(pid, tid)	offsetof(struct record, pid), offsetof(struct record, tid)

/* record_print.c prints records. The task of a FORK record is the parent, because prec script shows it with the parent's name. */
static const struct record_type types[RECORD_MAX] = {
	[PERF_RECORD_MMAP]		= { "MMAP", mmap_pass, SHOW_MMAP, KEPT_NEVER, TASK(mmap.pid, mmap.tid) },
	[PERF_RECORD_LOST]		= { "LOST", lost_pass, SHOW_LOST },
	[PERF_RECORD_COMM]		= { "COMM", comm_pass, SHOW_TASK, KEPT_NEVER, TASK(comm.pid, comm.tid) },
	[PERF_RECORD_EXIT]		= { "EXIT", task_pass, SHOW_TASK, KEPT_NEVER, TASK(task.pid, task.tid) },
	[PERF_RECORD_THROTTLE]		= { "THROTTLE", throttle_pass },
	[PERF_RECORD_UNTHROTTLE]	= { "UNTHROTTLE", throttle_pass },
	[PERF_RECORD_FORK]		= { "FORK", task_pass, SHOW_TASK, KEPT_NEVER, TASK(task.ppid, task.ptid) },
	[PERF_RECORD_READ]		= { "READ", read_pass },
	[PERF_RECORD_SAMPLE]		= { "SAMPLE", NULL, SHOW_ALWAYS },
	[PERF_RECORD_MMAP2]		= { "MMAP2", mmap2_pass, SHOW_MMAP, KEPT_NEVER, TASK(mmap.pid, mmap.tid) },
	[PERF_RECORD_AUX]		= { "AUX", aux_pass, 0, KEPT_WITH_TRACE },
	[PERF_RECORD_ITRACE_START]	= { "ITRACE_START", itrace_pass, 0, KEPT_WITH_TRACE },
	[PERF_RECORD_LOST_SAMPLES]	= { "LOST_SAMPLES", lost_samples_pass, SHOW_LOST },
	[PERF_RECORD_SWITCH]		= { "SWITCH", empty_pass, SHOW_SWITCH, KEPT_WITH_TRACE },
	[PERF_RECORD_SWITCH_CPU_WIDE]	= { "SWITCH_CPU_WIDE", switch_cpu_wide_pass, SHOW_SWITCH, KEPT_WITH_TRACE },
	[PERF_RECORD_NAMESPACES]	= { "NAMESPACES", namespaces_pass, SHOW_NAMESPACES, KEPT_NEVER,
					    TASK(namespaces.pid, namespaces.tid) },
	[PERF_RECORD_KSYMBOL]		= { "KSYMBOL", ksymbol_pass, SHOW_BPF | SHOW_TEXT_POKE },
	[PERF_RECORD_BPF_EVENT]		= { "BPF_EVENT", bpf_pass, SHOW_BPF },
	[PERF_RECORD_CGROUP]		= { "CGROUP", cgroup_pass, SHOW_CGROUP },
	[PERF_RECORD_TEXT_POKE]		= { "TEXT_POKE", text_poke_pass, SHOW_TEXT_POKE },
	[PERF_RECORD_AUX_OUTPUT_HW_ID]	= { "AUX_OUTPUT_HW_ID", hw_id_pass, 0, KEPT_WITH_TRACE },
	[RECORD_CALLCHAIN_DEFERRED]	= { "CALLCHAIN_DEFERRED", deferred_pass },
	[RECORD_HEADER_ATTR]		= { "ATTR", header_attr_pass },
	[RECORD_EVENT_TYPE]		= { "EVENT_TYPE", payload_pass },
	[RECORD_TRACING_DATA]		= { "TRACING_DATA", tracing_data_pass },
	[RECORD_BUILD_ID]		= { "BUILD_ID", build_id_pass },
	[RECORD_FINISHED_ROUND]		= { "FINISHED_ROUND", empty_pass, SHOW_ROUND },
	[RECORD_ID_INDEX]		= { "ID_INDEX", id_index_pass },
	[RECORD_AUXTRACE_INFO]		= { "AUXTRACE_INFO", auxtrace_info_pass, 0, KEPT_ALWAYS },
	[RECORD_AUXTRACE]		= { "AUXTRACE", auxtrace_pass, 0, KEPT_WITH_TRACE },
	[RECORD_AUXTRACE_ERROR]		= { "AUXTRACE_ERROR", auxtrace_error_pass, SHOW_ALWAYS },
	[RECORD_THREAD_MAP]		= { "THREAD_MAP", payload_pass },
	[RECORD_CPU_MAP]		= { "CPU_MAP", payload_pass },
	[RECORD_STAT_CONFIG]		= { "STAT_CONFIG", payload_pass },
	[RECORD_STAT]			= { "STAT", payload_pass },
	[RECORD_STAT_ROUND]		= { "STAT_ROUND", payload_pass },
	[RECORD_EVENT_UPDATE]		= { "EVENT_UPDATE", event_update_pass },
	[RECORD_TIME_CONV]		= { "TIME_CONV", time_conv_pass, 0, KEPT_ALWAYS },
	[RECORD_HEADER_FEATURE]		= { "FEATURE", feature_record_pass },
	[RECORD_COMPRESSED]		= { "COMPRESSED", payload_pass },
	[RECORD_FINISHED_INIT]		= { "FINISHED_INIT", empty_pass },
	[RECORD_COMPRESSED2]		= { "COMPRESSED2", compressed2_pass },
	[RECORD_BPF_METADATA]		= { "BPF_METADATA", payload_pass },
	[RECORD_SCHEDSTAT_CPU]		= { "SCHEDSTAT_CPU", payload_pass },
	[RECORD_SCHEDSTAT_DOMAIN]	= { "SCHEDSTAT_DOMAIN", payload_pass },
};

const struct record_type *record_type_of(uint32_t type)
{
	static const struct record_type unknown;

	return type < RECORD_MAX ? &types[type] : &unknown;
}

/* Records of the kernel have a trailer, and so have records that user space synthesizes in their place. Others have none. */
static uint16_t trailer_size(const struct sample_layout *l, uint32_t type)
{
	return l && type != PERF_RECORD_SAMPLE && type < RECORD_HEADER_ATTR ? l->id_size : 0;
}

static int body_pass(struct wire *w, const struct sample_layout *l, struct record *rec)
{
	if (rec->header.type == PERF_RECORD_SAMPLE)
		return l ? sample_pass(w, l, &rec->sample) : -EINVAL;
	types[rec->header.type].pass(w, rec);
	return w->bad ? -EINVAL : 0;
}

/*
 * The kernel makes one MMAP2 record for all events that want it. Its header may keep the build-id flag, which another recorder's
 * event asked for, although this event's record has device numbers (seen on Linux 6.18). A build id has a size; short ones only
 * count if the event asked for them, because device numbers look like that.
 */
#define BUILD_ID_USUAL	16
#define BUILD_ID_AT	32	/* in the body of an MMAP2 record */

static bool has_build_id(const struct wire *body, const struct sample_layout *l)
{
	const uint8_t *p = body->pos + BUILD_ID_AT;

	if (wire_left(body) < BUILD_ID_AT + 4)
		return true;	/* damaged, whatever it has */
	if (!p[0] || p[0] > BUILD_ID_MAX || p[1] || p[2] || p[3])
		return false;
	return p[0] >= BUILD_ID_USUAL || (l && l->build_ids);
}

/* Reads the body, then the identification (sample_id). Skips fields between them that a newer kernel or perf has added. */
static int read_body(struct wire *w, const struct sample_layout *l, struct record *rec)
{
	uint8_t *end = w->pos - HEADER_SIZE + rec->header.size;
	uint16_t id_size = trailer_size(l, rec->header.type);
	struct wire body = *w;
	int err;

	if (id_size > end - w->pos)
		return -EINVAL;
	body.end = end - id_size;
	if (rec->header.type == PERF_RECORD_MMAP2 && rec->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID && !has_build_id(&body, l))
		rec->header.misc &= (uint16_t)~PERF_RECORD_MISC_MMAP_BUILD_ID;
	err = body_pass(&body, l, rec);
	w->size += (size_t)(end - id_size - w->pos);
	w->pos = end - id_size;
	if (id_size && sample_id_pass(w, l, &rec->id))
		err = -EINVAL;
	w->bad |= body.bad;
	return err;
}

/* Passes zeros until @size bytes have been passed. -EINVAL: more have been passed already. */
static int pad_to(struct wire *w, size_t size)
{
	if (w->size > size)
		return -EINVAL;
	wire_zeros(w, size - w->size);
	return w->bad ? -EINVAL : 0;
}

/* A size that the caller chose is kept: the trailer ends there, and zeros fill what is between. */
static int write_body(struct wire *w, const struct sample_layout *l, struct record *rec)
{
	uint16_t id_size = trailer_size(l, rec->header.type);
	size_t end = w->size - HEADER_SIZE + rec->header.size;
	int err = body_pass(w, l, rec);

	if (!err && rec->header.size)
		err = rec->header.size < HEADER_SIZE + id_size ? -EINVAL : pad_to(w, end - id_size);
	if (!err && id_size)
		err = sample_id_pass(w, l, &rec->id);
	return err;
}

static void header_pass(struct wire *w, struct record_header *h)
{
	wire_u32(w, &h->type);
	wire_u16(w, &h->misc);
	wire_u16(w, &h->size);
}

/* Sets header.size by a measuring pass. */
static int measure(const struct sample_layout *l, struct record *rec)
{
	struct wire w = { .mode = WIRE_SIZE };
	int err;

	header_pass(&w, &rec->header);
	err = write_body(&w, l, rec);
	if (err || w.size > SIZE_MAX_RECORD)
		return -EINVAL;
	rec->header.size = (uint16_t)w.size;
	return 0;
}

int record_pass(struct wire *w, const struct sample_layout *l, struct record *rec)
{
	bool known;

	if (wire_reading(w)) {
		header_pass(w, &rec->header);
		if (w->bad || rec->header.size < HEADER_SIZE || wire_left(w) < rec->header.size - HEADER_SIZE)
			return -EINVAL;
		return record_name(rec->header.type) ? read_body(w, l, rec) : -ENOTSUP;
	}
	known = record_name(rec->header.type);
	if (known && !rec->header.size && measure(l, rec))
		return -EINVAL;
	header_pass(w, &rec->header);
	return known ? write_body(w, l, rec) : -ENOTSUP;
}

int record_read(struct record *out, const void *p, const struct sample_layout *l)
{
	struct record_header h;
	struct wire w;

	memcpy(&h, p, sizeof(h));
	w = wire_reader(p, MAX(h.size, HEADER_SIZE));
	*out = (struct record){0};
	return record_pass(&w, l, out);
}

int record_append(struct buf *out, const struct sample_layout *l, struct record *rec)
{
	struct wire w;
	int err;

	if (!record_name(rec->header.type) || (!rec->header.size && measure(l, rec)))
		return -EINVAL;
	w = wire_writer(buf_room(out, rec->header.size), rec->header.size);
	err = record_pass(&w, l, rec);
	if (err || w.size != rec->header.size)
		return -EINVAL;
	out->len += rec->header.size;
	return 0;
}
