/*
 * Checks whether an address of a call chain can be a return address. core/hists/chain_breaks.c and address_text.c in
 * core/show/script use it to find wrong frame-pointer chains.
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

#define CALL_MAX	8	/* bytes of a call instruction: on x86 up to 7 with a REX prefix, more with useless prefixes */

/* True if the @n bytes, code of @dso (loaded), may end with a call instruction, or if that is unknown. */
bool may_end_with_call(const struct arch *arch, const struct dso *dso, const uint8_t *code, size_t n);

/*
 * True if @ip in @space can be a return address, or the last byte of a call. Signal trampolines and some outermost functions can
 * be, although no call is before them. Also true if nothing is known: in the kernel, or if the code is missing. Slow, so call it
 * once per address. Safe from any thread. Loads the dso if necessary.
 */
bool can_be_caller(const struct machine *m, uint32_t space, uint64_t ip);
/*
 * True if @key is the address of a caller (addr_key.calls), but can_be_caller() is false for it. Code without frame pointers uses
 * the frame-pointer register for other values, so a frame-pointer chain through such code has wrong addresses. Most of these are in
 * no executable map, or have no call instruction before them.
 */
bool is_broken_caller(const struct machine *m, const struct addr_key *key);

#endif
