/*
 * A program of 32-bit Arm without a library, whose functions keep their frames in the ways that there are. It goes through them
 * once and ends: tests/lib/arm_steps.py follows it from one instruction to the next.
 */
#define KEEP __attribute__((noinline))
#define AFTER_CALL() __asm__ volatile("" ::: "memory")

void spot(void);
void one(void (*body)(void));
int recurses(int depth);
void holds_much(void);
void realigned(void);
void allocates(unsigned n);
double keeps_doubles(double a, double b, double c);
double next(double a);
int keeps_many(const int *p);
void passes_on(void);
void calls_tail(void);
void handler(int sig, void *info, unsigned *context);
void interrupted(void);
void restores(void);
void run(void);
void __aeabi_unwind_cpp_pr0(void);
void __aeabi_unwind_cpp_pr1(void);

/* The tables of exceptions name them. */
void __aeabi_unwind_cpp_pr0(void) {}
void __aeabi_unwind_cpp_pr1(void) {}

/* It has no frame: where any of its instructions is, the tables of exceptions hold. */
KEEP void spot(void)
{
	for (int i = 0; i < 3; i++)
		__asm__ volatile("" : "+r"(i));
}

KEEP void one(void (*body)(void))
{
	body();
	AFTER_CALL();
}

KEEP int recurses(int depth)
{
	int kept = depth ? recurses(depth - 1) : 0;

	one(spot);
	return kept + depth;
}

/* More than a byte of unwinding instructions can say. */
KEEP void holds_much(void)
{
	volatile char much[5000];

	__asm__ volatile("" : : "r"(much) : "memory");
	one(spot);
	much[1] = much[0];
}

KEEP void realigned(void)
{
	_Alignas(128) volatile char aligned[128];

	aligned[0] = 1;
	one(spot);
	aligned[1] = aligned[0];
}

KEEP void allocates(unsigned n)
{
	volatile char *p = __builtin_alloca(n);

	p[0] = p[n - 1] = 1;
	spot();
	AFTER_CALL();
	p[1] = p[0];
}

KEEP double next(double a)
{
	spot();
	AFTER_CALL();
	return a + 1;
}

/* In registers of floating point, across calls. */
KEEP double keeps_doubles(double a, double b, double c)
{
	double d = a * b, e = b * c, f = a - c;

	return next(a) + next(d) * b + next(e) * c + next(f) * d * e;
}

KEEP int keeps_many(const int *p)
{
	int a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], f = p[5], g = p[6];

	spot();
	AFTER_CALL();
	return a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f + 13 * g;
}

KEEP void passes_on(void)
{
	spot();		/* a jump */
}

KEEP void calls_tail(void)
{
	passes_on();
	AFTER_CALL();
}

/* ---- a signal, by Linux's own calls ---- */

struct action { void (*handler)(int, void *, unsigned *); unsigned long flags; void (*restorer)(void); unsigned long mask[2]; };

long set_action(int sig, const struct action *act, struct action *old, unsigned long size);
void end_process(int status);

#define SIGILL		4
#define SA_SIGINFO	4
#define SA_RESTORER	0x04000000
#define PC_IN_CONTEXT	23	/* of a ucontext, in words */

#ifdef __thumb__
#define TRAP_SIZE	2
#define MODE		".thumb\n.thumb_func\n"
#else
#define TRAP_SIZE	4
#define MODE		".arm\n"
#endif

#ifdef FRAMES
#define BEGIN		".cfi_startproc\n"
#define REGISTER	".cfi_register r7, r12\n"
#define ROOT		".cfi_undefined r14\n"
#define END		".cfi_endproc\n"
#else
#define BEGIN		""
#define REGISTER	""
#define ROOT		""
#define END		""
#endif

/*
 * A signal trampoline, with tables as those of the C library: Linux puts the description of the signal and the beginning of
 * the context on the stack before all registers.
 */
__asm__(".text\n.balign 4\n.type restores, %function\n" MODE
	".fnstart\n"
	".save {r0-r15}\n.pad #0xa0\nnop\n"
	".globl restores\nrestores:\n"
	"mov r7, #173\nsvc #0\n"
	".fnend\n.size restores, . - restores\n");

KEEP void handler(int sig, void *info, unsigned *context)
{
	(void)sig, (void)info;
	one(spot);
	context[PC_IN_CONTEXT] += TRAP_SIZE;
}

KEEP void interrupted(void)
{
	__asm__ volatile("udf #0" ::: "memory");
}

/* The number goes into the register that is the frame pointer of Thumb. */
#define LINUX_CALL(name, number)	__asm__(".text\n.balign 4\n.globl " #name "\n.type " #name ", %function\n" MODE \
	#name ":\n.fnstart\n" BEGIN \
	"mov r12, r7\n" REGISTER "mov r7, #" #number "\nsvc #0\nmov r7, r12\nbx lr\n" \
	END ".fnend\n.size " #name ", . - " #name "\n")

LINUX_CALL(set_action, 174);
LINUX_CALL(end_process, 248);

KEEP void run(void)
{
	static const int many[] = { 1, 2, 3, 4, 5, 6, 7 };
	static volatile double number = 1.5;
	static volatile int sum;
	struct action act = { .handler = handler, .flags = SA_SIGINFO | SA_RESTORER, .restorer = restores };

	spot();
	one(spot);
	sum += recurses(12);
	one(holds_much);
	one(realigned);
	for (unsigned n = 17; n < 1500; n = n * 3)
		allocates(n);
	number += keeps_doubles(number, number + 1, number + 2);
	sum += keeps_many(many);
	calls_tail();
	set_action(SIGILL, &act, 0, 8);
	one(interrupted);
	end_process(0);
}

__asm__(".text\n.balign 4\n.globl _start\n.type _start, %function\n" MODE
	"_start:\n.fnstart\n.cantunwind\n" BEGIN ROOT "bl run\nb .\n" END ".fnend\n.size _start, . - _start\n");
