/*
 * feedback: a loop whose usual way the source does not tell, with an inlined and a static function, a call through a pointer and
 * a switch, without a library. Ends with status 0 where its sum is what it must be. For profiles that compilers take.
 */
#define KEEP __attribute__((noinline))

static unsigned seed = 1;
static volatile unsigned sink;

static inline unsigned next(void)
{
	seed = seed * 1103515245 + 12345;
	return seed >> 8;
}

static inline unsigned small(unsigned v)
{
	if (v % 16 == 0)
		return v / 3;
	return v + 1;
}

KEEP static unsigned rare(unsigned v)
{
	for (unsigned i = 0; i < 10; i++)
		v ^= v << 3;
	return v;
}

KEEP unsigned twice(unsigned v) { sink = v; return v * 2; }
KEEP unsigned thrice(unsigned v) { sink = v; return v * 3; }

static unsigned (*volatile chosen)(unsigned) = twice;

KEEP unsigned hot(unsigned n)
{
	unsigned s = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned v = next();

		if (v % 64 == 63)
			s += rare(v);
		else
			s += small(v);
		switch (v % 5) {
		case 0: s += 7; break;
		case 1: s ^= v; break;
		case 2: s -= v / 7; break;
		default: s += 1;
		}
	}
	return s;
}

KEEP unsigned cold(unsigned n)
{
	sink = n;
	return n * 3;
}

#ifndef ROUNDS
#define ROUNDS 40
#endif

KEEP int run(void)
{
	unsigned s = 0, again = 0;

	for (int r = 0; r < ROUNDS; r++) {
		s += hot(50);
		chosen = r % 4 ? twice : thrice;
		s += chosen(r);
		if (r % 20 == 19)
			s += cold(r);
	}
	seed = 1;
	for (int r = 0; r < ROUNDS; r++) {
		again += hot(50);
		again += r % 4 ? 2 * r : 3 * r;
		if (r % 20 == 19)
			again += 3 * r;
	}
	return s == again ? 0 : 1;
}

void start(void)
{
	int status = run();
#ifdef __x86_64__
	__asm__ volatile("syscall" : : "a"(231), "D"(status) : "memory");
#else
	register long x0 __asm__("x0") = status, x8 __asm__("x8") = 94;
	__asm__ volatile("svc 0" : : "r"(x0), "r"(x8) : "memory");
#endif
	__builtin_unreachable();
}

__asm__(".globl _start\n.type _start, %function\n_start:\n"
#ifdef __x86_64__
	"\tand $-16, %rsp\n\tcall start\n\thlt\n"
#else
	"\tbl start\n\tbrk #0\n"
#endif
	".size _start, .-_start\n");
