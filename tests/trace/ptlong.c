/*
 * ptlong -o OUT -m MAPS [-s SET]... <ADDRESSES: encode an execution of any length as Intel PT.
 *
 * ADDRESSES are those of each instruction that ran, in order, 8 bytes each; an instruction with REP may be there several
 * times. MAPS is the code, in the form of /proc/PID/maps. Writes OUT.N.pt for each SET (see pt_encode_parse(); nothing may
 * be lost), and prints the addresses, one a line; OUT.sum: their number and FNV-1a 64, as pt_insn --sum.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/x86/insn.h"
#include "core/arch.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "tests/trace/image.h"
#include "tests/trace/pt_encode.h"

struct decoded {
	uint64_t ip;
	struct insn insn;
};

struct maker {
	struct image *image;
	struct index by_ip;		/* to positions in insns */
	VEC(struct decoded) insns;
	VEC(struct pt_encoder) encoders;
	struct buf text;
	uint64_t nr, hash;
};

/* The position of the instruction at @ip; UINT32_MAX: there is no code. */
static uint32_t insn_at(struct maker *m, uint64_t ip)
{
	uint64_t h = hash_u64(ip);
	struct decoded d = { .ip = ip };
	uint8_t code[16];
	uint32_t pos;

	for (size_t i = h; (pos = index_at(&m->by_ip, i, h)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && m->insns.v[pos].ip == ip)
			return pos;
	if (x86_insn(&d.insn, code, image_read(m->image, 0, ip, code, sizeof(code)), 64))
		return UINT32_MAX;
	index_add(&m->by_ip, h, m->insns.nr);
	vec_push(&m->insns, d);
	return (uint32_t)m->insns.nr - 1;
}

static void tell(struct maker *m, uint64_t ip)
{
	m->nr++;
	for (int k = 0; k < 64; k += 8)
		m->hash = (m->hash ^ (ip >> k & 0xff)) * 0x100000001b3ull;
	buf_hex(&m->text, ip, 0);
	buf_putc(&m->text, '\n');
	if (m->text.len > 1 << 20)
		write_buf(STDOUT_FILENO, &m->text);
}

static void encode(struct pt_encoder *e, const struct decoded *d, uint64_t next)
{
	if (!e->enabled)
		pt_encode_enter(e, d->ip);
	if (!pt_encode_insn(e, &d->insn, d->ip, next) || !next)
		return;
	pt_encode_tick(e);
	if (pt_encode_happens(e, e->o.async)) {
		pt_encode_interrupt(e, next);
		pt_encode_enter(e, next);
	}
	pt_encode_sync(e, next);
}

/* Returns -1 where there is no code. */
static int take(struct maker *m, uint64_t ip, uint64_t next)
{
	uint32_t pos = insn_at(m, ip);

	if (pos == UINT32_MAX) {
		fprintf(stderr, "ptlong: no code at %lx\n", (long)ip);
		return -1;
	}
	if (ip == next && m->insns.v[pos].insn.kind == INSN_OTHER)
		return 0;
	tell(m, ip);
	vec_for(e, &m->encoders)
		encode(e, &m->insns.v[pos], next);
	return 0;
}

static int run(struct maker *m)
{
	uint64_t ips[4096], ip = 0;
	size_t n;
	int err = 0;

	while (!err && (n = fread(ips, sizeof(ips[0]), ARRAY_SIZE(ips), stdin)))
		for (size_t i = 0; i < n && !err; ip = ips[i++])
			err = ip ? take(m, ip, ips[i]) : 0;
	return err || !ip ? -1 : take(m, ip, 0);
}

static int save(const char *base, const char *suffix, const char *data, size_t n)
{
	char *name = xasprintf("%s.%s", base, suffix);
	FILE *f = fopen(name, "w");
	int err = !f || fwrite(data, 1, n, f) != n;

	if (f)
		err |= fclose(f);
	if (err)
		perror(name);
	free(name);
	return err ? -1 : 0;
}

static int finish(struct maker *m, const char *base)
{
	char *sum = xasprintf("%lu %016lx\n", (long)m->nr, (long)m->hash);
	int err = save(base, "sum", sum, strlen(sum));

	free(sum);
	write_buf(STDOUT_FILENO, &m->text);
	vec_for(e, &m->encoders) {
		char *suffix = xasprintf("%zu.pt", (size_t)(e - m->encoders.v) + 1);

		pt_encode_flush(e);
		err = err ? err : save(base, suffix, e->out.data, e->out.len);
		pt_encode_release(e);
		free(suffix);
	}
	return err;
}

int main(int argc, char **argv)
{
	struct maker m = { .hash = 0xcbf29ce484222325ull };
	const char *base = NULL;
	struct pt_encode_options o;
	int c, err;

	while ((c = getopt(argc, argv, "o:m:s:")) != -1) {
		switch (c) {
		case 'o': base = optarg; break;
		case 'm': m.image = image_load(optarg); break;
		case 's':
			if (pt_encode_parse(&o, optarg))
				return 2;
			vec_push(&m.encoders, (struct pt_encoder){0});
			pt_encode_start(&m.encoders.v[m.encoders.nr - 1], &o);
			break;
		default: return 2;
		}
	}
	if (!base || !m.image || !m.encoders.nr) {
		fprintf(stderr, "usage: ptlong -o OUT -m MAPS -s SET... <ADDRESSES\n");
		return 2;
	}
	err = run(&m) || finish(&m, base);
	vec_free(&m.encoders);
	vec_free(&m.insns);
	index_release(&m.by_ip);
	buf_release(&m.text);
	image_free(m.image);
	return err ? 1 : 0;
}
