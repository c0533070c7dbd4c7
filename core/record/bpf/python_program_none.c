/*
 * Replaces python_program.c in a build without clang or libbpf, or for a processor other than x86-64: python_program_load() always
 * fails, and says what is missing.
 */
#include "core/record/bpf/python_program.h"

#include "core/base/util.h"

struct python_program *python_program_load(char **why)
{
	*why = xstrdup("this prec was built without clang or libbpf (clang, libbpf-dev), or for another architecture than x86-64");
	return NULL;
}

void python_program_free(struct python_program *p)
{
}

int python_program_fd(const struct python_program *p, bool at_switch)
{
	(void)p, (void)at_switch;
	return -1;
}

void python_program_add(struct python_program *p, uint32_t pid, const struct python_process *process)
{
	(void)p, (void)pid, (void)process;
}

void python_program_remove(struct python_program *p, uint32_t pid)
{
	(void)p, (void)pid;
}

void python_program_read(struct python_program *p, void (*on_bytes)(void *ctx, const void *data, size_t size), void *ctx)
{
	(void)p, (void)on_bytes, (void)ctx;
}
