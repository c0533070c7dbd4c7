/*
 * Finds the processes that run CPython. In each it finds the address of the runtime state (_PyRuntime) and the code of the
 * interpreter's loop (_PyEval_EvalFrameDefault).
 */
#ifndef CORE_RECORD_LIVE_PYTHON_PROCESS_H
#define CORE_RECORD_LIVE_PYTHON_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"
#include "core/record/bpf/python_records.h"

struct python_range { uint64_t from, to; };	/* half-open */
struct python_ranges { VEC(struct python_range) list; };	/* the loop's code: a function and its split-off parts (.cold) */

struct mmap2_record;
struct python_file;			/* a program or library */
struct python_files { VEC(struct python_file *) list; };	/* = {0} */
void python_files_release(struct python_files *f);

/* True if the file of this name may contain CPython, judging by the name. */
bool is_python_file(const char *path);
/* True if the process has mapped a file of such a name. */
bool process_has_python(uint32_t pid);
/* True if a command that begins with @word runs a file of such a name, or a script for it. */
bool command_is_python(const char *word);
/*
 * Looks for CPython in the file @name that a process has mapped as code, according to the record @r. Returns 0 and sets *process
 * and *loop, which is emptied first. Returns -ENOENT if the file has no CPython of a known version, or cannot be read.
 */
int python_process_of(struct python_files *f, const struct mmap2_record *r, const char *name, struct python_process *process,
		      struct python_ranges *loop);

#endif
