/*
 * Recognizes interpreters and JIT compilers. The code that they compile has names in no file, and code that they interpret has no
 * addresses at all, so this knows the options that make them write names.
 * Layer: model
 */
#ifndef CORE_MODEL_INTERPRETER_H
#define CORE_MODEL_INTERPRETER_H

#include <stdbool.h>
#include <stdint.h>

struct dso;
struct machine;

/* True if @dso is an interpreter, so that its own functions appear in place of the program's. */
bool is_interpreter(const struct dso *dso);
/*
 * True if the code of @dso was made at run time: a jitdump's, or what is in memory without a file. Python's functions are
 * interpreted, and are not.
 */
bool is_made_at_run_time(const struct dso *dso);
/* The option for the interpreter that @dso belongs to; static. NULL: it belongs to none. */
const char *interpreter_switch(const struct dso *dso);
/* The same for the interpreter that runs in process @pid, as far as known. */
const char *interpreter_switch_of(const struct machine *m, uint32_t pid);
/* True if an interpreter in @m named its compiled code, or the recorder Python's functions. Call it after all lookups. */
bool has_jit_names(const struct machine *m);

#endif
