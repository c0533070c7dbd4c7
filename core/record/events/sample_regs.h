/* Parses the register names of -I and --user-regs, which choose the registers that each sample has. Layer: events */
#ifndef CORE_RECORD_EVENTS_SAMPLE_REGS_H
#define CORE_RECORD_EVENTS_SAMPLE_REGS_H

#include <stdint.h>

/*
 * Translates names such as "ax,ip" (case does not matter) to a mask of PERF_REG_* bits. Returns 0, or -EINVAL with the reason in
 * *what, owned by the caller.
 */
int sample_regs_parse(const char *text, uint64_t *mask, char **what);
/* Prints the names of this machine's registers on standard output. */
void sample_regs_print(void);

#endif
