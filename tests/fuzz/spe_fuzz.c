/*
 * Any bytes as SPE data: records end, lie within the data in order, and packets that are read are written back
 * as they were.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "auxtrace/arm_spe/info.h"
#include "auxtrace/arm_spe/packet.h"
#include "auxtrace/arm_spe/record.h"
#include "core/base/buf.h"
#include "core/base/wire.h"
#include "tests/lib/spe_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void packets(const uint8_t *data, size_t n)
{
	struct spe_packet pkt;
	uint8_t copy[10];

	for (size_t at = 0; at < n;) {
		int size = spe_packet_read(&pkt, data, at, n), written;

		if (size <= 0) {
			at++;
			continue;
		}
		if ((size_t)size > n - at)
			abort();
		written = pkt.type == SPE_PADDING ? 0 : spe_packet_write(copy, &pkt);
		/* A second header that says nothing is not written. */
		if (written && (written > size || memcmp(copy, data + at + (size - written), (size_t)written)))
			abort();
		at += (size_t)size;
	}
}

/* The meaning of a record for each CPU of @i. */
static void sources(const struct spe_info *i, const struct spe_record *r)
{
	size_t nr = 0;

	spe_data_src(r, spe_info_cpu(i, UINT32_MAX));
	vec_for(cpu, &i->cpus)
		if (nr++ < 4 && (spe_data_src(r, cpu) && r->class != SPE_LOAD_STORE))
			abort();
}

/* Possible contents of AUXTRACE_INFO; the same bytes are records, too. */
static void info(const uint8_t *data, size_t n)
{
	const struct words words = { .nr = n / 8, .data = data };
	struct buf text = { 0 };
	struct spe_info i;
	struct spe_record r;

	spe_info_print(&text, &words);
	if (!spe_info_read(&i, &words))
		for (size_t at = 0; (at = spe_record_next(&r, data, at, n));)
			sources(&i, &r);
	spe_info_release(&i);
	buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct spe_record r;
	struct buf text = { 0 };
	size_t at = 0, next;

	packets(data, n);
	while ((next = spe_record_next(&r, data, at, n))) {
		if (next <= at || r.at < at || r.at + r.size > next)
			abort();
		at = next;
	}
	if (r.at + r.size > n)
		abort();
	spe_text(&text, data, n, MIDR_NEOVERSE_N1, 0, SIZE_MAX);
	info(data, n);
	buf_release(&text);
	return 0;
}
