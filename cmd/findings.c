/*
 * Prints the findings about a recording (core/ui/finding.h) at the end of a command, and computes the command's exit status from
 * them. Also parses the option --strict, with which a command fails if findings concern too many samples.
 */
#include "cmd/findings.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/ui/finding.h"
#include "core/base/log.h"

int strict_parse(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	struct strict *strict = field;
	char *end = NULL;

	*strict = (struct strict){ .on = !unset, .all = strict->all };
	if (unset || !arg)
		return 0;
	strict->percent = strtod(arg, &end);
	if (end != arg && *end == '%')
		end++;
	if (end == arg || *end || !(strict->percent >= 0 && strict->percent <= 100))
		return error("--%s: '%s' is no percentage: a number from 0 to 100 is wanted", o->name, arg);
	return 0;
}

int strict_status(const struct strict *strict, const struct findings *f)
{
	return strict->on && findings_have(f, FINDING_WARNING) && findings_concern(f) * 100 > strict->percent ? STATUS_STRICT : 0;
}

int findings_end(struct findings *f, const struct strict *strict, size_t printed)
{
	int status = findings_have(f, FINDING_DAMAGE) ? STATUS_DAMAGED : strict_status(strict, f);

	if (strict->all || log_level() > 0 || !isatty(STDERR_FILENO))
		findings_print(f);
	else
		findings_print_few(f, printed);
	findings_release(f);
	return status;
}
