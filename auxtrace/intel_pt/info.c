/*
 * Reads the parameters of an Intel PT trace, such as the factors of its clock, from the AUXTRACE_INFO record. Also prints this
 * record for prec script -D.
 */
#include "auxtrace/intel_pt/info.h"

#include <errno.h>

#include "core/base/buf.h"
#include "core/base/wire.h"

enum word {
	PMU_TYPE, TIME_SHIFT, TIME_MULT, TIME_ZERO, CAP_TIME_ZERO, TSC_BIT, NORETCOMP_BIT, SCHED_SWITCH, SNAPSHOT, PER_CPU,
	MTC_BIT, MTC_FREQ_BITS, TSC_CTC_NUM, TSC_CTC_DEN, CYC_BIT, MAX_RATIO, FILTER_LEN, NR_WORDS,
};

#define WORDS_AT_LEAST PER_CPU	/* the oldest recorders wrote only the words before this one */

static uint64_t word(const struct words *w, unsigned n)
{
	return n < w->nr ? words_at(w, n) : 0;
}

/* Returns the number of the word after the filter string, which is between the words and ends with at least one zero. */
static uint64_t word_after_filter(const struct words *w)
{
	uint64_t len = word(w, FILTER_LEN);

	if (len >= w->nr * 8)
		return w->nr;
	return NR_WORDS + (len ? round_up(len + 1, 8) / 8 : 0);
}

int pt_info_read(struct pt_info *out, const struct words *words)
{
	*out = (struct pt_info){
		.pmu_type = (uint32_t)word(words, PMU_TYPE), .time_shift = (uint32_t)word(words, TIME_SHIFT),
		.time_mult = word(words, TIME_MULT), .time_zero = word(words, TIME_ZERO),
		.tsc_bit = word(words, TSC_BIT), .noretcomp_bit = word(words, NORETCOMP_BIT),
		.mtc_bit = word(words, MTC_BIT), .mtc_freq_bits = word(words, MTC_FREQ_BITS), .cyc_bit = word(words, CYC_BIT),
		.snapshot = word(words, SNAPSHOT), .per_cpu = word(words, PER_CPU),
		.tsc_ctc_num = (uint32_t)word(words, TSC_CTC_NUM), .tsc_ctc_den = (uint32_t)word(words, TSC_CTC_DEN),
		.max_nonturbo_ratio = (uint16_t)word(words, MAX_RATIO),
		.event_trace = word(words, (unsigned)word_after_filter(words)),
	};
	if (words->nr > NR_WORDS && word(words, FILTER_LEN) && word(words, FILTER_LEN) <= (words->nr - NR_WORDS) * 8) {
		out->filter = (const char *)words->data + NR_WORDS * 8;
		out->filter_size = strnlen(out->filter, word(words, FILTER_LEN));
	}
	out->time_known = word(words, CAP_TIME_ZERO) && out->time_mult && word(words, TIME_SHIFT) < 64;
	return words->nr < WORDS_AT_LEAST ? -EINVAL : 0;
}

/* linux/perf_event.h, struct perf_event_mmap_page, "cap_usr_time_zero". */
uint64_t pt_info_ns(const struct pt_info *i, uint64_t tsc)
{
	uint64_t quot = tsc >> i->time_shift, rem = tsc & ((1ull << i->time_shift) - 1);

	return i->time_zero + quot * i->time_mult + (rem * i->time_mult >> i->time_shift);
}

uint64_t pt_info_ticks(const struct pt_info *i, uint64_t ns)
{
	uint64_t quot = ns / i->time_mult, rem = ns % i->time_mult;

	return (quot << i->time_shift) + (rem << i->time_shift) / i->time_mult;
}

static void print_filter(struct buf *out, const struct words *w)
{
	uint64_t len = word(w, FILTER_LEN);

	buf_printf(out, "  Filter string len.  %llu\n  Filter string       ", (unsigned long long)len);
	if (w->nr > NR_WORDS && len <= (w->nr - NR_WORDS) * 8)
		buf_put(out, w->data + NR_WORDS * 8, strnlen((const char *)w->data + NR_WORDS * 8, len));
	buf_putc(out, '\n');
	if (w->nr > word_after_filter(w))
		buf_printf(out, "  Cap Event Trace     %llu\n", (unsigned long long)word(w, (unsigned)word_after_filter(w)));
}

void pt_info_print(struct buf *out, const struct words *words)
{
	static const struct { const char *name; bool hex; } rows[FILTER_LEN] = {
		[PMU_TYPE] = { "PMU Type", false }, [TIME_SHIFT] = { "Time Shift", false },
		[TIME_MULT] = { "Time Multiplier", false }, [TIME_ZERO] = { "Time Zero", false },
		[CAP_TIME_ZERO] = { "Cap Time Zero", false }, [TSC_BIT] = { "TSC bit", true },
		[NORETCOMP_BIT] = { "NoRETComp bit", true }, [SCHED_SWITCH] = { "Have sched_switch", false },
		[SNAPSHOT] = { "Snapshot mode", false }, [PER_CPU] = { "Per-cpu maps", false },
		[MTC_BIT] = { "MTC bit", true }, [MTC_FREQ_BITS] = { "MTC freq bits", true },
		[TSC_CTC_NUM] = { "TSC:CTC numerator", false }, [TSC_CTC_DEN] = { "TSC:CTC denominator", false },
		[CYC_BIT] = { "CYC bit", true }, [MAX_RATIO] = { "Max non-turbo ratio", false },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows) && i < words->nr; i++)
		buf_printf(out, rows[i].hex ? "  %-19s %#llx\n" : "  %-19s %llu\n", rows[i].name,
			   (unsigned long long)word(words, i));
	if (words->nr > FILTER_LEN)
		print_filter(out, words);
}
