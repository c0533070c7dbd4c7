/*
 * called [ROUNDS]: calls of all kinds, without a library: nested, by recursion, through a pointer, from two places, tail calls,
 * one that is left by a jump. Ends with status 0 where its sums are what they must be. For traces whose symbols are to be known.
 */
#define KEEP __attribute__((noinline, noclone))

static volatile unsigned long sum;
static void *jump_buffer[5];

KEEP void leaf(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sum += i;
}

KEEP unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

KEEP void even(unsigned n);

KEEP void odd(unsigned n)
{
	if (n)
		even(n - 1);
	__asm__ volatile("" ::: "memory");
}

KEEP void even(unsigned n)
{
	if (n)
		odd(n - 1);
	__asm__ volatile("" ::: "memory");
}

KEEP __attribute__((optimize("optimize-sibling-calls"))) void tail(unsigned n)
{
	sum++;
	leaf(n);	/* the last thing that it does: a jump */
}

KEEP void thrower(unsigned n)
{
	leaf(n);
	__builtin_longjmp(jump_buffer, 1);
}

KEEP unsigned catcher(unsigned n)
{
	if (__builtin_setjmp(jump_buffer))
		return 1;
	thrower(n);
	return 0;
}

static void (*volatile pointer)(unsigned);

KEEP int run(unsigned rounds)
{
	unsigned long caught = 0, fibs = 0;

	for (unsigned i = 1; i <= rounds; i++) {
		pointer = i & 1 ? leaf : tail;
		pointer(i % 17);
		even(i % 5);
		fibs += fib(i % 8);
		caught += catcher(i % 3);
	}
	return caught == rounds && fibs >= rounds / 8 ? 0 : 1;
}

static void leave(int status)
{
#ifdef __x86_64__
	__asm__ volatile("syscall" : : "a"(231), "D"(status) : "memory");
#else
	register long x0 __asm__("x0") = status, x8 __asm__("x8") = 94;
	__asm__ volatile("svc 0" : : "r"(x0), "r"(x8) : "memory");
#endif
	__builtin_unreachable();
}

#ifndef ROUNDS
#define ROUNDS 40
#endif

KEEP void start(void)
{
	leave(run(ROUNDS));
}

__asm__(".globl _start\n_start:\n"
#ifdef __x86_64__
	"\tand $-16, %rsp\n\tcall start\n\thlt\n"
#else
	"\tbl start\n\tbrk #0\n"
#endif
	".type _start, %function\n.size _start, .-_start\n");
