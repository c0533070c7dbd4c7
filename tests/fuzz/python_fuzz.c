/*
 * Fuzz target: what the BPF program that reads Python's frames sends, which comes from memory of processes. The input is records,
 * each after its size (16 bits), and pieces of a call chain: size 0xffff, number of words (8 bits), words. After each piece the
 * frames of all samples until then are put into that chain, which is then shown in each way. At last the table is read.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/intern.h"
#include "core/base/util.h"
#include "core/model/dso.h"
#include "core/model/jitdump.h"
#include "core/model/python.h"
#include "core/perfdata/sample.h"
#include "core/read/item.h"
#include "core/read/native_frames.h"
#include "core/record/live/python.h"
#include "core/record/live/python_merge.h"
#include "core/record/live/python_process.h"
#include "core/record/live/python_stacks.h"

#define CHAIN		0xffffu
#define LOOP_FROM	0x1000u		/* addresses of the interpreter's loop */
#define LOOP_TO		0x2000u

struct known { uint32_t tid; uint64_t time; bool at_switch; };

struct fuzz {
	struct python_stacks stacks;
	struct python_ranges loop;
	VEC(struct known) samples;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static size_t count_python(const struct words *chain)
{
	size_t nr = 0;

	for (uint64_t i = 0; i < chain->nr; i++)
		nr += is_interpreted(words_at(chain, i)) || is_interpreted_in_loop(words_at(chain, i));
	return nr;
}

/* Whatever is shown has all frames of Python, and no mark of the recording. */
static void show(const struct words *chain)
{
	static const enum native_frames ways[] = { NATIVE_MERGED, NATIVE_ALL, NATIVE_NONE };

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct frame_words room = {0};
		struct sample s = { .ip = PYTHON_BASE + 1, .chain = *chain };
		struct item item = { .cpumode = PERF_RECORD_MISC_USER };

		native_frames_choose(ways[i], &item, &s, &room);
		must(s.chain.nr <= chain->nr + 1, "a chain became longer");
		must(count_python(&s.chain) == count_python(chain), "frames of Python are lost");
		for (uint64_t k = 0; k < s.chain.nr; k++)
			must(!is_interpreted_in_loop(words_at(&s.chain, k)), "a mark of the recording is shown");
		vec_free(&room.v);
	}
}

static void merge(struct fuzz *f, const struct known *sample, const struct words *chain)
{
	struct python_stack stack = { .loop = &f->loop };
	struct python_chain merged = {0};
	struct words words;
	uint32_t pid;

	if (!python_stacks_find(&f->stacks, sample->tid, sample->time, sample->at_switch, &pid))
		return;
	stack.frames = f->stacks.found.v;
	stack.nr = f->stacks.found.nr;
	for (size_t i = 0; i < stack.nr; i++)
		must((stack.frames[i] & ~PYTHON_FRAME_ENTRY) - PYTHON_BASE < f->stacks.codes.table.len,
		     "a frame outside of the table");
	python_merge(&stack, chain, &merged);
	words = (struct words){ .nr = merged.ips.nr, .data = (const uint8_t *)merged.ips.v };
	must(count_python(&words) >= stack.nr, "a frame was lost");
	show(&words);
	vec_free(&merged.ips);
}

/* A copy of the exact size, so that a read beyond it is seen. */
static void take(struct fuzz *f, const uint8_t *data, size_t size)
{
	uint8_t *copy = xmalloc(size + 1);
	struct python_sample head;

	memcpy(copy, data, size);
	python_stacks_add(&f->stacks, copy, size);
	free(copy);
	if (size < offsetof(struct python_sample, frames))
		return;
	memcpy(&head, data, offsetof(struct python_sample, frames));
	if ((head.kind == PYTHON_SAMPLE || head.kind == PYTHON_SWITCH) && f->samples.nr < 64)
		vec_push(&f->samples, (struct known){ head.tid, head.time, head.kind == PYTHON_SWITCH });
}

static void read_table(const struct buf *table)
{
	struct jit_source source = { .strings = strtab_new(), .any_pid = true };
	struct jitdump *j = xcalloc(1, sizeof(*j));
	struct dso dso = {0};
	uint8_t *copy = xmalloc(table->len + 1);

	if (table->len)
		memcpy(copy, table->data, table->len);
	j->dso = &dso;
	jitdump_read(j, &dso, copy, table->len, &source);
	symbols_finish(&dso.symbols);
	vec_for(s, &dso.symbols.list)
		jitdump_line(j, &dso.symbols, s->start);
	symbols_release(&dso.symbols);
	jitdump_free(j);
	strtab_free(source.strings);
	free(copy);
}

/* Returns the bytes that it took. */
static size_t take_chain(struct fuzz *f, const uint8_t *data, size_t size)
{
	struct words chain = { .nr = size ? MIN(data[0], (size - 1) / 8) : 0, .data = data + 1 };

	vec_for(sample, &f->samples)
		merge(f, sample, &chain);
	show(&chain);
	return MIN(size, 1 + 8 * chain.nr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz f = {0};

	vec_push(&f.loop.list, (struct python_range){ LOOP_FROM, LOOP_TO });
	for (size_t at = 0; at + 2 <= size;) {
		size_t n = data[at] | (size_t)data[at + 1] << 8;

		at += 2;
		if (n == CHAIN) {
			at += take_chain(&f, data + at, size - at);
			continue;
		}
		n = MIN(n, size - at);
		take(&f, data + at, n);
		at += n;
	}
	if (f.stacks.codes.table.len < 1u << 20)
		read_table(&f.stacks.codes.table);
	python_stacks_release(&f.stacks);
	vec_free(&f.loop.list);
	vec_free(&f.samples);
	return 0;
}
