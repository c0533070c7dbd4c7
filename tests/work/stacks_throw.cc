/*
 * stacks_throw MS: for MS milliseconds of CPU time exceptions are thrown, caught and thrown on, with work in destructors on
 * their way, in handlers and where they are caught. Prints the stacks of that, as stacks.c does.
 */
#include <cstdio>
#include <cstdlib>
#include <ctime>

#define KEEP __attribute__((noinline, noclone))
#define AFTER_CALL() __asm__ volatile("" ::: "memory")

extern "C" {
void burn_in_destructor();
void burn_in_catch();
void burn_again();
void throws(int depth);
void passes();
void catches_and_throws();
void catches();
void run();
}

static double until_s;

static double cpu_s()
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

#define BURN(name) \
	KEEP void name() \
	{ \
		for (unsigned long i = 0; i < 200000; i++) \
			__asm__ volatile("" : "+r"(i)); \
	}
BURN(burn_in_destructor)
BURN(burn_in_catch)
BURN(burn_again)

struct holder {
	~holder()
	{
		burn_in_destructor();
		AFTER_CALL();
	}
};

KEEP void throws(int depth)
{
	if (!depth)
		throw depth;
	throws(depth - 1);
	AFTER_CALL();
}

KEEP void passes()
{
	holder held;

	throws(3);
	AFTER_CALL();
}

KEEP void catches_and_throws()
{
	try {
		passes();
	} catch (int) {
		burn_in_catch();
		throw;
	}
	AFTER_CALL();
}

KEEP void catches()
{
	try {
		catches_and_throws();
	} catch (...) {
		burn_again();
	}
	AFTER_CALL();
}

KEEP void run()
{
	while (cpu_s() < until_s)
		catches();
}

int main(int argc, char **argv)
{
	until_s = cpu_s() + (argc > 1 ? atof(argv[1]) : 100) / 1000;
	puts("burn_in_destructor passes catches_and_throws catches run main");
	puts("burn_in_catch catches_and_throws catches run main");
	puts("burn_again catches run main");
	puts("throws throws throws throws passes catches_and_throws catches run main");
	run();
	return 0;
}
