/*
 * Recognizes interpreters and JIT compilers by their file names, and gives the option with which each of them writes function
 * names for perf. core/hists/name_counts.c and symbol_errors.c recommend this option to the user.
 */
#ifndef CORE_MODEL_INTERPRETER_H
#define CORE_MODEL_INTERPRETER_H

#include <stdbool.h>
#include <stdint.h>

struct dso;
struct machine;

/* True if @path has the name of Node.js, such as "/usr/bin/node" and "node-22". Other programs may have it, too. */
bool is_nodejs(const char *path);
/* True if @dso is an interpreter, so that its own functions appear in place of the program's. */
bool is_interpreter(const struct dso *dso);
/* True if the code of @dso was made at run time, as in a jitdump. Python's functions are interpreted: false. */
bool is_made_at_run_time(const struct dso *dso);
/*
 * The option by which the interpreter of @dso writes a perf map (/tmp/perf-PID.map); static. NULL: @dso belongs to no known
 * interpreter. No ELF file has symbols for the code that it compiles, and the code that it interprets has no addresses at all.
 */
const char *interpreter_switch(const struct dso *dso);
/* The same for the interpreter that runs in process @pid, as far as known. */
const char *interpreter_switch_of(const struct machine *m, uint32_t pid);
/* True if code that an interpreter in @m compiled has names, or Python's functions have. Call it after all lookups. */
bool has_jit_names(const struct machine *m);

#endif
