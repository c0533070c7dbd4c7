/*
 * Explains why the kernel refused a BPF program: by the verifier's last message or the missing rights, with an alternative.
 * Layer: bpf
 */
#ifndef CORE_RECORD_BPF_BPF_REFUSAL_H
#define CORE_RECORD_BPF_BPF_REFUSAL_H

/*
 * Prints an error. @what: "the filter"; @event: its event; @err: positive errno; @log: the verifier's text, may be empty;
 * @without: the alternative. Returns -1.
 */
int bpf_refusal_print(const char *what, const char *event, int err, const char *log, const char *without);

#endif
