/*
 * What comes down a pipe, in memory: each byte stays at its address from when it was read until it is let go, so that records
 * can be looked at where they lie. A record that the end of one piece of memory would cut is moved to the next one before
 * anybody has taken it.
 * Layer: format
 */
#ifndef CORE_FORMAT_INFLOW_H
#define CORE_FORMAT_INFLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inflow;

/* @fd is borrowed. */
struct inflow *inflow_new(int fd);
void inflow_free(struct inflow *in);

/* Wait for more and read it. Returns the bytes that came, 0 at the end, or -errno. */
int64_t inflow_read(struct inflow *in);
/* Is there more, or the end, for which nobody would have to wait? */
bool inflow_is_ready(const struct inflow *in);

/* What was read and not taken yet. */
const uint8_t *inflow_rest(const struct inflow *in, size_t *size);
/* Of its first byte: how many came before it. */
uint64_t inflow_offset(const struct inflow *in);
/* Take @n bytes of it: they keep their address. */
void inflow_take(struct inflow *in, size_t n);
/* Let go of what was taken and came before @offset; what lies in one piece of memory with later bytes stays. */
void inflow_let_go(struct inflow *in, uint64_t offset);

/*
 * Copy all of it, from the first byte on, and what is yet to come, to an unlinked file below $TMPDIR or /tmp. Nothing was
 * let go before. Returns its descriptor, owned by the caller, or -errno.
 */
int inflow_spool(struct inflow *in);

#endif
