/*
 * Translates the register names of -I and --user-regs to a mask. The names are those of the host's architecture, and only
 * registers that its kernel can sample are accepted.
 * Layer: events
 */
#include "core/record/events/sample_regs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/arch.h"
#include "core/base/buf.h"
#include "core/ui/suggest.h"
#include "core/native.h"

static const char *name_of(unsigned reg)
{
	const struct arch *a = native.arch;

	return a && reg < a->nr_regs && native.sample_regs >> reg & 1 ? a->regs[reg] : NULL;
}

static uint64_t find(const char *s, size_t n)
{
	for (unsigned i = 0; i < 64; i++) {
		const char *name = name_of(i);

		if (name && strlen(name) == n && !strncasecmp(name, s, n))
			return 1ull << i;
	}
	return 0;
}

static char *unknown(const char *s, size_t n)
{
	struct names known = {0};
	struct buf b = {0};

	for (unsigned i = 0; i < 64; i++)
		if (name_of(i))
			names_add(&known, name_of(i));
	buf_printf(&b, "this machine has no register '%.*s'", (int)n, s);
	names_suggest(&b, s, n, &known);
	buf_puts(&b, "; '?' lists them");
	names_release(&known);
	buf_str(&b);
	return b.data;
}

int sample_regs_parse(const char *text, uint64_t *mask, char **what)
{
	uint64_t bits = 0;

	for (const char *s = text;; s++) {
		size_t n = strcspn(s, ",");
		uint64_t bit = find(s, n);

		if (!bit) {
			*what = unknown(s, n);
			return -EINVAL;
		}
		bits |= bit;
		s += n;
		if (!*s)
			break;
	}
	*mask = bits;
	return 0;
}

void sample_regs_print(void)
{
	const char *separator = "";

	for (unsigned i = 0; i < 64; i++) {
		if (!name_of(i))
			continue;
		printf("%s%s", separator, name_of(i));
		separator = " ";
	}
	printf("\n");
}
