/*
 * Synthesizes records of BPF programs that were loaded before the recording began: the kernel only reports later ones.
 * Layer: bpf
 */
#ifndef CORE_RECORD_BPF_BPF_PROGRAMS_H
#define CORE_RECORD_BPF_BPF_PROGRAMS_H

#include <stdint.h>

struct buf;
struct sample_layout;

/*
 * Append a KSYMBOL record for each function of each program that is compiled, and a BPF_EVENT for the program. Without
 * CAP_SYS_ADMIN the kernel does not tell: nothing. @layout, @id: of the event that they belong to.
 */
void bpf_programs_synthesize(struct buf *out, const struct sample_layout *layout, uint64_t id);

#endif
