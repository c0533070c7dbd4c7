/* Prints why the kernel refused a BPF program, for bpf_object.c and filter_program.c. */
#include "core/record/bpf/bpf_refusal.h"

#include <errno.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/record/events/permissions.h"

static bool says_why(const char *line, size_t n)
{
	static const char *const sums[] = { "processed ", "verification time ", "stack depth " };

	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		if (n >= strlen(sums[i]) && !strncmp(line, sums[i], strlen(sums[i])))
			return false;
	return n > 0;
}

static void put_last_line(struct buf *out, const char *log)
{
	const char *last = "";
	size_t last_len = 0;

	for (const char *line = log; *line;) {
		size_t n = strcspn(line, "\n");

		if (says_why(line, n)) {
			last = line;
			last_len = n;
		}
		line += n + (line[n] == '\n');
	}
	buf_put(out, last, last_len);
}

static void put_rights(struct buf *out, int err)
{
	long long unprivileged;
	struct permission_facts facts;

	permission_facts_read(&facts);
	buf_printf(out, "bpf(2): %s", strerror(err));
	if (facts.seccomp)
		buf_puts(out, "; a seccomp filter, such as a container's, may refuse it");
	if (facts.lockdown)
		buf_puts(out, "; kernel lockdown is on");
	if (!read_int_of("/proc/sys/kernel/unprivileged_bpf_disabled", &unprivileged))
		buf_printf(out, "; kernel.unprivileged_bpf_disabled is %lld", unprivileged);
	buf_puts(out, "; a program on events needs root, or CAP_BPF and CAP_PERFMON (Linux 5.8)");
}

/*
 * The reason is the last line of the verifier's log before its statistics ("processed 12 insns ..."). If the log is empty, the
 * reason is errno, with the rights and settings that bpf(2) needs.
 */
static void put_reason(struct buf *out, int err, const char *log)
{
	size_t before = out->len;

	put_last_line(out, log);
	if (out->len > before)
		return;
	if (err == EPERM || err == EACCES)
		put_rights(out, err);
	else if (err == ENOSYS)
		buf_puts(out, "this kernel has no bpf(2)");
	else if (err == E2BIG)
		buf_puts(out, "the program is too large for this kernel");
	else
		buf_puts(out, strerror(err));
}

int bpf_refusal_print(const char *what, const char *event, int err, const char *log, const char *without)
{
	struct buf why = {0};

	put_reason(&why, err, log);
	error("the kernel does not take %s of event '%s': %s; without it: %s", what, event, buf_str(&why), without);
	buf_release(&why);
	return -1;
}
