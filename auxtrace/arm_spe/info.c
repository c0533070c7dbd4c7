/* Reads the AUXTRACE_INFO record of an SPE recording, and prints it for prec script -D. */
#include "auxtrace/arm_spe/info.h"

#include <errno.h>

#include "core/base/buf.h"
#include "core/base/wire.h"

enum { OLD_TYPE, OLD_RINGS, OLD_WORDS };
enum { VERSION, HEADER_WORDS, TYPE, NR_CPUS, LEAST_HEADER };
enum { MAGIC, CPU, NR_MORE, MIDR, CPU_TYPE, INTERVAL, FILTER, CPU_WORDS };	/* NR_MORE: the number of words after this one */

static bool is_old(const struct words *w)
{
	return w->nr == OLD_WORDS;
}

/* Returns the number of words of the CPU whose words begin at @at; 0: some are missing. */
static uint64_t cpu_size(const struct words *w, uint64_t at)
{
	uint64_t more;

	if (at > w->nr || w->nr - at <= MIDR)
		return 0;
	more = words_at(w, at + NR_MORE);
	return more && more <= w->nr - at - MIDR ? MIDR + more : 0;
}

int spe_info_read(struct spe_info *out, const struct words *w)
{
	uint64_t at, nr;

	*out = (struct spe_info){ 0 };
	if (w->nr < OLD_WORDS || (!is_old(w) && w->nr < LEAST_HEADER))
		return -EINVAL;
	out->pmu_type = (uint32_t)words_at(w, is_old(w) ? OLD_TYPE : TYPE);
	if (is_old(w))
		return 0;
	at = words_at(w, HEADER_WORDS);
	nr = words_at(w, NR_CPUS);
	if (at < LEAST_HEADER || nr > w->nr)
		return -EINVAL;
	out->homogeneous = nr > 0;
	while (nr--) {
		uint64_t size = cpu_size(w, at);

		if (!size)
			return -EINVAL;
		vec_push(&out->cpus, (struct spe_cpu){ .cpu = (uint32_t)words_at(w, at + CPU), .midr = words_at(w, at + MIDR),
			.event_filter = size > FILTER ? words_at(w, at + FILTER) : 0 });
		out->homogeneous = out->homogeneous && words_at(w, at + MIDR) == out->cpus.v[0].midr;
		at += size;
	}
	return 0;
}

void spe_info_release(struct spe_info *i)
{
	vec_free(&i->cpus);
}

const struct spe_cpu *spe_info_cpu(const struct spe_info *i, uint32_t cpu)
{
	if (cpu == UINT32_MAX)
		return i->homogeneous ? i->cpus.v : NULL;
	vec_for(c, &i->cpus)
		if (c->cpu == cpu)
			return c;
	return NULL;
}

/* ---- -D ---- */

struct label { const char *text; bool hex; };

static void print_words(struct buf *out, const struct words *w, uint64_t from, uint64_t nr, const struct label *labels,
			uint64_t nr_labels)
{
	for (uint64_t i = 0; i < nr && i < nr_labels && from + i < w->nr; i++)
		buf_printf(out, labels[i].hex ? "%-21s:0x%llx\n" : "%-21s:%lld\n", labels[i].text,
			   (unsigned long long)words_at(w, from + i));
}

void spe_info_print(struct buf *out, const struct words *w)
{
	static const struct label old[] = { { "  PMU Type", false }, { "  Per CPU mmaps", false } };
	static const struct label header[] = {
		[VERSION] = { "  Header version", false }, [HEADER_WORDS] = { "  Header size", false },
		[TYPE] = { "  PMU type v2", false }, [NR_CPUS] = { "  CPU number", false },
	};
	static const struct label cpu[] = {
		[MAGIC] = { "    Magic", true }, [CPU] = { "    CPU #", false }, [NR_MORE] = { "    Num of params", false },
		[MIDR] = { "    MIDR", true }, [CPU_TYPE] = { "    PMU Type", false },
		[INTERVAL] = { "    Min Interval", false }, [FILTER] = { "    Event Filter", true },
	};
	uint64_t at, size;

	if (is_old(w)) {
		print_words(out, w, 0, OLD_WORDS, old, ARRAY_SIZE(old));
		return;
	}
	if (w->nr < LEAST_HEADER)
		return;
	print_words(out, w, 0, LEAST_HEADER, header, ARRAY_SIZE(header));
	at = words_at(w, HEADER_WORDS);
	for (uint64_t nr = words_at(w, NR_CPUS); nr && (size = cpu_size(w, at)); nr--, at += size)
		print_words(out, w, at, size, cpu, ARRAY_SIZE(cpu));
}
