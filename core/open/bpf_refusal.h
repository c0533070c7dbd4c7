/*
 * Why the kernel does not take a BPF program: what the verifier says last, or the rights that are missing, and what works without.
 * Layer: open
 */
#ifndef CORE_OPEN_BPF_REFUSAL_H
#define CORE_OPEN_BPF_REFUSAL_H

/*
 * Print an error. @what: "the filter"; @event: of which event; @err: positive errno; @log: the verifier's text, may be empty;
 * @without: what the user can do instead. Returns -1.
 */
int bpf_refusal_print(const char *what, const char *event, int err, const char *log, const char *without);

#endif
