/*
 * Defines the artificial addresses that stand for Python functions in call chains, and reads the functions' names from the
 * recording. core/read/native_frames.h decides whether the interpreter's C frames are shown, too.
 */
#ifndef CORE_MODEL_PYTHON_H
#define CORE_MODEL_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

struct dso;
struct feature_packed;
struct machine;

/*
 * Each instruction of Python code has an artificial address, which is mapped in no process: PYTHON_BASE plus the offset of the
 * instruction in the recording's table of Python code, which has the layout of a jitdump. A function has the same address in all
 * processes, and the address never means anything else.
 *
 * In a recorded call chain, Python frames follow the native frame of the interpreter's evaluation loop that runs them. The
 * innermost of these Python frames has PYTHON_IN_LOOP added to its address, to mark the frame before it as the frame of the loop.
 */
#define PYTHON_BASE	0x5079000000000000ull	/* "Py": no architecture has memory there */
#define PYTHON_SIZE	0x0000000100000000ull	/* size of the range of artificial addresses, which Python and Java share */
#define PYTHON_IN_LOOP	PYTHON_SIZE		/* added to addresses in recorded chains only */
#define JAVA_BASE	(PYTHON_BASE + PYTHON_SIZE / 4 * 3)	/* the last quarter is for interpreted methods of Java (java.h) */
#define PYTHON_NAME	"[python]"		/* the name of the dso of Python functions */

/* True for a function of Python or a method of Java. */
static inline bool is_interpreted(uint64_t ip)
{
	return ip - PYTHON_BASE < PYTHON_SIZE;
}

/* True if @ip, from a recorded chain, is marked: the frame before it is that of the interpreter's loop. */
static inline bool is_interpreted_in_loop(uint64_t ip)
{
	return is_interpreted(ip - PYTHON_IN_LOOP);
}

/* True if @dso is that of Python's frames. */
bool is_python_dso(const struct dso *dso);
/* Reads the recording's table, once, before any samples. A damaged table is read up to the damage. */
void machine_set_python(struct machine *m, const struct feature_packed *python);

#endif
