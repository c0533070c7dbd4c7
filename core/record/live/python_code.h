/*
 * Makes a table of the Python code objects that occur in samples, with their names, files and lines. The perf.data contains the
 * table, so that readers can name Python frames (core/model/python.h). python_stacks.c adds the code objects.
 */
#ifndef CORE_RECORD_LIVE_PYTHON_CODE_H
#define CORE_RECORD_LIVE_PYTHON_CODE_H

#include <stdint.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/vec.h"

struct python_code;

/* .print distinguishes a code object from an earlier one that was freed at the same address. */
struct known_code { uint64_t code, print, base; uint32_t pid, size; };	/* .print: hash of the contents; .base: address of the first
									 * instruction in the table */
struct known_text { uint64_t hash[2], base; };

struct python_codes {			/* = {0} */
	VEC(struct known_code) list;
	struct index by_code;
	VEC(struct known_text) texts;	/* code objects with equal contents share one, also from several processes */
	struct index by_text;
	struct buf table;
};

void python_codes_release(struct python_codes *c);
/* Adds a record of @size bytes. Parts that are not complete are left out. */
void python_codes_add(struct python_codes *c, const struct python_code *code, size_t size);
/* Returns the address, in the table, of the instruction at offset @at of the code object, or 0 if the code object is unknown. */
uint64_t python_codes_find(const struct python_codes *c, uint32_t pid, uint64_t code, uint64_t print, uint32_t at);

#endif
