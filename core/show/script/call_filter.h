/*
 * Selects the branches of a hardware trace that prec script --graph-function prints: each call to a named function, and all
 * branches that follow until the function returns.
 * Layer: script
 */
#ifndef CORE_SHOW_SCRIPT_CALL_FILTER_H
#define CORE_SHOW_SCRIPT_CALL_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/hash.h"
#include "core/base/vec.h"

struct sample;

struct called_thread { uint32_t tid; bool inside; uint64_t depth; };	/* .inside: a named function is running, at .depth */

struct call_filter {		/* = {0}; call_filter_release() */
	VEC(struct called_thread) threads;
	struct index by_tid;
};

/*
 * True if @s, the next sample of its thread, is shown. @names: the wanted functions, separated by commas. @name, of @len bytes: the
 * target if @s is a call, or else the function that executes.
 */
bool call_filter_shows(struct call_filter *f, const char *names, const struct sample *s, const char *name, size_t len);
void call_filter_release(struct call_filter *f);

#endif
