/* Prints SPE packets for prec script -D. The wording is that of perf script -D, because users and scripts know it. */
#include "auxtrace/arm_spe/packet.h"

#include "auxtrace/arm_spe/info.h"
#include "core/base/buf.h"

#define LINE_BYTES	16	/* bytes of padding in a line */

static void hex(struct buf *out, const char *name, uint64_t v)
{
	buf_printf(out, "%s0x%llx", name, (unsigned long long)v);
}

static void address(struct buf *out, const struct spe_packet *pkt)
{
	static const char *const names[] = { [SPE_PC] = "PC ", [SPE_TARGET] = "TGT ", [SPE_PREVIOUS] = "PBT " };
	uint64_t v = pkt->value, low = v & 0x00ffffffffffffffull;

	switch (pkt->index) {
	case SPE_PC:
	case SPE_TARGET:
	case SPE_PREVIOUS:
		hex(out, names[pkt->index], low);
		buf_printf(out, " el%u ns=%u", (unsigned)(v >> 61 & 3), (unsigned)(v >> 63));
		break;
	case SPE_VA:
		hex(out, "VA ", v);
		break;
	case SPE_PA:
		hex(out, "PA ", low);
		buf_printf(out, " ns=%u ch=%u pat=%x", (unsigned)(v >> 63), (unsigned)(v >> 62 & 1), (unsigned)(v >> 56 & 15));
		break;
	default:
		hex(out, "ADDR ", v);
		buf_printf(out, " (%u)", pkt->index);
	}
}

static void counter(struct buf *out, const struct spe_packet *pkt)
{
	static const char *const names[] = { "TOT", "ISSUE", "XLAT" };

	buf_printf(out, "LAT %u %s", (unsigned)pkt->value, pkt->index < ARRAY_SIZE(names) ? names[pkt->index] : "");
}

/* Events that only some processors have. Source: their technical reference manuals. */
static const char *own_event(unsigned bit, uint64_t midr)
{
	return (midr & MIDR_MODEL) == MIDR_NEOVERSE_N1 && bit == 12 ? "LATE-PREFETCH" : NULL;
}

static void events(struct buf *out, uint64_t v, uint64_t midr)
{
	static const char *const names[64] = {
		[SPE_EXCEPTION] = "EXCEPTION-GEN", [SPE_RETIRED] = "RETIRED", [SPE_L1D_ACCESS] = "L1D-ACCESS",
		[SPE_L1D_REFILL] = "L1D-REFILL", [SPE_TLB_ACCESS] = "TLB-ACCESS", [SPE_TLB_REFILL] = "TLB-REFILL",
		[SPE_NOT_TAKEN] = "NOT-TAKEN", [SPE_MISPREDICTED] = "MISPRED", [SPE_LLC_ACCESS] = "LLC-ACCESS",
		[SPE_LLC_REFILL] = "LLC-REFILL", [SPE_REMOTE_ACCESS] = "REMOTE-ACCESS", [SPE_MISALIGNED] = "ALIGNMENT",
		[SPE_TRANSACTIONAL] = "TXN", [SPE_PARTIAL_PREDICATE] = "SVE-PARTIAL-PRED",
		[SPE_EMPTY_PREDICATE] = "SVE-EMPTY-PRED", [SPE_L2D_ACCESS] = "L2D-ACCESS", [SPE_L2D_MISS] = "L2D-MISS",
		[SPE_MODIFIED] = "HITM", [SPE_RECENTLY_FETCHED] = "LFB", [SPE_SNOOPED] = "SNOOPED",
		[SPE_STREAMING] = "STREAMING-SVE", [SPE_SMCU] = "SMCU",
	};
	const char *before = " IMPDEF:";

	buf_puts(out, "EV");
	for (unsigned i = 0; i < 64; i++)
		if (v >> i & 1 && names[i])
			buf_printf(out, " %s", names[i]);
	for (unsigned i = 0; i < 64; i++)
		if (v >> i & 1 && own_event(i, midr))
			buf_printf(out, " %s", own_event(i, midr));
	for (unsigned i = 0; i < 64; i++) {
		if (!(v >> i & 1) || names[i] || own_event(i, midr))
			continue;
		buf_printf(out, "%s%u", before, i);
		before = ",";
	}
}

static void flag(struct buf *out, bool set, const char *name)
{
	if (set)
		buf_puts(out, name);
}

static void other(struct buf *out, unsigned v)
{
	if ((v & 0x89) == 0x08) {
		buf_printf(out, "SVE-OTHER EVLEN %u", 32u << (v >> 4 & 7));
		flag(out, v & 2, " FP");
		flag(out, v & 4, " PRED");
	} else if ((v & 0x89) == 0x88) {
		buf_printf(out, "SME-OTHER ETS %u", 128u << ((v >> 4 & 7) * 2 + (v >> 2 & 1)));
		flag(out, v & 2, " FP");
	} else {
		buf_puts(out, "OTHER");
		if (v >> 3)
			return;		/* an undefined subclass */
		flag(out, v & 4, " ASE");
		flag(out, v & 2, " FP");
		buf_puts(out, v & 1 ? " COND-SELECT" : " INSN-OTHER");
	}
}

static void load_store(struct buf *out, unsigned v)
{
	static const char *const names[256] = {
		[0x00] = " GP-REG", [0x04] = " SIMD-FP", [0x10] = " UNSPEC-REG", [0x14] = " MTE-TAG", [0x20] = " MEMCPY",
		[0x30] = " NV-SYSREG", [0x40] = " GCS", [0x44] = " GCS COMM",
	};

	buf_puts(out, v & 1 ? "ST" : "LD");
	if ((v & 0xe2) == 0x02) {		/* atomics and exclusives */
		flag(out, v & 4, " AT");
		flag(out, v & 8, " EXCL");
		flag(out, v & 16, " AR");
	} else if ((v & 0x0a) == 0x08) {
		buf_printf(out, " SVE-SME-REG EVLEN %u", 32u << (v >> 4 & 7));
		flag(out, v & 4, " PRED");
		flag(out, v & 0x80, " SG");
	} else if (v == 0x25) {
		buf_puts(out, " MEMSET");
	} else if (names[v & 0xfe]) {
		buf_puts(out, names[v & 0xfe]);
	}
}

static void branch(struct buf *out, unsigned v)
{
	static const char *const calls[] = { "", " CR-BL", " CR-RET", " CR-NON-BL-RET" };

	buf_puts(out, "B");
	flag(out, v & 1, " COND");
	flag(out, v & 2, " IND");
	flag(out, v & 4, " GCS");
	buf_puts(out, calls[v >> 3 & 3]);
}

static void operation(struct buf *out, const struct spe_packet *pkt)
{
	switch (pkt->index) {
	case SPE_OTHER:
		other(out, (unsigned)pkt->value);
		break;
	case SPE_LOAD_STORE:
		load_store(out, (unsigned)pkt->value);
		break;
	case SPE_BRANCH:
		branch(out, (unsigned)pkt->value);
		break;
	default:
		buf_printf(out, "OP-TYPE 0x%x (%u)", (unsigned)pkt->value, pkt->index);
	}
}

void spe_packet_text(struct buf *out, const struct spe_packet *pkt, uint64_t midr)
{
	switch (pkt->type) {
	case SPE_PADDING:
		buf_puts(out, "PAD");
		break;
	case SPE_END:
		buf_puts(out, "END");
		break;
	case SPE_TIMESTAMP:
		buf_printf(out, "TS %lld", (long long)pkt->value);
		break;
	case SPE_ADDRESS:
		address(out, pkt);
		break;
	case SPE_COUNTER:
		counter(out, pkt);
		break;
	case SPE_CONTEXT:
		buf_printf(out, "CONTEXT 0x%llx el%u", (unsigned long long)pkt->value, pkt->index + 1u);
		break;
	case SPE_OPERATION:
		operation(out, pkt);
		break;
	case SPE_EVENTS:
		events(out, pkt->value, midr);
		break;
	case SPE_SOURCE:
		buf_printf(out, "DATA-SOURCE %lld", (long long)pkt->value);
		break;
	}
}

/* Returns the size of the line of padding at @at: the packet, which has @size bytes, and the zeros after it that fit. */
static size_t gather(const uint8_t *p, size_t at, size_t n, size_t size)
{
	while (size < LINE_BYTES && at + size < n && !p[at + size])
		size++;
	return size;
}

size_t spe_text(struct buf *out, const uint8_t *p, size_t n, uint64_t midr, size_t at, size_t enough)
{
	size_t begin = out->len, size;
	struct spe_packet pkt;

	for (; at < n && out->len - begin < enough; at += size) {
		int got = spe_packet_read(&pkt, p, at, n);

		size = got > 0 ? (size_t)got : 1;
		if (got > 0 && pkt.type == SPE_PADDING)
			size = gather(p, at, n, size);
		buf_printf(out, ".  %08zx: ", at);
		for (size_t i = 0; i < size; i++)
			buf_printf(out, " %02x", p[at + i]);
		buf_fill(out, ' ', size < LINE_BYTES ? 3 * (LINE_BYTES - size) + 1 : 1);
		if (got > 0)
			spe_packet_text(out, &pkt, midr);
		else
			buf_puts(out, "Bad packet!");
		buf_putc(out, '\n');
	}
	return at;
}
