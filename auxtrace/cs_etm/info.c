/*
 * Reads the AUXTRACE_INFO record of CoreSight: three words of header, then a list of words for each CPU's trace unit. Also prints
 * it for prec script -D.
 */
#include "auxtrace/cs_etm/info.h"

#include <errno.h>

#include "core/base/buf.h"
#include "core/base/wire.h"

#define MAGIC_V3	0x3030303030303030ull
#define MAGIC_V4	0x4040404040404040ull
#define MAGIC_ETE	0x5050505050505050ull

#define ID_UNUSED	(1ull << 31)	/* in word TRACEIDR: no trace ID; an AUX_OUTPUT_HW_ID record gives it (perf 6.2 and up) */
#define ID_MASK		0x7f

enum { VERSION, PMU_AND_CPUS, SNAPSHOT, NR_HEADER };	/* words of the header */

enum v4_word { CONFIGR, TRACEIDR, IDR0, IDR1, IDR2, IDR8, AUTHSTATUS, V4_TS_SOURCE, DEVARCH = V4_TS_SOURCE, ETE_TS_SOURCE };

#define PARAMS_V3	4	/* parameters in version 0, which does not have their number */
#define PARAMS_V4	7

struct cpu_words {			/* a CPU's words */
	uint64_t magic, cpu, at, nr;	/* .at: position of the first parameter; .nr: number of parameters */
};

/* Reads the words of the unit that begin at @at. *next: the position after them. Returns 0 or -EINVAL. */
static int read_cpu_words(const struct words *w, uint64_t version, uint64_t at, struct cpu_words *out, uint64_t *next)
{
	uint64_t fixed = version ? 3 : 2;

	if (w->nr - at < fixed)
		return -EINVAL;
	*out = (struct cpu_words){ .magic = words_at(w, at), .cpu = words_at(w, at + 1), .at = at + fixed };
	if (out->magic != MAGIC_V3 && out->magic != MAGIC_V4 && out->magic != MAGIC_ETE)
		return -EINVAL;
	out->nr = version ? words_at(w, at + 2) : out->magic == MAGIC_V3 ? PARAMS_V3 : PARAMS_V4;
	if (out->nr > w->nr - out->at)
		return -EINVAL;
	*next = out->at + out->nr;
	return 0;
}

static uint64_t param(const struct words *w, const struct cpu_words *c, unsigned n)
{
	return n < c->nr ? words_at(w, c->at + n) : 0;
}

/* TRCCONFIGR: bit 6 is CID, 7 is VMID, 15 is VMIDOPT (then the VMID is CONTEXTIDR_EL2). */
static enum cs_thread_id thread_id(uint64_t configr)
{
	if (configr & 1 << 7 && configr & 1 << 15)
		return CS_TID_VMID;
	return configr & 1 << 6 ? CS_TID_CID : CS_NO_TID;
}

static struct cs_cpu v4_cpu(const struct words *w, const struct cpu_words *c)
{
	bool ete = c->magic == MAGIC_ETE;
	struct cs_registers r = {
		.configr = (uint32_t)param(w, c, CONFIGR), .traceidr = (uint32_t)param(w, c, TRACEIDR),
		.idr0 = (uint32_t)param(w, c, IDR0), .idr1 = (uint32_t)param(w, c, IDR1), .idr2 = (uint32_t)param(w, c, IDR2),
		.idr8 = (uint32_t)param(w, c, IDR8), .devarch = ete ? (uint32_t)param(w, c, DEVARCH) : 0,
	};
	struct cs_cpu cpu = {
		.cpu = (uint32_t)c->cpu, .has_id = !(param(w, c, TRACEIDR) & ID_UNUSED), .tid = thread_id(r.configr),
		.virtual_time = param(w, c, ete ? ETE_TS_SOURCE : V4_TS_SOURCE) == 1,
	};

	cs_config_init(&cpu.config, &r);
	cpu.config.id &= ID_MASK;
	cpu.unsupported = cs_config_unsupported(&cpu.config);
	return cpu;
}

static struct cs_cpu v3_cpu(const struct words *w, const struct cpu_words *c)
{
	struct cs_v7_registers r = {
		.cr = (uint32_t)param(w, c, 0), .traceidr = (uint32_t)param(w, c, 1), .ccer = (uint32_t)param(w, c, 2),
		.idr = (uint32_t)param(w, c, 3),
	};
	struct cs_cpu cpu = { .cpu = (uint32_t)c->cpu, .has_id = true };

	cs_config_init_v7(&cpu.config, &r);
	cpu.unsupported = cs_config_unsupported(&cpu.config);
	cpu.tid = cpu.config.cid_bytes == 4 ? CS_TID_CID_V7 : CS_NO_TID;
	return cpu;
}

int cs_info_read(struct cs_info *out, const struct words *words)
{
	uint64_t at = NR_HEADER, version;
	struct cpu_words c;

	*out = (struct cs_info){0};
	if (words->nr < NR_HEADER)
		return -EINVAL;
	version = words_at(words, VERSION);
	if (version > 1)
		return -ENOTSUP;
	out->pmu_type = (uint32_t)(words_at(words, PMU_AND_CPUS) >> 32);
	out->snapshot = words_at(words, SNAPSHOT);
	for (uint32_t nr = (uint32_t)words_at(words, PMU_AND_CPUS); nr; nr--) {
		if (read_cpu_words(words, version, at, &c, &at)) {
			cs_info_release(out);
			return -EINVAL;
		}
		vec_push(&out->cpus, c.magic == MAGIC_V3 ? v3_cpu(words, &c) : v4_cpu(words, &c));
	}
	return 0;
}

void cs_info_release(struct cs_info *i)
{
	vec_free(&i->cpus);
}

/* Bits 7:0 are the trace ID, 39:8 the sink from version 0.1 on; 59:56 is the minor version. */
void cs_info_set_id(struct cs_info *i, uint32_t cpu, uint64_t hw_id)
{
	vec_for(c, &i->cpus)
		if (c->cpu == cpu) {
			c->config.id = hw_id & ID_MASK;
			c->sink = hw_id >> 56 & 0xf ? (uint32_t)(hw_id >> 8) : 0;
			c->has_id = true;
		}
}

const struct cs_cpu *cs_info_cpu(const struct cs_info *i, uint32_t cpu)
{
	vec_for(c, &i->cpus)
		if (cpu == UINT32_MAX || c->cpu == cpu)
			return c;
	return NULL;
}

const struct cs_cpu *cs_info_find(const struct cs_info *i, uint8_t id, uint32_t cpu)
{
	const struct cs_cpu *own = cpu == UINT32_MAX ? NULL : cs_info_cpu(i, cpu), *found = NULL;

	vec_for(c, &i->cpus) {
		if (!c->has_id || c->config.id != id)
			continue;
		if (!own || c->sink == own->sink)
			return c;
		found = c;
	}
	return found;
}

/* ---- printing ---- */

static void print_params(struct buf *out, const struct words *w, const struct cpu_words *c)
{
	static const char *const v3[] = { "ETMCR", "ETMTRACEIDR", "ETMCCER", "ETMIDR" };
	static const char *const v4[] = {
		"TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCAUTHSTATUS", "TS_SOURCE",
	};
	static const char *const ete[] = {
		"TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCAUTHSTATUS", "TRCDEVARCH", "TS_SOURCE",
	};
	const char *const *names = c->magic == MAGIC_V3 ? v3 : c->magic == MAGIC_V4 ? v4 : ete;
	unsigned nr = c->magic == MAGIC_V3 ? ARRAY_SIZE(v3) : c->magic == MAGIC_V4 ? ARRAY_SIZE(v4) : ARRAY_SIZE(ete);

	for (unsigned n = 0; n < c->nr; n++) {
		unsigned long long value = param(w, c, n);

		if (n >= nr)
			buf_printf(out, "\tParameter %-20u %llx\n", n, value);
		else if (names == ete && n == DEVARCH)	/* with spaces, as perf has it */
			buf_printf(out, "\t%-30s %llx\n", names[n], value);
		else
			buf_printf(out, "\t%s%s       %llx\n", names[n], &"\t\t\t"[strlen(names[n]) / 8], value);
	}
}

void cs_info_print(struct buf *out, const struct words *words)
{
	uint64_t at = NR_HEADER, version;
	struct cpu_words c;

	if (words->nr < NR_HEADER)
		return;
	version = words_at(words, VERSION);
	buf_printf(out, "\tHeader version\t\t       %llx\n", (unsigned long long)version);
	buf_printf(out, "\tPMU type/num cpus\t       %llx\n", (unsigned long long)words_at(words, PMU_AND_CPUS));
	buf_printf(out, "\tSnapshot\t\t       %llx\n", (unsigned long long)words_at(words, SNAPSHOT));
	while (version <= 1 && at < words->nr && !read_cpu_words(words, version, at, &c, &at)) {
		buf_printf(out, "\tMagic number\t\t       %llx\n\tCPU\t\t\t       %lld\n", (unsigned long long)c.magic,
			   (long long)c.cpu);
		if (version)
			buf_printf(out, "\tNR_TRC_PARAMS\t\t       %llx\n", (unsigned long long)c.nr);
		print_params(out, words, &c);
	}
}
