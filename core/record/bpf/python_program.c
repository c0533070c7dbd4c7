/*
 * Loads the BPF program of python.bpf.c, which reads Python frames in the kernel. prec contains the program's object file. The
 * Makefile passes the path of this file as the macro PYTHON_BPF.
 */
#include "core/record/bpf/python_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/log.h"
#include "core/base/util.h"
#include "core/record/bpf/python_records.h"

#ifdef PYTHON_BPF
__asm__(".pushsection .rodata\n"
	".balign 8\n"
	"python_bpf:\n"
	".incbin \"" PYTHON_BPF "\"\n"
	"python_bpf_end:\n"
	".popsection\n");
extern const char python_bpf[], python_bpf_end[];
#else
static const char python_bpf[1], *const python_bpf_end = python_bpf;	/* only for code checkers, which lack the object file */
#endif

struct python_program {
	struct bpf_object *object;	/* owned */
	struct ring_buffer *ring;	/* owned */
	int program, at_switch, processes;	/* descriptors of programs and of a map; .object owns them */
	void (*on_bytes)(void *ctx, const void *data, size_t size);
	void *ctx;
};

static int pass_on(void *ctx, void *data, size_t size)
{
	struct python_program *p = ctx;

	p->on_bytes(p->ctx, data, size);
	return 0;
}

static int load(struct python_program *p)
{
	struct bpf_program *program, *at_switch;
	int err;

	p->object = bpf_object__open_mem(python_bpf, (size_t)(python_bpf_end - python_bpf), NULL);
	if (!p->object)
		return -errno;
	err = bpf_object__load(p->object);
	program = bpf_object__find_program_by_name(p->object, "python_frames");
	at_switch = bpf_object__find_program_by_name(p->object, "python_switch");
	if (err || !program || !at_switch)
		return err ? err : -ENOENT;
	p->program = bpf_program__fd(program);
	p->at_switch = bpf_program__fd(at_switch);
	p->processes = bpf_object__find_map_fd_by_name(p->object, "processes");
	p->ring = ring_buffer__new(bpf_object__find_map_fd_by_name(p->object, "records"), pass_on, p, NULL);
	return p->ring ? 0 : -errno;
}

struct python_program *python_program_load(char **why)
{
	struct python_program *p = xcalloc(1, sizeof(*p));
	int err;

	libbpf_set_print(NULL);
	err = load(p);
	if (!err)
		return p;
	if (err == -EPERM || err == -EACCES)
		*why = xstrdup("BPF programs may not be loaded here: that takes root, or CAP_BPF and CAP_PERFMON");
	else
		*why = xasprintf("the kernel does not take the BPF program (Linux 6.2 and BTF are needed): %s", strerror(-err));
	python_program_free(p);
	return NULL;
}

void python_program_free(struct python_program *p)
{
	if (!p)
		return;
	ring_buffer__free(p->ring);
	bpf_object__close(p->object);
	free(p);
}

int python_program_fd(const struct python_program *p, bool at_switch)
{
	return at_switch ? p->at_switch : p->program;
}

void python_program_add(struct python_program *p, uint32_t pid, const struct python_process *process)
{
	if (bpf_map_update_elem(p->processes, &pid, process, BPF_ANY))
		debug(1, "process %u: Python's frames cannot be read: %s", pid, strerror(errno));
}

void python_program_remove(struct python_program *p, uint32_t pid)
{
	bpf_map_delete_elem(p->processes, &pid);
}

void python_program_read(struct python_program *p, void (*on_bytes)(void *ctx, const void *data, size_t size), void *ctx)
{
	p->on_bytes = on_bytes;
	p->ctx = ctx;
	ring_buffer__consume(p->ring);
}
