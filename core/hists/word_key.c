/*
 * Implements the sort keys whose value is one 64-bit word of a sample or branch, such as its latency. key.h describes what a
 * sort key has to implement.
 */
#include "core/hists/key_table.h"

#include "core/base/buf.h"
#include "core/read/item.h"
#include "core/perfdata/branch_flags.h"
#include "core/perfdata/data_src.h"
#include "core/perfdata/sample.h"
#include "core/hists/key.h"
#include "core/hists/weight.h"

static void number_put(uint64_t value, struct buf *out)
{
	buf_dec(out, value, 0);
}

/* ---- of samples ---- */

static uint64_t weight_word(const struct sample_view *v)
{
	return weight_of(v->item, 0);
}

static uint64_t latency_word(const struct sample_view *v)
{
	return weight_of(v->item, 1);
}

static uint64_t third_word(const struct sample_view *v)
{
	return weight_of(v->item, 2);
}

static uint64_t running_word(const struct sample_view *v)
{
	return v->running;
}

static uint64_t address_word(const struct sample_view *v)
{
	return v->item->sample->ip;
}

static void address_put(uint64_t value, struct buf *out)
{
	buf_puts(out, "0x");
	buf_hex(out, value, 0);
}

static uint64_t page_word(const struct sample_view *v)
{
	return v->item->sample->code_page_size;
}

static uint64_t transaction_word(const struct sample_view *v)
{
	return v->item->sample->transaction;
}

/* PERF_TXN_* of linux/perf_event.h, with the words that perf prints. */
#define TXN_SYNC	(1u << 2)
#define TXN_ASYNC	(1u << 3)
#define TXN_ABORT(v)	((v) >> 32)

static void transaction_put(uint64_t value, struct buf *out)
{
	static const char *const names[] = { "EL", "TX", "SYNC", "ASYNC", "RETRY", "CON", "CAP-WRITE", "CAP-READ" };

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (value >> i & 1)
			buf_printf(out, "%s ", names[i]);
	if (value && !(value & (TXN_SYNC | TXN_ASYNC)))
		buf_puts(out, "NEITHER ");
	if (TXN_ABORT(value)) {
		buf_putc(out, ':');
		buf_hex(out, TXN_ABORT(value), 0);
	}
}

static uint64_t simd_word(const struct sample_view *v)
{
	return v->item->sample->simd;
}

static void simd_put(uint64_t value, struct buf *out)
{
	static const char *const names[] = { [SIMD_SVE] = "SVE", [SIMD_SME] = "SME", [SIMD_ASE] = "ASE" };

	if (value)
		buf_printf(out, "[%c] %s", (char)value, names[value >> 8]);
}

/* ---- of branches ---- */

static uint64_t mispredict_word(const struct sample_view *v)
{
	return v->branch & (BRANCH_MISPREDICTED | BRANCH_PREDICTED);
}

static void mispredict_put(uint64_t value, struct buf *out)
{
	buf_puts(out, value & BRANCH_PREDICTED ? "N" : value ? "Y" : "N/A");
}

static uint64_t in_tx_word(const struct sample_view *v)
{
	return v->branch & BRANCH_IN_TX;
}

static void in_tx_put(uint64_t value, struct buf *out)
{
	buf_putc(out, value ? 'T' : '.');
}

static uint64_t abort_word(const struct sample_view *v)
{
	return v->branch & BRANCH_ABORT;
}

static void abort_put(uint64_t value, struct buf *out)
{
	buf_putc(out, value ? 'A' : '.');
}

static uint64_t cycles_word(const struct sample_view *v)
{
	return BRANCH_CYCLES(v->branch);
}

static void cycles_put(uint64_t value, struct buf *out)
{
	if (value)
		buf_dec(out, value, 0);
	else
		buf_putc(out, '-');
}

/* ---- keys ---- */

#define BRANCH	(NEED_WORDS | NEED_BRANCH)

static const struct key keys[] = {
	{ "local_weight", NULL, "Local Weight", NEED_WORDS, KEY_NUMBER, 12, .word = weight_word,
	  .order = key_largest_first, .put = number_put },
	{ "weight", NULL, "Weight", NEED_WORDS, KEY_TIMES_NR | KEY_NUMBER, 12, .word = weight_word,
	  .order = key_largest_first, .put = number_put },
	{ "local_ins_lat", NULL, "Local INSTR Latency", NEED_WORDS, KEY_NUMBER, 19, .word = latency_word,
	  .order = key_largest_first, .put = number_put },
	{ "ins_lat", NULL, "INSTR Latency", NEED_WORDS, KEY_TIMES_NR | KEY_NUMBER, 13, .word = latency_word,
	  .order = key_largest_first, .put = number_put },
	{ "local_p_stage_cyc", NULL, "Local Pipeline Stage Cycle", NEED_WORDS, KEY_NUMBER, 26, .word = third_word,
	  .order = key_largest_first, .put = number_put },
	{ "p_stage_cyc", NULL, "Pipeline Stage Cycle", NEED_WORDS, KEY_TIMES_NR | KEY_NUMBER, 20, .word = third_word,
	  .order = key_largest_first, .put = number_put },
	{ "local_retire_lat", NULL, "Local Retire Latency", NEED_WORDS, KEY_NUMBER, 20, .word = third_word,
	  .order = key_largest_first, .put = number_put },
	{ "retire_lat", NULL, "Retire Latency", NEED_WORDS, KEY_TIMES_NR | KEY_NUMBER, 14, .word = third_word,
	  .order = key_largest_first, .put = number_put },
	{ "parallelism", NULL, "Parallelism", NEED_WORDS | NEED_RUNNING, KEY_RIGHT | KEY_NUMBER, 11, .word = running_word,
	  .put = number_put },
	{ "addr", NULL, "Address", NEED_WORDS, 0, 18, .word = address_word, .put = address_put },
	{ "code_page_size", NULL, "Code Page Size", NEED_WORDS, 0, 14, .word = page_word, .order = key_largest_first,
	  .put = page_size_put },
	{ "transaction", NULL, "Transaction", NEED_WORDS, 0, 27, .word = transaction_word, .order = key_largest_first,
	  .put = transaction_put },
	{ "simd", NULL, "Simd", NEED_WORDS, 0, 7, .word = simd_word, .order = key_largest_first, .put = simd_put },
	{ "mispredict", NULL, "Branch Mispredicted", BRANCH, 0, 19, .word = mispredict_word, .order = key_largest_first,
	  .put = mispredict_put },
	{ "in_tx", NULL, "Branch in transaction", BRANCH, 0, 21, .word = in_tx_word, .order = key_largest_first,
	  .put = in_tx_put },
	{ "abort", NULL, "Transaction abort", BRANCH, 0, 17, .word = abort_word, .order = key_largest_first,
	  .put = abort_put },
	{ "cycles", NULL, "Basic Block Cycles", BRANCH, 0, 18, .word = cycles_word, .order = key_largest_first,
	  .put = cycles_put },
};

const struct key_table word_keys = { keys, ARRAY_SIZE(keys), "what a sample or branch (record -b) says besides" };
