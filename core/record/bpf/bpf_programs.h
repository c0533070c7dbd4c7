/*
 * Writes KSYMBOL and BPF_EVENT records for the BPF programs that were loaded before the recording began, because the kernel
 * itself reports only programs that are loaded later. preamble.c calls it.
 */
#ifndef CORE_RECORD_BPF_BPF_PROGRAMS_H
#define CORE_RECORD_BPF_BPF_PROGRAMS_H

#include <stdint.h>

struct buf;
struct sample_layout;

/*
 * Appends a KSYMBOL record for each function of each compiled program, and a BPF_EVENT record for the program. Without
 * CAP_SYS_ADMIN the kernel lists no programs, and nothing is appended. @layout and @id are those of the event that the records
 * belong to.
 */
void bpf_programs_synthesize(struct buf *out, const struct sample_layout *layout, uint64_t id);

#endif
