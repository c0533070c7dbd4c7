/*
 * large_trace FROM FILE CPUS COPIES: FROM, a recording of one Intel PT trace with one AUXTRACE record (as tests/shell/lib/pt.sh
 * makes them), as FILE, in which each of so many CPUs has traced it so many times, one after the other: all clocks go on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auxtrace/intel_pt/packet.h"
#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/vec.h"
#include "core/perfdata/record.h"

#define TICKS_PER_CTC	84u		/* of tests/trace/pt_encode.c */
#define HEADER_DATA	40		/* where a file's header has its data section: offset, size */
#define HEADER_FEATURES	72

struct auxtrace_record {
	struct record_header header;
	uint64_t size, offset, reference;
	uint32_t idx, tid, cpu, reserved;
};

struct aux_record_bytes {
	struct record_header header;
	uint64_t offset, size, flags;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t id;
};

struct maker {
	struct buf from;		/* FROM */
	uint64_t data, end;		/* its records */
	FILE *out;
	uint32_t cpus;
	struct aux_record_bytes aux;
	struct auxtrace_record portion;
	uint8_t *trace;			/* in .file */
	VEC(size_t) clocks;		/* where in it there are TSC packets */
	uint64_t ticks;			/* from one copy to the next */
};

static void put(struct maker *m, const void *data, size_t size)
{
	if (fwrite(data, 1, size, m->out) != size)
		die("cannot write: %m");
}

/* Steps of a copy keep what MTC and TMA packets have of the time: 16 bits of CTC. */
static void find_clocks(struct maker *m)
{
	uint64_t first = 0, last = 0, step = (uint64_t)TICKS_PER_CTC << 16;
	struct pt_packet p;
	int n;

	for (size_t at = 0; at < m->portion.size; at += (size_t)n) {
		n = pt_packet_read(&p, m->trace + at, m->portion.size - at, 0);
		if (n <= 0)
			die("no packet at 0x%zx of the trace", at);
		if (p.type != PT_TSC)
			continue;
		first = first ? first : p.value;
		last = p.value;
		vec_push(&m->clocks, at + 1);
	}
	if (!m->clocks.nr)
		die("the trace does not tell the time");
	m->ticks = ((last - first) / step + 2) * step;
}

static void move_clocks(struct maker *m)
{
	vec_for(at, &m->clocks) {
		uint64_t tsc = 0;

		memcpy(&tsc, m->trace + *at, 7);
		tsc += m->ticks;
		memcpy(m->trace + *at, &tsc, 7);
	}
}

/* Each CPU has its own thread. All records end with: pid, tid, time, CPU, the event's id. */
static void put_side_band(struct maker *m, uint8_t *record, const struct record_header *h)
{
	uint32_t nr = h->type == PERF_RECORD_ITRACE_START || h->type == PERF_RECORD_SWITCH ? m->cpus : 1;
	uint32_t tid;

	memcpy(&tid, record + h->size - 28, sizeof(tid));
	for (uint32_t cpu = 0; cpu < nr; cpu++, tid++) {
		if (nr > 1) {
			memcpy(record + h->size - 28, &tid, sizeof(tid));
			memcpy(record + h->size - 16, &cpu, sizeof(cpu));
		}
		if (h->type == PERF_RECORD_ITRACE_START)
			memcpy(record + sizeof(*h) + 4, &tid, sizeof(tid));
		put(m, record, h->size);
	}
}

static void put_world(struct maker *m)
{
	struct record_header h;

	for (uint64_t at = m->data; at + sizeof(h) <= m->end; at += h.size) {
		memcpy(&h, (uint8_t *)m->from.data + at, sizeof(h));
		if (h.type == PERF_RECORD_AUX && h.size == sizeof(m->aux)) {
			memcpy(&m->aux, (uint8_t *)m->from.data + at, sizeof(m->aux));
		} else if (h.type == RECORD_AUXTRACE && !m->trace) {
			memcpy(&m->portion, (uint8_t *)m->from.data + at, sizeof(m->portion));
			m->trace = (uint8_t *)m->from.data + at + h.size;
			at += m->portion.size;
		} else if (h.type == RECORD_AUXTRACE) {
			die("the trace has more than one portion");
		} else if (h.size) {
			put_side_band(m, (uint8_t *)m->from.data + at, &h);
		}
	}
	if (!m->trace || !m->aux.header.size)
		die("no trace");
}

static void put_copy(struct maker *m, uint64_t copy)
{
	m->aux.offset = m->portion.offset = copy * m->portion.size;
	m->aux.size = m->portion.size;
	m->aux.time += m->ticks / 2;	/* which is its time in ns */
	m->portion.reference += m->ticks;
	m->portion.tid = UINT32_MAX;
	for (uint32_t cpu = 0; cpu < m->cpus; cpu++) {
		m->aux.cpu = m->portion.cpu = m->portion.idx = cpu;
		put(m, &m->aux, sizeof(m->aux));
		put(m, &m->portion, sizeof(m->portion));
		put(m, m->trace, m->portion.size);
	}
	move_clocks(m);
}

int main(int argc, char **argv)
{
	struct maker m = {0};
	uint64_t copies, size;
	uint8_t *file;

	if (argc != 5)
		die("usage: large_trace FROM FILE CPUS COPIES");
	if (read_file(argv[1], &m.from) || m.from.len < HEADER_FEATURES + 32)
		die("cannot read '%s'", argv[1]);
	file = (uint8_t *)m.from.data;
	m.out = fopen(argv[2], "w");
	m.cpus = (uint32_t)strtoul(argv[3], NULL, 0);
	copies = strtoull(argv[4], NULL, 0);
	if (!m.out || !m.cpus)
		die("cannot write '%s'", argv[2]);
	memcpy(&m.data, file + HEADER_DATA, 8);
	memcpy(&m.end, file + HEADER_DATA + 8, 8);
	m.end = MIN(m.end + m.data, m.from.len);
	memset(file + HEADER_FEATURES, 0, 32);
	file[HEADER_FEATURES + FEATURE_AUXTRACE / 8] = 1u << FEATURE_AUXTRACE % 8;
	put(&m, file, m.data);
	put_world(&m);
	find_clocks(&m);
	for (uint64_t copy = 0; copy < copies; copy++)
		put_copy(&m, copy);
	size = (uint64_t)ftello(m.out) - m.data;
	/* The features: that there is a trace, and an index of it, which is empty. */
	put(&m, (uint64_t[]){ m.data + size + 16, 8, 0 }, 24);
	if (fseeko(m.out, HEADER_DATA + 8, SEEK_SET) || fwrite(&size, 8, 1, m.out) != 1 || fclose(m.out))
		die("cannot write '%s'", argv[2]);
	vec_free(&m.clocks);
	buf_release(&m.from);
	return 0;
}
