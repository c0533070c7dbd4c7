/*
 * Dumps the records of a recording for prec script -D and prec report -D, in the format of perf, which other programs parse. line.c
 * prints the lines without -D.
 *
 *	0xOFFSET@FILE [0xSIZE]: event: TYPE
 *	.
 *	. ... raw event: size N bytes
 *	.  0000:  <16 bytes>  <16 characters>
 *
 *	CPU TIME 0xOFFSET [0xSIZE]: PERF_RECORD_...
 *
 */
#include "core/show/script/dump.h"

#include <string.h>

#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/digits.h"
#include "core/read/session.h"
#include "core/perfdata/read_format.h"
#include "core/model/chain.h"

#define BYTES_A_LINE 16

static void put_hex(struct buf *out, uint64_t v)
{
	buf_put(out, "0x", 2);
	buf_hex(out, v, 0);
}

/* The texts of all bytes, three characters each: "00 " to "ff ". */
#define FOUR(h, a, b, c, d)	h a " " h b " " h c " " h d " "
#define SIXTEEN(h)	\
	FOUR(h, "0", "1", "2", "3") FOUR(h, "4", "5", "6", "7") FOUR(h, "8", "9", "a", "b") FOUR(h, "c", "d", "e", "f")

static const char byte_texts[] =
	SIXTEEN("0") SIXTEEN("1") SIXTEEN("2") SIXTEEN("3") SIXTEEN("4") SIXTEEN("5") SIXTEEN("6") SIXTEEN("7")
	SIXTEEN("8") SIXTEEN("9") SIXTEEN("a") SIXTEEN("b") SIXTEEN("c") SIXTEEN("d") SIXTEEN("e") SIXTEEN("f");

#define EACH_BYTE(v)	(0x0101010101010101ull * (v))

/* Returns the eight bytes of @v, with a dot for each byte that is not a printable character of ASCII, ' ' to '~'. */
static uint64_t eight_characters(uint64_t v)
{
	uint64_t low = v & EACH_BYTE(0x7f);
	uint64_t shown = (low + EACH_BYTE(0x60)) & ~(low + EACH_BYTE(0x01)) & ~v & EACH_BYTE(0x80);
	uint64_t mask = (shown >> 7) * 0xff;

	return (v & mask) | (EACH_BYTE('.') & ~mask);
}

static void dump_bytes_line(const uint8_t *p, size_t n, struct buf *out)
{
	uint8_t bytes[BYTES_A_LINE] = {0};
	char *to = buf_room(out, 4 * BYTES_A_LINE + 2);
	uint64_t v;

	memcpy(bytes, p, n);
	/* Copies four characters at a time. The next copy overwrites the fourth. */
	for (size_t i = 0; i < BYTES_A_LINE; i++)
		memcpy(to + 3 * i, byte_texts + 3 * bytes[i], 4);
	to += 3 * BYTES_A_LINE;
	memset(to - 3 * (BYTES_A_LINE - n), ' ', 3 * (BYTES_A_LINE - n));
	*to++ = ' ';
	for (size_t i = 0; i < BYTES_A_LINE; i += sizeof(v)) {
		memcpy(&v, bytes + i, sizeof(v));
		v = eight_characters(v);
		memcpy(to + i, &v, sizeof(v));
	}
	memset(to + n, ' ', BYTES_A_LINE - n);
	out->len += 4 * BYTES_A_LINE + 1;
}

static void dump_bytes(const uint8_t *p, size_t size, struct buf *out)
{
	buf_puts(out, ".\n. ... raw event: size ");
	buf_dec(out, size, 0);
	buf_puts(out, " bytes");
	for (size_t at = 0; at < size; at += BYTES_A_LINE) {
		buf_put(out, "\n.  ", 4);
		buf_hex0(out, at, 4);
		buf_put(out, ":  ", 3);
		dump_bytes_line(p + at, MIN(size - at, BYTES_A_LINE), out);
	}
	buf_puts(out, "\n\n");
}

static void dump_address(const struct item *item, struct buf *out)
{
	put_hex(out, item->record->offset);
	buf_puts(out, " [");
	put_hex(out, item->record->header.size);
	buf_puts(out, "]: ");
}

/* The sample_type of the first event, which determines if CPU and time are printed before a record. */
static uint64_t stamp_type(const struct session *s)
{
	const struct event_table *t = session_events(s);

	return t->events.nr ? t->events.v[0]->layout.type : 0;
}

/* Returns -1 if the CPU was not recorded, like perf. */
static uint32_t cpu_of_sample(const struct item *item)
{
	return item->event->layout.cpu_at < 0 ? UINT32_MAX : item->sample->cpu;
}

static void dump_stamp(const struct session *s, const struct item *item, struct buf *out)
{
	const struct record *r = item->record;
	uint64_t type = stamp_type(s);

	if (type & PERF_SAMPLE_CPU) {
		buf_dec(out, item->sample ? cpu_of_sample(item) : r->id.has_cpu ? r->id.cpu : 0, 0);
		buf_putc(out, ' ');
	}
	if (type & PERF_SAMPLE_TIME) {
		buf_dec(out, item->time, 0);
		buf_putc(out, ' ');
	}
}

/* ---- the parts of a sample ---- */

static const char *marker_name(uint64_t ip)
{
	static const struct { int64_t marker; const char *name; } names[] = {
		{ PERF_CONTEXT_HV, "HV" }, { PERF_CONTEXT_KERNEL, "KERNEL" }, { PERF_CONTEXT_USER, "USER" },
		{ PERF_CONTEXT_GUEST, "GUEST" }, { PERF_CONTEXT_GUEST_KERNEL, "GUEST_KERNEL" },
		{ PERF_CONTEXT_GUEST_USER, "GUEST_USER" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if ((int64_t)ip == names[i].marker)
			return names[i].name;
	return NULL;
}

static void dump_chain(const struct words *chain, struct buf *out)
{
	buf_printf(out, "... FP chain: nr:%llu\n", (unsigned long long)chain->nr);
	for (uint64_t i = 0; i < chain->nr; i++) {
		uint64_t ip = words_at(chain, i);
		const char *marker = marker_name(ip);

		buf_puts(out, "..... ");
		buf_dec(out, i, 2);
		buf_puts(out, ": ");
		buf_hex0(out, ip, 16);
		if (marker)
			buf_printf(out, " (PERF_CONTEXT_%s)", marker);
		buf_putc(out, '\n');
	}
}

static void dump_branches(const struct sample *s, struct buf *out)
{
	buf_printf(out, "... branch stack: nr:%llu\n", (unsigned long long)s->branch_nr);
	for (uint64_t i = 0; i < s->branch_nr; i++) {
		uint64_t flags = words_at(&s->branches, 3 * i + 2);

		buf_puts(out, "..... ");
		buf_dec(out, i, 2);
		buf_puts(out, ": ");
		buf_hex0(out, words_at(&s->branches, 3 * i), 16);
		buf_puts(out, " -> ");
		buf_hex0(out, words_at(&s->branches, 3 * i + 1), 16);
		buf_printf(out, " %u cycles %c%c%c%c\n", (unsigned)(flags >> 4 & 0xffff), flags & 1 ? 'M' : ' ',
			   flags & 2 ? 'P' : ' ', flags & 8 ? 'A' : ' ', flags & 4 ? 'T' : ' ');
	}
}

static void dump_regs(const struct arch *arch, const char *which, uint64_t abi, uint64_t mask, const struct words *values,
		      struct buf *out)
{
	uint64_t n = 0;

	buf_printf(out, "... %s regs: mask 0x%llx ABI %s\n", which, (unsigned long long)mask,
		   abi == PERF_SAMPLE_REGS_ABI_32 ? "32-bit" : abi == PERF_SAMPLE_REGS_ABI_64 ? "64-bit" : "none");
	for (unsigned r = 0; r < 64 && n < values->nr; r++) {
		if (!(mask >> r & 1))
			continue;
		buf_puts(out, ".... ");
		buf_left(out, arch && r < arch->nr_regs && arch->regs[r] ? arch->regs[r] : "unknown", 5);
		buf_puts(out, " 0x");
		buf_hex0(out, words_at(values, n++), 16);
		buf_putc(out, '\n');
	}
}

static void dump_read_time(const char *what, const struct sample *s, uint8_t at, struct buf *out)
{
	if (at != READ_NONE && at < s->read.nr)
		buf_printf(out, "...... time %s %016llx\n", what, (unsigned long long)words_at(&s->read, at));
}

static void dump_read(const struct sample *s, uint64_t format, struct buf *out)
{
	struct read_layout read = read_layout_of(format);
	uint64_t at = read.values;

	buf_puts(out, "... sample_read:\n");
	dump_read_time("enabled", s, read.enabled, out);
	dump_read_time("running", s, read.running, out);
	if (read.group)
		buf_printf(out, ".... group nr %llu\n", (unsigned long long)s->read_nr);
	for (uint64_t i = 0; i < s->read_nr && at + read.step <= s->read.nr; i++, at += read.step) {
		buf_puts(out, "..... id ");
		buf_hex0(out, read.id == READ_NONE ? 0 : words_at(&s->read, at + read.id), 16);
		buf_puts(out, ", value ");
		buf_hex0(out, words_at(&s->read, at), 16);
		if (read.lost != READ_NONE)
			buf_printf(out, ", lost %llu", (unsigned long long)words_at(&s->read, at + read.lost));
		buf_putc(out, '\n');
	}
}

static void dump_number(const char *what, uint64_t v, struct buf *out)
{
	buf_puts(out, what);
	put_hex(out, v);
	buf_putc(out, '\n');
}

static void dump_weight(uint64_t weight, bool is_struct, struct buf *out)
{
	if (is_struct)
		buf_printf(out, "... weight: %u,0x%x,0x%x\n", (uint32_t)weight, (uint16_t)(weight >> 32),
			   (uint16_t)(weight >> 48));
	else
		buf_printf(out, "... weight: %llu\n", (unsigned long long)weight);
}

static void dump_parts(const struct session *session, const struct item *item, struct buf *out)
{
	const struct arch *arch = machine_arch(session_machine(session));
	const struct event_attr *attr = &item->event->attr;
	const struct sample *s = item->sample;
	uint64_t type = item->event->layout.type;

	if (type & PERF_SAMPLE_CALLCHAIN)
		dump_chain(&s->chain, out);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		dump_branches(s, out);
	if (type & PERF_SAMPLE_REGS_USER && s->user_regs.nr)
		dump_regs(arch, "user", s->user_abi, attr->sample_regs_user, &s->user_regs, out);
	if (type & PERF_SAMPLE_REGS_INTR && s->intr_regs.nr)
		dump_regs(arch, "intr", s->intr_abi, attr->sample_regs_intr & ~s->intr_missing, &s->intr_regs, out);
	if (type & PERF_SAMPLE_STACK_USER)
		buf_printf(out, "... ustack: size %llu, offset 0x%llx\n", (unsigned long long)s->stack_dyn_size,
			   (unsigned long long)(s->stack ? (const uint8_t *)s->stack - item->bytes : 0));
	if (type & PERF_SAMPLE_WEIGHT_TYPE)
		dump_weight(s->weight, type & PERF_SAMPLE_WEIGHT_STRUCT, out);
	if (type & PERF_SAMPLE_DATA_SRC)
		dump_number(" . data_src: ", s->data_src, out);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		dump_number(" .. phys_addr: ", s->phys_addr, out);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		dump_number(" .. data page size: ", s->data_page_size, out);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		dump_number(" .. code page size: ", s->code_page_size, out);
	if (type & PERF_SAMPLE_TRANSACTION)
		dump_number("... transaction: ", s->transaction, out);
	if (type & PERF_SAMPLE_READ)
		dump_read(s, attr->read_format, out);
}

static void dump_sample(const struct session *session, const struct item *item, struct buf *out)
{
	const struct sample *s = item->sample;
	const struct map *map = machine_map(session_machine(session), chain_space(item->context, item->cpumode), s->ip);
	uint64_t period = item->event->layout.type & PERF_SAMPLE_PERIOD ? s->period : item->event->attr.sample_period;

	buf_puts(out, "PERF_RECORD_SAMPLE(IP, ");
	put_hex(out, item->record->header.misc);
	buf_puts(out, "): ");
	buf_int(out, (int32_t)s->pid, 0);
	buf_putc(out, '/');
	buf_int(out, (int32_t)s->tid, 0);
	buf_puts(out, ": ");
	put_hex(out, s->ip);
	buf_puts(out, " period: ");
	buf_dec(out, period, 0);
	buf_puts(out, s->addr ? " addr: 0x" : " addr: ");
	buf_hex(out, s->addr, 0);
	buf_putc(out, '\n');
	dump_parts(session, item, out);
	buf_puts(out, " ... thread: ");
	buf_puts(out, item->context->comm);
	buf_putc(out, ':');
	buf_int(out, (int32_t)s->tid, 0);
	buf_puts(out, "\n ...... dso: ");
	buf_puts(out, map ? map->dso->path : "<not found>");
	buf_putc(out, '\n');
}

/* ---- records ---- */

void dump_record(const struct session *s, const struct item *item, struct buf *out)
{
	const struct record *r = item->record;

	buf_putc(out, '\n');
	put_hex(out, r->offset);
	buf_putc(out, '@');
	buf_puts(out, session_file(s)->path);
	buf_puts(out, " [");
	put_hex(out, r->header.size);
	buf_puts(out, "]: event: ");
	buf_dec(out, r->header.type, 0);
	buf_putc(out, '\n');
	dump_bytes(item->bytes, r->header.size, out);
	dump_stamp(s, item, out);
	dump_address(item, out);
	if (item->sample) {
		dump_sample(s, item, out);
		return;
	}
	record_print(r, out);
	buf_putc(out, '\n');
}

struct dumping {
	struct session *session;
	dump_more_fn more;
	const void *ctx;
};

static void print_item(void *worker, void *ctx, const struct item *item, struct ordered_text *out)
{
	const struct dumping *d = ctx;

	dump_record(d->session, item, &out->buf);
	if (d->more)
		d->more(d->ctx, item, out);
}

int dump_records(struct session *s, dump_more_fn more, const void *ctx, int fd)
{
	struct ordered_pass pass = { .item = print_item };

	return session_ordered(s, &pass, &(struct dumping){ s, more, ctx }, fd);
}
