/*
 * stacks CASE [MS]: for MS milliseconds of CPU time the program is in burn(), or in what CASE says, below a stack of one kind. It
 * prints the functions of that stack, innermost first, as every sample there must show them. PAD in the environment: bytes by
 * which the stack is moved. MUSL is defined where it is built with that library, which has no makecontext() and no ifuncs.
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/work/clock.h"

/* What signal handlers return to, and the function that makecontext() has contexts return to. */
#ifdef __i386__
#define RETURNS_FROM_SIGNAL	"__kernel_rt_sigreturn"
#define ENDS_CONTEXT		"makecontext"
#elif defined(__arm__)
#define RETURNS_FROM_SIGNAL	"__default_rt_sa_restorer"
#define ENDS_CONTEXT		"__startcontext"
#elif defined(__aarch64__)
#define RETURNS_FROM_SIGNAL	"__kernel_rt_sigreturn"
#define ENDS_CONTEXT		"__startcontext"
#else
#define RETURNS_FROM_SIGNAL	"__restore_rt"
#define ENDS_CONTEXT		"__start_context"
#endif

#define KEEP __attribute__((noinline, noclone))
#define AFTER_CALL() __asm__ volatile("" ::: "memory")
#define RECURSION 32
#define RECURSES_8 " recurses recurses recurses recurses recurses recurses recurses recurses"

static uint64_t until_ns;

/* Not static: compilers may give what is known to be called here only other names. */
void burn(void);
void one(void (*body)(void));
void two(void (*body)(void));

KEEP void burn(void)
{
	for (unsigned long i = 0; i < 1000000; i++)
		__asm__ volatile("" : "+r"(i));
}

static int is_over(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) >= until_ns;
}

KEEP void one(void (*body)(void))
{
	body();
	AFTER_CALL();
}

KEEP void two(void (*body)(void))
{
	one(body);
	AFTER_CALL();
}

/* ---- functions that are called all the time: many samples are at their first and last instructions ---- */

int tiny(int v);
int small(int v);
void calls_small(void);

KEEP int tiny(int v)
{
	__asm__ volatile("" : "+r"(v));
	return v + 1;
}

KEEP int small(int v)
{
	volatile int kept = v;

	return tiny(kept) + tiny(v) + kept;
}

KEEP void calls_small(void)
{
	for (int i = 0; i < 100000; i++)
		small(i);
	AFTER_CALL();
}

/* ---- frames of odd sizes ---- */

void realigned(void);
void allocates(unsigned n);
void holds_much(void);

KEEP void realigned(void)
{
	_Alignas(128) volatile char aligned[128];

	aligned[0] = 1;
	burn();
	AFTER_CALL();
	aligned[1] = aligned[0];
}

KEEP void allocates(unsigned n)
{
	volatile char *p = alloca(n);

	p[0] = p[n - 1] = 1;
	burn();
	AFTER_CALL();
	p[1] = p[0];
}

static void allocates_some(void)
{
	static unsigned n = 64;

	n = n % 900 + 17;
	allocates(n);
}

/* Its pages in the middle are never touched: nothing is there to copy. */
KEEP void holds_much(void)
{
	volatile char much[24 << 10];

	much[0] = much[sizeof(much) - 1] = 1;
	burn();
	AFTER_CALL();
	much[1] = much[0];
}

/* ---- ways to call ---- */

void recurses(unsigned depth);
void recursion(void);
void counts(void);
void passes_on(void);
void calls_tail(void);
void calls_bound(void);
long pick_first(long v);
void calls_picked(void);
void reads_clock(void);
void calls_kernel(void);
void traps(void);

KEEP void recurses(unsigned depth)
{
	if (depth)
		recurses(depth - 1);
	else
		burn();
	AFTER_CALL();
}

KEEP void recursion(void)
{
	recurses(RECURSION - 1);
	AFTER_CALL();
}

KEEP void counts(void)
{
	for (int i = 0; i < 20; i++)
		__asm__ volatile("" : "+r"(i));
}

/* Jumps to counts(), as compilers do instead of a last call: it is in no chain with that. */
#ifdef __arm__
#define BEGIN	".syntax unified\n.arm\n.fnstart\n"
#define END	".fnend\n"
#define JUMP	"b"
#else
#define BEGIN	".cfi_startproc\n"
#define END	".cfi_endproc\n"
#ifdef __aarch64__
#define JUMP	"b"
#else
#define JUMP	"jmp"
#endif
#endif
__asm__(".text\n.balign 4\n.type passes_on, %function\npasses_on:\n" BEGIN
	"nop\n" JUMP " counts\n"
	END ".size passes_on, . - passes_on\n");

KEEP void calls_tail(void)
{
	for (int i = 0; i < 30000; i++)
		passes_on();
	AFTER_CALL();
}

/* By the procedure linkage table. */
KEEP void calls_bound(void)
{
	ldiv_t v = { .quot = 1000000 };

	for (int i = 0; i < 300000; i++)
		v = ldiv(v.quot + i, 1);
	AFTER_CALL();
}

/* Chosen when the program is loaded, and called by the procedure linkage table, too. */
KEEP long pick_first(long v)
{
	__asm__ volatile("" : "+r"(v));
	return v + 1;
}

#ifndef MUSL
static long (*resolve_picked(void))(long)
{
	return pick_first;
}

long picked(long v) __attribute__((ifunc("resolve_picked")));
#else
#define picked pick_first
#endif

KEEP void calls_picked(void)
{
	long v = 1;

	for (int i = 0; i < 300000; i++)
		v = picked(v);
	AFTER_CALL();
}

KEEP void reads_clock(void)
{
	struct timespec t;

	for (int i = 0; i < 2000; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
	AFTER_CALL();
}

/* As libraries do: the vdso of i386 has the instruction for it that the processor is fastest with. */
KEEP void calls_kernel(void)
{
	for (int i = 0; i < 2000; i++)
		getppid();
	AFTER_CALL();
}

/* As old programs of i386 do. */
KEEP void traps(void)
{
	for (int i = 0; i < 2000; i++) {
#if defined(__i386__) || defined(__x86_64__)
		long number = 64;	/* getppid() of i386 */

		__asm__ volatile("int $0x80" : "+a"(number) : : "memory");
#else
		getppid();
#endif
		for (int k = 0; k < 4000; k++)
			__asm__ volatile("" : "+r"(k));
	}
	AFTER_CALL();
}

/* ---- calls by others ---- */

int compares(const void *a, const void *b);
void sorts(void);

KEEP int compares(const void *a, const void *b)
{
	burn();
	AFTER_CALL();
	return *(const char *)a - *(const char *)b;
}

KEEP void sorts(void)
{
	char text[] = "ba";

	qsort(text, 2, 1, compares);
	AFTER_CALL();
}

void *thread(void *arg);

KEEP void *thread(void *arg)
{
	while (!is_over())
		one(burn);
	return arg;
}

static void threads(void)
{
	pthread_t ids[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&ids[i], NULL, thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
}

/* ---- signals ---- */

void handler(int sig);
void interrupted(void);

KEEP void handler(int sig)
{
	(void)sig;
	burn();
	AFTER_CALL();
}

KEEP void interrupted(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("ud2");
#elif defined(__aarch64__) || defined(__arm__)
	__asm__ volatile("udf 0");
#endif
	AFTER_CALL();
}

/* Skips the invalid instruction. */
static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	(void)info;
	handler(sig);
#ifdef __x86_64__
	u->uc_mcontext.gregs[REG_RIP] += 2;
#elif defined(__i386__)
	u->uc_mcontext.gregs[REG_EIP] += 2;
#elif defined(__aarch64__)
	u->uc_mcontext.pc += 4;
#elif defined(__arm__)
	u->uc_mcontext.arm_pc += 4;
#endif
}

static void catch_traps(int flags)
{
	static char other[64 << 10];
	stack_t stack = { .ss_sp = other, .ss_size = sizeof(other) };
	struct sigaction act = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | flags };

	sigaltstack(&stack, NULL);
	sigaction(SIGILL, &act, NULL);
}

/* ---- coroutines ---- */

void coroutine(void);

static ucontext_t outside, inside;
static char coroutine_stack[64 << 10];

#ifdef MUSL	/* leaves these to libucontext */
#define getcontext(context)	-1
#define makecontext(...)
#define swapcontext(from, to)
#endif

KEEP void coroutine(void)
{
	while (!is_over())
		one(burn);
}

static void switches(void)
{
	if (getcontext(&inside))
		exit(1);
	inside.uc_stack.ss_sp = coroutine_stack;
	inside.uc_stack.ss_size = sizeof(coroutine_stack);
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	swapcontext(&outside, &inside);
	/* Samples on the program's own stack are as before. */
	until_ns *= 2;
	while (!is_over())
		two(burn);
}

/* ---- the cases ---- */

static const struct {
	const char *name, *says;
	void (*body)(void);
	int flags;		/* of sigaction */
} cases[] = {
	{ "plain", "burn one two run main", burn, 0 },
	{ "recursion", "burn" RECURSES_8 RECURSES_8 RECURSES_8 RECURSES_8 " recursion one two run main", recursion, 0 },
	{ "tail", "counts calls_tail one two run main\npasses_on calls_tail one two run main", calls_tail, 0 },
	{ "plt", "ldiv calls_bound one two run main", calls_bound, 0 },
	{ "ifunc", "pick_first calls_picked one two run main", calls_picked, 0 },
	{ "vdso", "reads_clock one two run main", reads_clock, 0 },
	{ "kernel", "getppid calls_kernel one two run main", calls_kernel, 0 },
	{ "trap", "traps one two run main", traps, 0 },
	{ "small", "tiny small calls_small one two run main", calls_small, 0 },
	{ "realigned", "burn realigned one two run main", realigned, 0 },
	{ "alloca", "burn allocates allocates_some one two run main", allocates_some, 0 },
	{ "hole", "burn holds_much", holds_much, 0 },
	{ "sort", "burn compares sorts one two run main", sorts, 0 },
	{ "signal", "burn handler on_trap " RETURNS_FROM_SIGNAL " interrupted one two run main", interrupted, 0 },
	{ "altstack", "burn handler on_trap " RETURNS_FROM_SIGNAL " interrupted", interrupted, SA_ONSTACK },
};

void run(void (*body)(void));

KEEP void run(void (*body)(void))
{
	while (!is_over())
		two(body);
}

/* Its number; -1: there is none. */
static int find_case(const char *name)
{
	for (int i = 0; i < (int)(sizeof(cases) / sizeof(cases[0])); i++) {
		if (strcmp(cases[i].name, name))
			continue;
		catch_traps(cases[i].flags);
		puts(cases[i].says);
		return i;
	}
	return -1;
}

int main(int argc, char **argv)
{
	const char *pad = getenv("PAD"), *name = argc > 1 ? argv[1] : "plain";
	volatile char *padding = alloca(pad ? strtoul(pad, NULL, 0) + 1 : 1);

	padding[0] = 1;
	until_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + (argc > 2 ? strtoull(argv[2], NULL, 0) : 100) * 1000000;
	if (!strcmp(name, "threads")) {
		puts("burn one thread");
		threads();
	} else if (!strcmp(name, "coroutine")) {
		puts("burn one coroutine " ENDS_CONTEXT);
		puts("burn one two switches main");
		switches();
	} else {
		int number = find_case(name);

		if (number < 0) {
			fprintf(stderr, "stacks: no case '%s'\n", name);
			return 1;
		}
		run(cases[number].body);
	}
	return padding[0] - 1;
}
