/*
 * large FILE SAMPLES [CPUS [LEVEL]]: a recording of the CPU clock, 40 bytes a sample, as CPUS (256) rings leave it: in rounds, in
 * each of which every ring has a run of samples that are as old as those of the others. 20,000 addresses, 1,000 threads of one
 * name. LEVEL: of zstd.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/perfdata/data_writer.h"
#include "core/perfdata/event_table.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/record.h"

#define TYPES		(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define A_RUN		32	/* samples of a ring in a round */
#define THREADS		1000
#define ADDRESSES	20000
#define BASE		0x400000ull

struct sample_bytes {
	struct record_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, res;
};

/* A process with a file, and threads with a name. */
static void put_world(struct buf *b, const struct sample_layout *l)
{
	struct record comm = { .header.type = PERF_RECORD_COMM }, map = { .header.type = PERF_RECORD_MMAP };

	comm.comm.pid = map.mmap.pid = map.mmap.tid = THREADS;
	comm.comm.comm = "demo";
	map.mmap.addr = BASE;
	map.mmap.len = 0x1000000;
	map.mmap.filename = "/bin/demo";
	for (comm.comm.tid = THREADS; comm.comm.tid < 2 * THREADS; comm.comm.tid++)
		if (record_append(b, l, &comm))
			die("cannot write a name");
	if (record_append(b, l, &map))
		die("cannot write a map");
}

static void put_round(struct buf *b, uint64_t round, unsigned cpus, uint64_t *left, uint64_t *state)
{
	struct record_header end = { .type = RECORD_FINISHED_ROUND, .size = sizeof(end) };

	for (unsigned cpu = 0; cpu < cpus && *left; cpu++)
		for (unsigned i = 0; i < A_RUN && *left; i++, --*left) {
			*state = *state * 6364136223846793005ull + 1442695040888963407ull;
			buf_put(b, &(struct sample_bytes){
				.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(struct sample_bytes) },
				.ip = BASE + (*state >> 33) % ADDRESSES * 16,
				.pid = THREADS, .tid = THREADS + (uint32_t)(*state >> 50) % THREADS,
				.time = 1000000 + (round * A_RUN + i) * 250000 + cpu, .cpu = cpu,
			}, sizeof(struct sample_bytes));
		}
	buf_put(b, &end, sizeof(end));
}

int main(int argc, char **argv)
{
	struct event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = ATTR_SIZE_VER7, .sample_type = TYPES, .sample_period = 250000,
		.sample_id_all = 1,
	};
	uint64_t left = argc > 2 ? strtoull(argv[2], NULL, 0) : 0, state = 1;
	unsigned cpus = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : 256;
	int level = argc > 4 ? atoi(argv[4]) : 0;
	struct event_table events = {0};
	struct features features = {0};
	struct data_writer *w;
	struct buf b = {0};

	if (!left || !cpus)
		die("usage: large FILE SAMPLES [CPUS [LEVEL]]");
	event_table_add_id(&events, event_table_add(&events, &attr), 1);
	event_table_finish(&events);
	remove(argv[1]);
	if (data_writer_open(&w, &(struct data_writer_opts){ .path = argv[1], .zstd_level = level }, &events))
		return 1;
	put_world(&b, &events.events.v[0]->layout);
	for (uint64_t round = 0; left; round++) {
		put_round(&b, round, cpus, &left, &state);
		if (b.len >= 1u << 20 || !left) {
			if (data_writer_append(w, b.data, b.len))
				die("cannot write '%s'", argv[1]);
			b.len = 0;
		}
	}
	if (data_writer_finish(w, &features, &events) || data_writer_close(w))
		return 1;
	buf_release(&b);
	features_release(&features);
	event_table_release(&events);
	return 0;
}
