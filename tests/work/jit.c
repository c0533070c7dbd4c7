/*
 * jit DIR MAPS [MS]: makes code at one address ten times, one after another, and runs each for a while; tells of it in
 * DIR/jit-PID.dump (jitdump). With MAPS 1 /tmp/perf-PID.map tells of it, too; with 2 the memory of the code is mapped after the
 * dump, with 4 it is made executable after the code is told; with 8 the map is removed at the end. With 16 the memory is mapped
 * anew after the last piece, of which nothing is told; with 32 that is the page before the code, with which it is one mapping, and
 * the last piece runs on. With 64 there is no dump.
 * Each piece runs for MS (60) milliseconds. They are called piece_0 to piece_9, each of line 100 * N + 1 of
 * the file pieces.js. Prints for each:
 * piece_N ADDRESS
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PIECES	10
#define CODE_MS	60

struct header { uint32_t magic, version, size, machine, pad, pid; uint64_t time, flags; };
struct prefix { uint32_t id, size; uint64_t time; };
struct load { struct prefix p; uint32_t pid, tid; uint64_t vma, addr, size, index; };
struct debug { struct prefix p; uint64_t addr, nr, line_addr; uint32_t line, discriminator; };

#if defined(__x86_64__)
#define MACHINE EM_X86_64
/* mov %rdi,%rax; 1: dec %rax; jnz 1b; ret: as many nops before as the number of the piece */
static const uint8_t loop[] = { 0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3 };
static const uint8_t nop[] = { 0x90 };
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
/* 1: subs x0, x0, #1; b.ne 1b; ret */
static const uint8_t loop[] = { 0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 };
static const uint8_t nop[] = { 0x1f, 0x20, 0x03, 0xd5 };
#else
#define MACHINE EM_NONE
static const uint8_t loop[1], nop[1];
#endif

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void put(int fd, const void *p, size_t n)
{
	if (write(fd, p, n) != (ssize_t)n)
		exit(1);
}

static void begin(int fd)
{
	struct header h = { 0x4a695444, 1, sizeof(h), MACHINE, 0, (uint32_t)getpid(), now(CLOCK_MONOTONIC), 0 };

	put(fd, &h, sizeof(h));
	/* By this the recorder sees it. */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		exit(1);
}

static void tell(int fd, int number, const uint8_t *code, size_t size)
{
	char name[16], file[] = "pieces.js";
	int n = snprintf(name, sizeof(name), "piece_%d", number) + 1;
	uint64_t addr = (uintptr_t)code, time = now(CLOCK_MONOTONIC);
	struct debug d = { { 2, sizeof(d) + sizeof(file), time }, addr, 1, addr, (uint32_t)(100 * number + 1), 0 };
	struct load l = { { 0, (uint32_t)(sizeof(l) + (size_t)n + size), time }, (uint32_t)getpid(), (uint32_t)getpid(), addr, addr,
			  size, (uint64_t)number };

	put(fd, &d, sizeof(d));
	put(fd, file, sizeof(file));
	put(fd, &l, sizeof(l));
	put(fd, name, (size_t)n);
	put(fd, code, size);
}

/* Memory of zeroes for code; @at NULL: anywhere. */
static uint8_t *fresh(void *at)
{
	return mmap(at, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
}

static void run(const uint8_t *code, int ms)
{
	uint64_t end = now(CLOCK_PROCESS_CPUTIME_ID) + (uint64_t)ms * 1000000;

	while (now(CLOCK_PROCESS_CPUTIME_ID) < end)
		((void (*)(uint64_t))(uintptr_t)code)(1000000);
}

/* What happens to the memory of the last piece. */
static void renew(uint8_t *code, int how, int ms)
{
	if (how & 16) {
		fresh(code);
		memcpy(code, loop, sizeof(loop));
		__builtin___clear_cache((char *)code, (char *)code + sizeof(loop));
	}
	if (how & 32)
		fresh(code - 4096);
	if (how & (16 | 32))
		run(code, ms);
}

int main(int argc, char **argv)
{
	char path[4096], map_path[64];
	uint8_t *code = fresh(NULL);
	FILE *map = NULL;
	int fd, ms = argc > 3 ? atoi(argv[3]) : CODE_MS, how = argc > 2 ? atoi(argv[2]) : 0;

	if (argc < 3 || MACHINE == EM_NONE || code == MAP_FAILED)
		return 2;
	snprintf(path, sizeof(path), "%s/jit-%d.dump", argv[1], (int)getpid());
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", (int)getpid());
	if (how & 1)
		map = fopen(map_path, "w");
	fd = open(how & 64 ? "/dev/null" : path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		return 1;
	if (!(how & 64))
		begin(fd);
	/* As compilers do, which map memory for code once they have a dump. */
	if (how & 2 && fresh(code) == MAP_FAILED)
		return 1;
	if (how & 32) {
		/* Two pages of one mapping, which were mapped one after the other. */
		code = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (code == MAP_FAILED || fresh(code) == MAP_FAILED || fresh(code += 4096) == MAP_FAILED)
			return 1;
	}
	for (int number = 0; number < PIECES; number++) {
		size_t size = 0;

		if (how & 4)
			mprotect(code, 4096, PROT_READ | PROT_WRITE);
		for (; size < (size_t)number * sizeof(nop); size += sizeof(nop))
			memcpy(code + size, nop, sizeof(nop));
		memcpy(code + size, loop, sizeof(loop));
		size += sizeof(loop);
		__builtin___clear_cache((char *)code, (char *)code + size);
		tell(fd, number, code, size);
		if (how & 4)
			mprotect(code, 4096, PROT_READ | PROT_EXEC);
		if (map)
			fprintf(map, "%lx %zx piece_%d\n", (unsigned long)(uintptr_t)code, size, number), fflush(map);
		printf("piece_%d %p\n", number, (void *)code), fflush(stdout);
		run(code, ms);
	}
	renew(code, how, ms);
	if (map)
		fclose(map);
	if (how & 8)
		unlink(map_path);
	return 0;
}
