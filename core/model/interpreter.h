/*
 * Programs that run others: what they compile has no names in any file, and what they interpret not even addresses. Which of their
 * switches makes them tell.
 * Layer: model
 */
#ifndef CORE_MODEL_INTERPRETER_H
#define CORE_MODEL_INTERPRETER_H

#include <stdbool.h>
#include <stdint.h>

struct dso;
struct machine;

/* Is @dso one that interprets, so that its own functions stand for those of the program? */
bool is_interpreter(const struct dso *dso);
/* The switch of the one that @dso is of; static; NULL: it is of none. */
const char *interpreter_switch(const struct dso *dso);
/* The same of the one that runs in process @pid, as far as is known. */
const char *interpreter_switch_of(const struct machine *m, uint32_t pid);
/* Did one of those in @m tell the names of what it compiled? When nobody looks names up any more. */
bool has_told_names(const struct machine *m);

#endif
