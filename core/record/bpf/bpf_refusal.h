/*
 * Explains why the kernel refused a BPF program. The message has the verifier's last line or the missing rights, and says how to
 * record without the program.
 */
#ifndef CORE_RECORD_BPF_BPF_REFUSAL_H
#define CORE_RECORD_BPF_BPF_REFUSAL_H

/*
 * Prints an error. @what is for example "the filter", and @event the event that it belongs to. @err is a positive errno. @log is
 * the verifier's text, which may be empty. @without names the alternative. Returns -1.
 */
int bpf_refusal_print(const char *what, const char *event, int err, const char *log, const char *without);

#endif
