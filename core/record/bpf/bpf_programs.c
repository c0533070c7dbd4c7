/*
 * Lists the BPF programs that are loaded in the kernel, and writes KSYMBOL and BPF_EVENT records for them. Sources: bpf(2) and
 * linux/bpf.h; /proc/kallsyms for the form of a function's name, bpf_prog_TAG_NAME.
 */
#include "core/record/bpf/bpf_programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/bpf_call.h"
#include "core/base/buf.h"
#include "core/perfdata/btf.h"
#include "core/perfdata/record.h"

#define MAX_FUNCTIONS	4096		/* functions of a program; the verifier allows 256 */

struct program {
	struct bpf_prog_info info;
	uint64_t *addrs;		/* by function, like the next three members; all four are owned */
	uint32_t *sizes;
	uint8_t (*tags)[BPF_TAG_SIZE];
	struct bpf_func_info *types;
	void *btf;			/* owned: the BTF with the names of the functions; NULL: none */
	struct btf_names names;
};

static int bpf_request(int fd, void *info, uint32_t size)
{
	union bpf_attr a = { .info = { .bpf_fd = (uint32_t)fd, .info_len = size, .info = (uintptr_t)info } };

	return bpf_call(BPF_OBJ_GET_INFO_BY_FD, &a);
}

static void program_release(struct program *p)
{
	free(p->addrs);
	free(p->sizes);
	free(p->tags);
	free(p->types);
	btf_release(&p->names);
	free(p->btf);
}

/* Reads the BTF of number @id by two calls, because the first one returns the size. */
static void btf_get(struct program *p, uint32_t id)
{
	union bpf_attr open = { .btf_id = id };
	int fd = id ? bpf_call(BPF_BTF_GET_FD_BY_ID, &open) : -1;
	struct bpf_btf_info info = {0};
	uint32_t size;

	if (fd < 0)
		return;
	if (!bpf_request(fd, &info, sizeof(info))) {
		size = info.btf_size;
		p->btf = xmalloc(size + 1);
		info = (struct bpf_btf_info){ .btf = (uintptr_t)p->btf, .btf_size = size };
		if (!bpf_request(fd, &info, sizeof(info)))
			btf_read(&p->names, p->btf, size, false);
	}
	close(fd);
}

/* Reads the data of a program by two calls, because the first one returns the number of functions. */
static bool program_read(struct program *p, int fd)
{
	uint32_t nr;

	*p = (struct program){0};
	if (bpf_request(fd, &p->info, sizeof(p->info)))
		return false;
	nr = MIN(p->info.nr_jited_ksyms, MAX_FUNCTIONS);
	p->addrs = xcalloc(MAX(nr, 1u), sizeof(*p->addrs));
	p->sizes = xcalloc(MAX(nr, 1u), sizeof(*p->sizes));
	p->tags = xcalloc(MAX(nr, 1u), sizeof(*p->tags));
	p->types = xcalloc(MAX(nr, 1u), sizeof(*p->types));
	p->info = (struct bpf_prog_info){
		.nr_func_info = nr, .func_info_rec_size = sizeof(*p->types), .func_info = (uintptr_t)p->types,
		.nr_jited_ksyms = nr, .nr_jited_func_lens = nr, .nr_prog_tags = nr, .jited_ksyms = (uintptr_t)p->addrs,
		.jited_func_lens = (uintptr_t)p->sizes, .prog_tags = (uintptr_t)p->tags,
	};
	if (bpf_request(fd, &p->info, sizeof(p->info)))
		return false;
	p->info.nr_jited_ksyms = MIN(nr, p->info.nr_jited_ksyms);
	if (p->info.nr_func_info == p->info.nr_jited_ksyms)
		btf_get(p, p->info.btf_id);
	return true;
}

/*
 * Appends the name of a function. Without BTF the name of the first function is cut at 15 letters, and the other functions have
 * no names; the kernel calls them F.
 */
static void put_name(struct buf *out, const struct program *p, uint32_t function)
{
	const char *name = btf_function(&p->names, p->types[function].type_id);

	out->len = 0;
	buf_puts(out, "bpf_prog_");
	for (unsigned i = 0; i < BPF_TAG_SIZE; i++)
		buf_hex0(out, p->tags[function][i], 2);
	if (name)
		buf_printf(out, "_%s", name);
	else if (function || p->info.name[0])
		buf_printf(out, "_%.*s", (int)sizeof(p->info.name), function ? "F" : p->info.name);
}

static void synthesize(struct buf *out, const struct sample_layout *layout, uint64_t id, const struct program *p)
{
	struct record r = {
		.header = { .type = PERF_RECORD_BPF_EVENT, .misc = PERF_RECORD_MISC_KERNEL }, .id.id = id,
		.bpf = { .bpf_type = PERF_BPF_EVENT_PROG_LOAD, .id = p->info.id },
	};
	struct buf name = {0};

	for (uint32_t i = 0; i < p->info.nr_jited_ksyms; i++) {
		struct record symbol = {
			.header = { .type = PERF_RECORD_KSYMBOL, .misc = PERF_RECORD_MISC_KERNEL }, .id.id = id,
			.ksymbol = { .addr = p->addrs[i], .len = p->sizes[i], .ksym_type = PERF_RECORD_KSYMBOL_TYPE_BPF },
		};

		/* The address is 0 if kernel.kptr_restrict hides it. */
		if (!p->addrs[i])
			continue;
		put_name(&name, p, i);
		symbol.ksymbol.name = buf_str(&name);
		record_append(out, layout, &symbol);
	}
	memcpy(r.bpf.tag, p->info.tag, sizeof(r.bpf.tag));
	record_append(out, layout, &r);
	buf_release(&name);
}

void bpf_programs_synthesize(struct buf *out, const struct sample_layout *layout, uint64_t id)
{
	union bpf_attr next = { .start_id = 0 };

	for (; !bpf_call(BPF_PROG_GET_NEXT_ID, &next); next = (union bpf_attr){ .start_id = next.next_id }) {
		union bpf_attr open = { .prog_id = next.next_id };
		int fd = bpf_call(BPF_PROG_GET_FD_BY_ID, &open);
		struct program p;

		/* The program was unloaded meanwhile. */
		if (fd < 0)
			continue;
		if (program_read(&p, fd))
			synthesize(out, layout, id, &p);
		program_release(&p);
		close(fd);
	}
}
