/*
 * ptcpus -o OUT -m MAPS -c CPUS [-n INSTRUCTIONS] [-s SET] LOG...: threads that run on several CPUs, as Intel PT of each CPU.
 *
 * Each LOG has the addresses that a thread executed, in hexadecimal, one a line, and where it stopped; all run the code of
 * MAPS, which is in the form of /proc/PID/maps. Rounds follow one another: in each every CPU runs one thread for about so many
 * instructions (300), and all clocks go on together to the next round; threads migrate from round to round. Writes OUT.N.pt for
 * CPU N (from 0), for thread N OUT.N.times (when each instruction ran, in TSC ticks), and OUT.switches: "TICK CPU THREAD" for
 * each time that a thread begins.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/x86/insn.h"
#include "core/arch.h"
#include "core/base/hash.h"
#include "tests/trace/image.h"
#include "tests/trace/pt_check.h"
#include "tests/trace/pt_encode.h"

#define AWAY	1000u			/* ticks in the kernel between two threads, which pt_encode_enter() adds */

struct decoded { uint64_t ip; struct insn insn; };

struct runner {				/* a thread */
	struct pt_truth ran;
	size_t at;
	struct buf times;
};

struct maker {
	struct image *image;
	struct index by_ip;
	VEC(struct decoded) insns;
	VEC(struct pt_encoder) cpus;
	VEC(struct runner) threads;
	struct buf switches;
};

static const struct insn *insn_at(struct maker *m, uint64_t ip)
{
	uint64_t h = hash_u64(ip);
	struct decoded d = { .ip = ip };
	uint8_t code[16];
	uint32_t pos;

	for (size_t i = h; (pos = index_at(&m->by_ip, i, h)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && m->insns.v[pos].ip == ip)
			return &m->insns.v[pos].insn;
	if (x86_insn(&d.insn, code, image_read(m->image, 0, ip, code, sizeof(code)), 64)) {
		fprintf(stderr, "ptcpus: no code at %lx\n", (long)ip);
		exit(1);
	}
	index_add(&m->by_ip, h, (uint32_t)m->insns.nr);
	vec_push(&m->insns, d);
	return &m->insns.v[m->insns.nr - 1].insn;
}

static bool is_done(const struct runner *t)
{
	return t->at + 1 >= t->ran.ips.nr;
}

static void step(struct maker *m, struct pt_encoder *e, struct runner *t)
{
	uint64_t ip = t->ran.ips.v[t->at], next = t->ran.ips.v[t->at + 1];

	if (!e->enabled)
		pt_encode_enter(e, ip);
	buf_dec(&t->times, e->tsc, 0);
	buf_putc(&t->times, '\n');
	t->at++;
	if (!pt_encode_insn(e, insn_at(m, ip), ip, next))
		return;
	pt_encode_tick(e);
	pt_encode_sync(e, next);
}

static void run_slice(struct maker *m, size_t cpu, size_t thread, unsigned most)
{
	struct pt_encoder *e = &m->cpus.v[cpu];
	struct runner *t = &m->threads.v[thread];
	unsigned nr = most / 2 + pt_encode_random(e, most);

	if (is_done(t))
		return;
	buf_printf(&m->switches, "%lu %zu %zu\n", (long)(e->tsc + AWAY / 2), cpu, thread);
	while (!is_done(t) && nr--)
		step(m, e, t);
	if (e->enabled)
		pt_encode_interrupt(e, t->ran.ips.v[t->at]);
}

static bool run_round(struct maker *m, unsigned round, unsigned most)
{
	uint64_t latest = 0;
	bool more = false;

	/* At each round all threads are one CPU further, and those beyond the last wait. */
	for (size_t cpu = 0; cpu < m->cpus.nr && cpu < m->threads.nr; cpu++)
		run_slice(m, cpu, (cpu + (size_t)round * (m->threads.nr - 1)) % m->threads.nr, most);
	vec_for(e, &m->cpus)
		latest = MAX(latest, e->tsc);
	vec_for(e, &m->cpus)
		while (e->tsc < latest)
			pt_encode_tick(e);
	vec_for(t, &m->threads)
		more |= !is_done(t);
	return more;
}

static int save(const char *base, const char *suffix, const struct buf *b)
{
	char *name = xasprintf("%s.%s", base, suffix);
	FILE *f = fopen(name, "w");
	int err = !f || fwrite(b->data, 1, b->len, f) != b->len;

	if (f)
		err |= fclose(f);
	if (err)
		perror(name);
	free(name);
	return err ? -1 : 0;
}

static int finish(struct maker *m, const char *base)
{
	int err = save(base, "switches", &m->switches);

	for (size_t i = 0; i < m->cpus.nr; i++) {
		char *suffix = xasprintf("%zu.pt", i);

		pt_encode_flush(&m->cpus.v[i]);
		err |= save(base, suffix, &m->cpus.v[i].out);
		pt_encode_release(&m->cpus.v[i]);
		free(suffix);
	}
	for (size_t i = 0; i < m->threads.nr; i++) {
		char *suffix = xasprintf("%zu.times", i);

		err |= save(base, suffix, &m->threads.v[i].times);
		buf_release(&m->threads.v[i].times);
		vec_free(&m->threads.v[i].ran.ips);
		free(suffix);
	}
	return err;
}

int main(int argc, char **argv)
{
	struct maker m = {0};
	const char *base = NULL, *set = "psb=2048,cyc";
	struct pt_encode_options o;
	unsigned cpus = 0, most = 300, round = 0;
	int c, err = 0;

	while ((c = getopt(argc, argv, "o:m:c:n:s:")) != -1) {
		switch (c) {
		case 'o': base = optarg; break;
		case 'm': m.image = image_load(optarg); break;
		case 'c': cpus = (unsigned)atoi(optarg); break;
		case 'n': most = (unsigned)atoi(optarg); break;
		case 's': set = optarg; break;
		default: return 2;
		}
	}
	if (!base || !m.image || !cpus || !most || optind == argc || pt_encode_parse(&o, set)) {
		fprintf(stderr, "usage: ptcpus -o OUT -m MAPS -c CPUS [-n INSTRUCTIONS] [-s SET] LOG...\n");
		return 2;
	}
	for (unsigned i = 0; i < cpus; i++) {
		vec_push(&m.cpus, (struct pt_encoder){0});
		o.seed = i + 1;
		pt_encode_start(&m.cpus.v[i], &o);
	}
	for (; !err && optind < argc; optind++) {
		vec_push(&m.threads, (struct runner){0});
		err = pt_truth_read(&m.threads.v[m.threads.nr - 1].ran, argv[optind]);
	}
	while (!err && run_round(&m, round++, most))
		;
	err = err || finish(&m, base);
	vec_free(&m.cpus);
	vec_free(&m.threads);
	vec_free(&m.insns);
	index_release(&m.by_ip);
	buf_release(&m.switches);
	image_free(m.image);
	return err ? 1 : 0;
}
