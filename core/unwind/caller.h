/*
 * Can an address in a call chain be a caller's? A frame-pointer chain of code without frame pointers is not short, it is wrong:
 * its addresses are whatever the register held. Of most that shows: they are in no executable map, or no call instruction is
 * before them.
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

/* May there be code at @pc, which is in @map? The map's dso is loaded. */
bool map_can_run(const struct map *map, uint64_t pc);

#define CALL_MAX	8	/* bytes of a call instruction: x86's have up to 7 with a REX prefix, more with useless prefixes */

/* May a call end with the last of the @n bytes, code of @dso, which is loaded? true, too, where that cannot be told. */
bool may_end_with_call(const struct arch *arch, const struct dso *dso, const uint8_t *code, size_t n);

/*
 * Can @ip in @space be where a call returns to, or its last byte? Signal handlers return to trampolines, which nobody calls, and
 * some first functions of a stack are returned to. true, too, where that cannot be told: in the kernel, without the code's bytes.
 * To be asked once for an address. Safe from any thread; loads the dso if nobody has.
 */
bool can_be_caller(const struct machine *m, uint32_t space, uint64_t ip);
/* Is @key a caller's (addr_key.calls) that cannot be one? As can_be_caller(). */
bool is_broken_caller(const struct machine *m, const struct addr_key *key);

#endif
