/*
 * Records in words. The lines are those of `perf script --show-...-events` and of -D, which people grep.
 * Layer: format
 */
#include "core/format/record_print.h"

#include <inttypes.h>
#include <sys/mman.h>

#include "core/base/buf.h"
#include "core/format/build_id.h"
#include "core/format/record.h"

static void print_range(const struct record_mmap *m, struct buf *out)
{
	buf_printf(out, " %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64, (int)m->pid, (int)m->tid,
		   m->addr, m->len, m->pgoff);
}

void print_mmap(const struct record *r, struct buf *out)
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

void print_mmap2(const struct record *r, struct buf *out)
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

void print_lost(const struct record *r, struct buf *out)
{
	buf_printf(out, " lost %" PRIu64, r->lost.lost);
}

void print_lost_samples(const struct record *r, struct buf *out)
{
	buf_printf(out, " lost %" PRIu64, r->lost.lost);
}

void print_comm(const struct record *r, struct buf *out)
{
	buf_printf(out, "%s: %s:%d/%d", r->header.misc & PERF_RECORD_MISC_COMM_EXEC ? " exec" : "", r->comm.comm,
		   (int)r->comm.pid, (int)r->comm.tid);
}

void print_task(const struct record *r, struct buf *out)
{
	const struct record_task *t = &r->task;

	buf_printf(out, "(%d:%d):(%d:%d)", (int)t->pid, (int)t->tid, (int)t->ppid, (int)t->ptid);
}

void print_read(const struct record *r, struct buf *out)
{
	buf_printf(out, ": %d %d", (int)r->read.pid, (int)r->read.tid);
	for (uint64_t i = 0; i < r->read.values.nr; i++)
		buf_printf(out, " %" PRIu64, words_at(&r->read.values, i));
}

void print_sample(const struct record *r, struct buf *out)
{
	buf_printf(out, "(IP, 0x%x): %d/%d: %#" PRIx64 " period: %" PRIu64 " addr: %#" PRIx64, r->header.misc,
		   (int)r->sample.pid, (int)r->sample.tid, r->sample.ip, r->sample.period, r->sample.addr);
}

void print_aux(const struct record *r, struct buf *out)
{
	uint64_t flags = r->aux.flags;

	buf_printf(out, " offset: %#" PRIx64 " size: %#" PRIx64 " flags: %#" PRIx64 " [%s%s%s%s]", r->aux.offset,
		   r->aux.size, flags, flags & PERF_AUX_FLAG_TRUNCATED ? "T" : "",
		   flags & PERF_AUX_FLAG_OVERWRITE ? "O" : "", flags & PERF_AUX_FLAG_PARTIAL ? "P" : "",
		   flags & PERF_AUX_FLAG_COLLISION ? "C" : "");
}

void print_itrace(const struct record *r, struct buf *out)
{
	buf_printf(out, " pid: %u tid: %u", r->itrace.pid, r->itrace.tid);
}

static const char *direction(const struct record *r)
{
	if (!(r->header.misc & PERF_RECORD_MISC_SWITCH_OUT))
		return "IN         ";
	return r->header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? "OUT preempt" : "OUT        ";
}

void print_switch(const struct record *r, struct buf *out)
{
	buf_printf(out, " %s", direction(r));
}

void print_switch_cpu_wide(const struct record *r, struct buf *out)
{
	buf_printf(out, " %s  %s pid/tid: %5d/%-5d", direction(r),
		   r->header.misc & PERF_RECORD_MISC_SWITCH_OUT ? "next" : "prev", (int)r->sw.next_prev_pid,
		   (int)r->sw.next_prev_tid);
}

void print_namespaces(const struct record *r, struct buf *out)
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

void print_ksymbol(const struct record *r, struct buf *out)
{
	const struct record_ksymbol *k = &r->ksymbol;

	buf_printf(out, " addr %" PRIx64 " len %u type %u flags 0x%x name %s", k->addr, k->len, k->ksym_type,
		   k->flags, k->name);
}

void print_bpf(const struct record *r, struct buf *out)
{
	buf_printf(out, " type %u, flags %u, id %u", r->bpf.bpf_type, r->bpf.flags, r->bpf.id);
}

void print_cgroup(const struct record *r, struct buf *out)
{
	buf_printf(out, " cgroup: %" PRIu64 " %s", r->cgroup.id, r->cgroup.path);
}

static void print_code(const char *what, const uint8_t *bytes, size_t n, struct buf *out)
{
	buf_printf(out, "\n     %s bytes:", what);
	for (size_t i = 0; i < n; i++)
		buf_printf(out, " %02x", bytes[i]);
}

void print_text_poke(const struct record *r, struct buf *out)
{
	const struct record_text_poke *t = &r->text_poke;
	const uint8_t *bytes = t->bytes;

	buf_printf(out, " %#" PRIx64 " old len %u new len %u", t->addr, t->old_len, t->new_len);
	print_code("old", bytes, t->old_len, out);
	print_code("new", bytes + t->old_len, t->new_len, out);
}

void print_hw_id(const struct record *r, struct buf *out)
{
	buf_printf(out, " hw_id: %#" PRIx64, r->hw_id.hw_id);
}

void print_deferred(const struct record *r, struct buf *out)
{
	buf_printf(out, "(IP, 0x%x): 0x%" PRIx64, r->header.misc, r->deferred.cookie);
}

void print_id_index(const struct record *r, struct buf *out)
{
	const struct words *e = &r->id_index.entries;

	buf_printf(out, " nr: %" PRIu64, r->id_index.nr);
	for (uint64_t i = 0; i + 4 <= e->nr; i += 4)
		buf_printf(out, "\n ... id: %" PRIu64 "  idx: %" PRIu64 "  cpu: %" PRId64 "  tid: %" PRId64, words_at(e, i),
			   words_at(e, i + 1), (int64_t)words_at(e, i + 2), (int64_t)words_at(e, i + 3));
}

void print_auxtrace_info(const struct record *r, struct buf *out)
{
	buf_printf(out, " type: %u", r->auxtrace_info.type);
}

void print_auxtrace(const struct record *r, struct buf *out)
{
	const struct record_auxtrace *a = &r->auxtrace;

	buf_printf(out, " size: %#" PRIx64 "  offset: %#" PRIx64 "  ref: %#" PRIx64 "  idx: %u  tid: %d  cpu: %d", a->size,
		   a->offset, a->reference, a->idx, (int)a->tid, (int)a->cpu);
}

void print_auxtrace_error(const struct record *r, struct buf *out)
{
	const struct record_auxtrace_error *e = &r->auxtrace_error;

	buf_printf(out, " %s error type %u", e->type == 1 ? "instruction trace" : "unknown", e->type);
	if (e->fmt && e->time)
		buf_printf(out, " time %" PRIu64 ".%09" PRIu64, e->time / 1000000000, e->time % 1000000000);
	buf_printf(out, " cpu %d pid %d tid %d ip %#" PRIx64 " code %u: %s", (int)e->cpu, (int)e->pid, (int)e->tid, e->ip,
		   e->code, e->msg);
}

void print_time_conv(const struct record *r, struct buf *out)
{
	const struct record_time_conv *t = &r->time_conv;

	buf_printf(out, "\n... Time Shift      %" PRIu64 "\n... Time Muliplier  %" PRIu64 "\n... Time Zero       %" PRIu64
		   "\n... Time Cycles     %" PRIu64 "\n... Time Mask       %#" PRIx64 "\n... Cap Time Zero   %d\n"
		   "... Cap Time Short  %d", t->shift, t->mult, t->zero, t->cycles, t->mask, t->cap_zero, t->cap_short);
}
