/* Prints records as `perf script --show-...-events` and -D do. Scripts parse these lines, so their format must be that of perf. */
#include "core/base/printable.h"
#include "core/perfdata/record.h"

#include <inttypes.h>
#include <sys/mman.h>

#include "core/base/buf.h"
#include "core/binary/build_id.h"

static void print_range(const struct record_mmap *m, struct buf *out)
{
	buf_printf(out, " %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64, (int)m->pid, (int)m->tid,
		   m->addr, m->len, m->pgoff);
}

static void print_mmap(const struct record *r, struct buf *out)
{
	print_range(&r->mmap, out);
	buf_printf(out, "]: %c %s", r->header.misc & PERF_RECORD_MISC_MMAP_DATA ? 'r' : 'x', r->mmap.filename);
}

static void print_inode(const struct record_mmap *m, struct buf *out)
{
	struct build_id id = { .size = MIN(m->build_id_size, BUILD_ID_MAX) };
	char text[BUILD_ID_TEXT];

	if (!m->build_id_size) {
		buf_printf(out, " %02x:%02x %" PRIu64 " %" PRIu64, m->maj, m->min, m->ino, m->ino_generation);
		return;
	}
	memcpy(id.data, m->build_id, id.size);
	buf_printf(out, " <%s>", build_id_text(&id, text));
}

static void print_mmap2(const struct record *r, struct buf *out)
{
	const struct record_mmap *m = &r->mmap;

	print_range(m, out);
	if (r->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID && !m->build_id_size)
		buf_puts(out, " <>");
	else
		print_inode(m, out);
	buf_printf(out, "]: %c%c%c%c %s", m->prot & PROT_READ ? 'r' : '-', m->prot & PROT_WRITE ? 'w' : '-',
		   m->prot & PROT_EXEC ? 'x' : '-', m->flags & MAP_SHARED ? 's' : 'p', m->filename);
}

static void print_lost(const struct record *r, struct buf *out)
{
	buf_printf(out, " lost %" PRIu64, r->lost.lost);
}

static void print_comm(const struct record *r, struct buf *out)
{
	buf_printf(out, "%s: %s:%d/%d", r->header.misc & PERF_RECORD_MISC_COMM_EXEC ? " exec" : "", r->comm.comm,
		   (int)r->comm.pid, (int)r->comm.tid);
}

static void print_task(const struct record *r, struct buf *out)
{
	const struct record_task *t = &r->task;

	buf_printf(out, "(%d:%d):(%d:%d)", (int)t->pid, (int)t->tid, (int)t->ppid, (int)t->ptid);
}

static void print_read(const struct record *r, struct buf *out)
{
	buf_printf(out, ": %d %d", (int)r->read.pid, (int)r->read.tid);
	for (uint64_t i = 0; i < r->read.values.nr; i++)
		buf_printf(out, " %" PRIu64, words_at(&r->read.values, i));
}

static void print_sample(const struct record *r, struct buf *out)
{
	buf_printf(out, "(IP, 0x%x): %d/%d: %#" PRIx64 " period: %" PRIu64 " addr: %#" PRIx64, r->header.misc,
		   (int)r->sample.pid, (int)r->sample.tid, r->sample.ip, r->sample.period, r->sample.addr);
}

static void print_aux(const struct record *r, struct buf *out)
{
	uint64_t flags = r->aux.flags;

	buf_printf(out, " offset: %#" PRIx64 " size: %#" PRIx64 " flags: %#" PRIx64 " [%s%s%s%s]", r->aux.offset,
		   r->aux.size, flags, flags & PERF_AUX_FLAG_TRUNCATED ? "T" : "",
		   flags & PERF_AUX_FLAG_OVERWRITE ? "O" : "", flags & PERF_AUX_FLAG_PARTIAL ? "P" : "",
		   flags & PERF_AUX_FLAG_COLLISION ? "C" : "");
}

static void print_itrace(const struct record *r, struct buf *out)
{
	buf_printf(out, " pid: %u tid: %u", r->itrace.pid, r->itrace.tid);
}

static const char *direction(const struct record *r)
{
	if (!(r->header.misc & PERF_RECORD_MISC_SWITCH_OUT))
		return "IN         ";
	return r->header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? "OUT preempt" : "OUT        ";
}

static void print_switch(const struct record *r, struct buf *out)
{
	buf_printf(out, " %s", direction(r));
}

static void print_switch_cpu_wide(const struct record *r, struct buf *out)
{
	buf_printf(out, " %s  %s pid/tid: %5d/%-5d", direction(r),
		   r->header.misc & PERF_RECORD_MISC_SWITCH_OUT ? "next" : "prev", (int)r->sw.next_prev_pid,
		   (int)r->sw.next_prev_tid);
}

static void print_namespaces(const struct record *r, struct buf *out)
{
	/* The order of the kernel's NR_NAMESPACES enumeration in linux/perf_event.h. */
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	const struct record_namespaces *n = &r->namespaces;

	buf_printf(out, " %d/%d - nr_namespaces: %" PRIu64 "\n\t\t[", (int)n->pid, (int)n->tid, n->nr);
	for (uint64_t i = 0; i < n->links.nr / 2; i++) {
		if (i && i % 4 == 0)
			buf_puts(out, "\n\t\t ");
		buf_printf(out, "%" PRIu64 "/%s: %" PRIu64 "/0x%" PRIx64 "%s", i, i < ARRAY_SIZE(names) ? names[i] : "unknown",
			   words_at(&n->links, 2 * i), words_at(&n->links, 2 * i + 1),
			   i + 1 == n->links.nr / 2 ? "" : ", ");
	}
	buf_putc(out, ']');
}

static void print_ksymbol(const struct record *r, struct buf *out)
{
	const struct record_ksymbol *k = &r->ksymbol;

	buf_printf(out, " addr %" PRIx64 " len %u type %u flags 0x%x name %s", k->addr, k->len, k->ksym_type,
		   k->flags, k->name);
}

static void print_bpf(const struct record *r, struct buf *out)
{
	buf_printf(out, " type %u, flags %u, id %u", r->bpf.bpf_type, r->bpf.flags, r->bpf.id);
}

static void print_cgroup(const struct record *r, struct buf *out)
{
	buf_printf(out, " cgroup: %" PRIu64 " %s", r->cgroup.id, r->cgroup.path);
}

/* 16 bytes a line, aligned under each other. */
static void print_code(const char *what, const uint8_t *bytes, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		if (i % 16 == 0)
			buf_printf(out, "\n%22s", i ? "" : what);
		buf_printf(out, " %02x", bytes[i]);
	}
}

static void print_text_poke(const struct record *r, struct buf *out)
{
	const struct record_text_poke *t = &r->text_poke;
	const uint8_t *bytes = t->bytes;

	buf_printf(out, " %" PRIx64 " old len %u new len %u", t->addr, t->old_len, t->new_len);
	print_code("Old bytes:", bytes, t->old_len, out);
	print_code("New bytes:", bytes + t->old_len, t->new_len, out);
}

static void print_hw_id(const struct record *r, struct buf *out)
{
	buf_printf(out, " hw_id: %#" PRIx64, r->hw_id.hw_id);
}

static void print_deferred(const struct record *r, struct buf *out)
{
	buf_printf(out, "(IP, 0x%x): 0x%" PRIx64, r->header.misc, r->deferred.cookie);
}

static void print_id_index(const struct record *r, struct buf *out)
{
	const struct words *e = &r->id_index.entries;

	buf_printf(out, " nr: %" PRIu64, r->id_index.nr);
	for (uint64_t i = 0; i + 4 <= e->nr; i += 4)
		buf_printf(out, "\n ... id: %" PRIu64 "  idx: %" PRIu64 "  cpu: %" PRId64 "  tid: %" PRId64, words_at(e, i),
			   words_at(e, i + 1), (int64_t)words_at(e, i + 2), (int64_t)words_at(e, i + 3));
}

static void print_auxtrace_info(const struct record *r, struct buf *out)
{
	buf_printf(out, " type: %u", r->auxtrace_info.type);
}

static void print_auxtrace(const struct record *r, struct buf *out)
{
	const struct record_auxtrace *a = &r->auxtrace;

	buf_printf(out, " size: %#" PRIx64 "  offset: %#" PRIx64 "  ref: %#" PRIx64 "  idx: %u  tid: %d  cpu: %d", a->size,
		   a->offset, a->reference, a->idx, (int)a->tid, (int)a->cpu);
}

static void print_auxtrace_error(const struct record *r, struct buf *out)
{
	const struct record_auxtrace_error *e = &r->auxtrace_error;

	buf_printf(out, " %s error type %u", e->type == 1 ? "instruction trace" : "unknown", e->type);
	if (e->fmt && e->time)
		buf_printf(out, " time %" PRIu64 ".%09" PRIu64, e->time / 1000000000, e->time % 1000000000);
	buf_printf(out, " cpu %d pid %d tid %d ip %#" PRIx64 " code %u: %s", (int)e->cpu, (int)e->pid, (int)e->tid, e->ip,
		   e->code, e->msg);
}

/* u64 count, then {u64 tid, 16 bytes of comm} each. */
static void print_thread_map(const struct record *r, struct buf *out)
{
	struct wire w = wire_reader(r->payload.data, r->payload.size);
	const void *comm;
	uint64_t nr, tid;

	wire_u64(&w, &nr);
	buf_printf(out, " nr: %" PRIu64, nr);
	for (uint64_t i = 0; i < nr && wire_left(&w) >= 24; i++) {
		wire_u64(&w, &tid);
		wire_bytes(&w, &comm, 16);
		buf_printf(out, " thread: %d", (int)tid);
	}
}

/* Adds the CPUs of the bits that are set in @mask, whose lowest bit is CPU @first. */
static void cpus_of_mask(uint64_t mask, unsigned first, uint16_t *cpus, size_t *nr, size_t max)
{
	for (unsigned i = 0; i < 64 && *nr < max; i++)
		if (mask >> i & 1)
			cpus[(*nr)++] = (uint16_t)(first + i);
}

static void print_cpu_ranges(const uint16_t *cpus, size_t nr, struct buf *out)
{
	for (size_t i = 0, k; i < nr; i = k) {
		for (k = i + 1; k < nr && cpus[k] == cpus[k - 1] + 1; k++)
			;
		buf_printf(out, i ? ",%d" : "%d", (int16_t)cpus[i]);
		if (k - i > 1)
			buf_printf(out, "-%d", (int16_t)cpus[k - 1]);
	}
}

/* u16 form: 0 a list {u16 nr, u16 each}, 1 a mask {u16 nr, u16 width, padding, words}, 2 a range {u8 any, u8, u16 from, to}. */
static void print_cpu_map(const struct record *r, struct buf *out)
{
	struct wire w = wire_reader(r->payload.data, r->payload.size);
	uint16_t form, count = 0, width = 0, cpus[4096];
	size_t nr = 0;
	uint32_t half;
	uint64_t mask;

	wire_u16(&w, &form);
	wire_u16(&w, &count);
	if (form)
		wire_u16(&w, &width);
	if (form == 1 && width == 8)
		wire_u32(&w, &half);
	for (unsigned i = 0; form == 0 && i < count && nr < ARRAY_SIZE(cpus) && wire_left(&w) >= 2; i++)
		wire_u16(&w, &cpus[nr++]);
	for (unsigned i = 0; form == 1 && i < count && wire_left(&w) >= width && (width == 4 || width == 8); i++) {
		if (width == 8) {
			wire_u64(&w, &mask);
		} else {
			wire_u32(&w, &half);
			mask = half;
		}
		cpus_of_mask(mask, 8 * width * i, cpus, &nr, ARRAY_SIZE(cpus));
	}
	if (form == 2) {
		wire_u16(&w, &form);
		if (count & 0xff)
			cpus[nr++] = UINT16_MAX;
		for (unsigned cpu = width; cpu <= form && nr < ARRAY_SIZE(cpus); cpu++)
			cpus[nr++] = (uint16_t)cpu;
	}
	buf_puts(out, ": ");
	print_cpu_ranges(cpus, nr, out);
}

static void print_time_conv(const struct record *r, struct buf *out)
{
	const struct record_time_conv *t = &r->time_conv;

	buf_printf(out, "\n... Time Shift      %" PRIu64 "\n... Time Multiplier %" PRIu64 "\n... Time Zero       %" PRIu64
		   "\n... Time Cycles     %" PRIu64 "\n... Time Mask       %#" PRIx64 "\n... Cap Time Zero   %d\n"
		   "... Cap Time Short  %d", t->shift, t->mult, t->zero, t->cycles, t->mask, t->cap_zero, t->cap_short);
}

/* By record type: prints the text after the type's name; NULL: no text follows. */
static void (*const printers[RECORD_MAX])(const struct record *r, struct buf *out) = {
	[PERF_RECORD_MMAP]		= print_mmap,
	[PERF_RECORD_LOST]		= print_lost,
	[PERF_RECORD_COMM]		= print_comm,
	[PERF_RECORD_EXIT]		= print_task,
	[PERF_RECORD_FORK]		= print_task,
	[PERF_RECORD_READ]		= print_read,
	[PERF_RECORD_SAMPLE]		= print_sample,
	[PERF_RECORD_MMAP2]		= print_mmap2,
	[PERF_RECORD_AUX]		= print_aux,
	[PERF_RECORD_ITRACE_START]	= print_itrace,
	[PERF_RECORD_LOST_SAMPLES]	= print_lost,
	[PERF_RECORD_SWITCH]		= print_switch,
	[PERF_RECORD_SWITCH_CPU_WIDE]	= print_switch_cpu_wide,
	[PERF_RECORD_NAMESPACES]	= print_namespaces,
	[PERF_RECORD_KSYMBOL]		= print_ksymbol,
	[PERF_RECORD_BPF_EVENT]		= print_bpf,
	[PERF_RECORD_CGROUP]		= print_cgroup,
	[PERF_RECORD_TEXT_POKE]		= print_text_poke,
	[PERF_RECORD_AUX_OUTPUT_HW_ID]	= print_hw_id,
	[RECORD_CALLCHAIN_DEFERRED]	= print_deferred,
	[RECORD_ID_INDEX]		= print_id_index,
	[RECORD_AUXTRACE_INFO]		= print_auxtrace_info,
	[RECORD_AUXTRACE]		= print_auxtrace,
	[RECORD_AUXTRACE_ERROR]		= print_auxtrace_error,
	[RECORD_THREAD_MAP]		= print_thread_map,
	[RECORD_CPU_MAP]		= print_cpu_map,
	[RECORD_TIME_CONV]		= print_time_conv,
};

/* Prints the body, with control characters escaped, because the names in a record are as the file has them. */
static void print_body(const struct record *rec, struct buf *out)
{
	size_t from = out->len;

	if (printers[rec->header.type])
		printers[rec->header.type](rec, out);
	buf_escape_from(out, from, "\n\t");
}

void record_print(const struct record *rec, struct buf *out)
{
	const char *name = record_name(rec->header.type);

	if (!name) {
		buf_printf(out, "PERF_RECORD_%u", rec->header.type);
		return;
	}
	buf_puts(out, "PERF_RECORD_");
	buf_puts(out, name);
	print_body(rec, out);
}

void record_print_words(const struct record *rec, struct buf *out)
{
	if (rec->header.type < RECORD_MAX)
		print_body(rec, out);
	buf_putc(out, '\n');
}
