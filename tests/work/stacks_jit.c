/*
 * stacks_jit DIR MS: code that was made at run time calls burn() for MS milliseconds of CPU time. It tells of that code and of how
 * it is unwound in DIR/jit-PID.dump (jitdump), or if DIR is "-" its names alone in /tmp/perf-PID.map; it keeps no frame pointers.
 * Prints the stacks, as stacks.c does. Half of the code is made when the other half has run for a while.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/work/clock.h"

#define KEEP __attribute__((noinline, noclone))
#define AFTER_CALL() __asm__ volatile("" ::: "memory")

struct header { uint32_t magic, version, size, machine, pad, pid; uint64_t time, flags; };
struct prefix { uint32_t id, size; uint64_t time; };
struct load { struct prefix p; uint32_t pid, tid; uint64_t vma, addr, size, index; };
struct unwinding { struct prefix p; uint64_t size, header_size, mapped_size; };

/* push %rbp; xor %ebp,%ebp; sub $208,%rsp; mov %rdi,%rax; mov %rsi,%rdi; call *%rax; add $208,%rsp; pop %rbp; ret */
static const uint8_t code[] = {
	0x55, 0x31, 0xed, 0x48, 0x81, 0xec, 0xd0, 0, 0, 0, 0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0xff, 0xd0,
	0x48, 0x81, 0xc4, 0xd0, 0, 0, 0, 0x5d, 0xc3,
};
#define ROOM	64	/* bytes from one piece to the next */

/*
 * A CIE, an FDE, and the end: version 1, "zR", 1, -8, return address in 16, addresses from where they stand in 4 bytes;
 * CFA rsp + 8, rip at CFA - 8; CFA + 16 after 1 byte, rbp at CFA - 16; + 224 after 9 more, + 16 after 15, + 8 after 1.
 */
static const uint8_t frames[] = {
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0,
	32, 0, 0, 0, 28, 0, 0, 0, 0xc0, 0xff, 0xff, 0xff, sizeof(code), 0, 0, 0, 0,
	0x41, 0x0e, 16, 0x86, 2, 0x49, 0x0e, 0xe0, 1, 0x4f, 0x0e, 16, 0x41, 0x0e, 8, 0, 0, 0, 0, 0,
	0, 0, 0, 0,
};
#define FUNCTION_AT 32	/* in it: where the function is, from there */

void burn(void);
void run(void (*outer)(void *, void *), void *inner);

static uint64_t until_ns;

KEEP void burn(void)
{
	for (unsigned long i = 0; i < 100000; i++)
		__asm__ volatile("" : "+r"(i));
}

KEEP void run(void (*outer)(void *, void *), void *inner)
{
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < until_ns)
		outer(inner, (void *)(uintptr_t)burn);
	AFTER_CALL();
}

static void put(int fd, const void *p, size_t n)
{
	if (write(fd, p, n) != (ssize_t)n)
		exit(1);
}

static void write_name(int fd, const char *name, const uint8_t *at)
{
	char line[64];

	put(fd, line, (size_t)snprintf(line, sizeof(line), "%lx %zx %s\n", (unsigned long)(uintptr_t)at, sizeof(code), name));
}

static void begin(int fd)
{
	struct header h = { 0x4a695444, 1, sizeof(h), EM_X86_64, 0, (uint32_t)getpid(), clock_ns(CLOCK_MONOTONIC), 0 };

	put(fd, &h, sizeof(h));
	/* By this the recorder sees it. */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		exit(1);
}

static void tell(int fd, uint64_t number, const char *name, const uint8_t *at)
{
	static const uint8_t zeros[8];
	uint64_t addr = (uintptr_t)at, time = clock_ns(CLOCK_MONOTONIC);
	uint64_t room = (sizeof(frames) + 7) / 8 * 8;
	struct unwinding u = { { 4, (uint32_t)(sizeof(u) + room), time }, sizeof(frames), 0, 0 };
	struct load l = { { 0, (uint32_t)(sizeof(l) + strlen(name) + 1 + sizeof(code)), time }, (uint32_t)getpid(),
			  (uint32_t)getpid(), addr, addr, sizeof(code), number };
	int32_t back = -(int32_t)((sizeof(code) + 7) / 8 * 8 + FUNCTION_AT);
	uint8_t told[sizeof(frames)];

	memcpy(told, frames, sizeof(frames));
	memcpy(told + FUNCTION_AT, &back, sizeof(back));
	put(fd, &u, sizeof(u));
	put(fd, told, sizeof(told));
	put(fd, zeros, room - sizeof(told));
	put(fd, &l, sizeof(l));
	put(fd, name, strlen(name) + 1);
	put(fd, at, sizeof(code));
}

int main(int argc, char **argv)
{
	uint8_t *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t ms = argc > 2 ? strtoull(argv[2], NULL, 0) : 100;
	bool dumps = argc > 1 && strcmp(argv[1], "-") != 0;
	char path[4096];
	int fd;

	if (argc < 2 || at == MAP_FAILED)
		return 2;
#ifndef __x86_64__
	return 2;
#endif
	if (dumps)
		snprintf(path, sizeof(path), "%s/jit-%d.dump", argv[1], (int)getpid());
	else
		snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		return 1;
	if (dumps)
		begin(fd);
	puts("burn inner_1 outer_1 run main\nburn inner_2 outer_2 run main");
	for (unsigned i = 1; i <= 2; i++) {
		for (unsigned piece = 0; piece < 2; piece++, at += ROOM) {
			char name[16];

			memcpy(at, code, sizeof(code));
			snprintf(name, sizeof(name), "%s_%u", piece ? "outer" : "inner", i);
			if (dumps)
				tell(fd, 2 * i + piece, name, at);
			else
				write_name(fd, name, at);
		}
		until_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + ms * 500000;
		/* outer calls inner with burn, and that calls it. */
		run((void (*)(void *, void *))(uintptr_t)(at - ROOM), at - 2 * ROOM);
	}
	return 0;
}
