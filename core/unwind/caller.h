/*
 * Checks return addresses in call chains. A frame-pointer chain through code without frame pointers is not short but wrong: it
 * contains whatever the register held. Most of these values are in no executable map, or have no call instruction before them.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_CALLER_H
#define CORE_UNWIND_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct addr_key;
struct arch;
struct dso;
struct machine;
struct map;

/* True if code may be at @pc, which is in @map. The map's dso is loaded. */
bool map_can_run(const struct map *map, uint64_t pc);

#define CALL_MAX	8	/* bytes of a call instruction: x86's have up to 7 with a REX prefix, more with useless prefixes */

/* True if a call may end with the last of the @n bytes, code of @dso, which is loaded, or if that is unknown. */
bool may_end_with_call(const struct arch *arch, const struct dso *dso, const uint8_t *code, size_t n);

/*
 * True if @ip in @space can be a return address, or the last byte of a call. Signal handlers return to trampolines, which
 * have no call before them; so have some outermost functions. True also if it is unknown: in the kernel, without the code's
 * bytes. Slow: call it once per address. Safe from any thread; loads the dso if necessary.
 */
bool can_be_caller(const struct machine *m, uint32_t space, uint64_t ip);
/* Is @key a caller's (addr_key.calls) that cannot be one? As can_be_caller(). */
bool is_broken_caller(const struct machine *m, const struct addr_key *key);

#endif
