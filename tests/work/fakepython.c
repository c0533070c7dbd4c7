/*
 * A program that claims to be CPython 3.11, or 3.13 where MINOR is 13, or 3.14 with the structures of 3.13, with memory that
 * lies: ARG 1 says how. Its file is to be called "python3.11". It runs for ARG 2 ms, and no sample of it has a frame of Python that
 * may be believed.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef MINOR
#define MINOR	11
#endif

/* Offsets of core/record/live/python_process.c. */
enum { NEXT = 8, THREAD_ID = 152, INSTR = 56, NAME = 128, FILE_NAME = 112, LINES = 136 };
#if MINOR == 11
enum { HEADS = 40, INTERP_NEXT = 0, THREADS = 16, CFRAME = 56, CURRENT = 8, TEXT = 48 };
enum { BACK = 48, CODE = 32, OWNER = 69, ENTRY = 68, FIRST = 72, BYTES = 184 };
#else
enum { HEADS = 632, INTERP_NEXT = 7264, THREADS = 7344, CFRAME = 72, CURRENT = 8, TEXT = 40 };
enum { BACK = 8, CODE = 0, OWNER = 70, ENTRY = 100, FIRST = 68, BYTES = 200 };
#endif
enum { SHIM = 3 };			/* an owner: a frame of C's stack */

#define EXPORT __attribute__((visibility("default"), used))
EXPORT unsigned char _PyRuntime[4096], PyCode_Type[512];
EXPORT const unsigned long Py_Version = 0x030b00f0;
EXPORT int _PyEval_EvalFrameDefault(int ms);
#if MINOR > 11
EXPORT int PyType_FromMetaclass, PyList_GetItemRef;
#endif
#if MINOR > 13
EXPORT int PyUnicodeWriter_Create;
#endif

static unsigned char interp[8192], other_interp[8192], tstate[4096], cframe[64], frames[2][128];
static unsigned char code[4096], text[4096], lines[65536];

static void put(void *at, size_t offset, uint64_t v)
{
	memcpy((char *)at + offset, &v, sizeof(v));
}

static void make_text(unsigned char *at, uint64_t length, uint32_t state, const char *s)
{
	put(at, 16, length);
	put(at, 32, state);
	strcpy((char *)at + TEXT, s);
}

static void make_sound(void)
{
	put(interp, THREADS, (uintptr_t)tstate);
	put(tstate, THREAD_ID, (uint64_t)pthread_self());
	put(tstate, CFRAME, MINOR == 11 ? (uintptr_t)cframe : (uintptr_t)frames[0]);
	put(cframe, CURRENT, (uintptr_t)frames[0]);
	put(frames[0], CODE, (uintptr_t)code);
	put(frames[0], INSTR, (uintptr_t)code + BYTES + 2);
	frames[0][ENTRY] = 1;
	put(code, 8, (uintptr_t)PyCode_Type);
	put(code, 16, 8);
	put(code, NAME, (uintptr_t)text);
	put(code, FILE_NAME, (uintptr_t)text);
	put(code, LINES, (uintptr_t)lines);
	put(code, FIRST, 7);
	make_text(text, 4, 1 << 2 | 1 << 5 | 1 << 6, "fake");
	put(lines, 16, 4);
	memcpy(lines + 32, "\xd8\x00\xd8\x00", 4);
}

static void lie(const char *how)
{
	if (!strcmp(how, "frames-loop"))
		put(frames[0], BACK, (uintptr_t)frames[0]);
	else if (!strcmp(how, "threads-loop")) {
		put(tstate, THREAD_ID, 1);
		put(tstate, NEXT, (uintptr_t)tstate);
	} else if (!strcmp(how, "interpreters-loop")) {
		put(interp, INTERP_NEXT, (uintptr_t)interp);
	} else if (!strcmp(how, "same-twice")) {
		put(interp, INTERP_NEXT, (uintptr_t)other_interp);
		put(other_interp, THREADS, (uintptr_t)tstate);
	} else if (!strcmp(how, "shims-loop") || !strcmp(how, "shims-twice")) {
		put(frames[0], BACK, (uintptr_t)frames[1]);
		put(frames[1], BACK, strcmp(how, "shims-loop") ? 0 : (uintptr_t)frames[1]);
		frames[1][OWNER] = SHIM;
		if (!strcmp(how, "shims-twice"))
			lie("same-twice");
	} else if (!strcmp(how, "no-code"))
		put(code, 8, 0);
	else if (!strcmp(how, "wild-frame"))
		put(frames[0], BACK, 0xdead000000000000ull);
	else if (!strcmp(how, "kernel-frame"))
		put(frames[0], BACK, 0xffffffff81000000ull);
	else if (!strcmp(how, "outside-code"))
		put(frames[0], INSTR, (uintptr_t)code + (1 << 20));
	else if (!strcmp(how, "huge-code"))
		put(code, 16, 0x7fffffff);
	else if (!strcmp(how, "long-name"))
		put(text, 16, 1ull << 62);
	else if (!strcmp(how, "wild-name"))
		put(code, NAME, 0x1000);
	else if (!strcmp(how, "odd-name"))
		put(text, 32, 7u << 2 | 1 << 5);
	else if (!strcmp(how, "long-lines"))
		put(lines, 16, 1ull << 40);
	else if (!strcmp(how, "wild-lines"))
		memset(lines + 32, 0xff, 4);
}

/* Another name and file all the time. */
static void change(unsigned i)
{
	put(code, FIRST, i);
	put(text, 24, i);
	put(code, 16, i % 100 + 2);
	snprintf((char *)text + TEXT, 32, "f%03u", i % 1000);
}

static uint64_t cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static int changes;

__attribute__((noinline)) int _PyEval_EvalFrameDefault(int ms)
{
	unsigned i = 0;

	while (cpu_ms() < (uint64_t)ms)
		for (unsigned j = 0; j < 10000; j++)
			if (changes)
				change(++i);
	return (int)i;
}

int main(int argc, char **argv)
{
	make_sound();
	if (argc > 1)
		lie(argv[1]);
	put(_PyRuntime, HEADS, (uintptr_t)interp);	/* at last: a sample sees all of it */
	changes = argc > 1 && !strcmp(argv[1], "changes");
	return _PyEval_EvalFrameDefault(argc > 2 ? atoi(argv[2]) : 200) & 0;
}
