/*
 * The program's code, for decoders that follow it: the bytes at (space, ip) from the files that were mapped. Files
 * are mapped once for all workers; after that there is no lock.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_CODE_H
#define AUXTRACE_CODE_H

#include <stddef.h>
#include <stdint.h>

struct code;
struct session;

/* Owned by the caller: code_free(). */
struct code *code_new(const struct session *s);
void code_free(struct code *c);

/* Copy up to @n bytes of the code at @ip in @space to @out; returns how many, 0: there is none. Safe from any thread. */
size_t code_at(struct code *c, uint32_t space, uint64_t ip, void *out, size_t n);

#endif
