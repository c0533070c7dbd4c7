/* Compares the full name of a function to a shorter one, part by part (function_name.h). */
#include "core/code/function_name.h"

#include <string.h>

#include "core/base/util.h"

static bool is_whole(const char *name, const char *wanted)
{
	static const char mark[] = " (inlined)";
	size_t n = strlen(wanted), end = sizeof(mark) - 1;

	if (n > end && str_eq(wanted + n - end, mark))
		n -= end;
	return !strncmp(name, wanted, n) &&
	       (!name[n] || name[n] == '(' || name[n] == '@' || name[n] == '<' || str_starts(name + n, " ("));
}

/* Skips arguments of functions and templates. */
bool function_is_named(const char *name, const char *wanted, enum name_given given)
{
	int depth = 0;

	if (given == NAME_WHOLE)
		return is_whole(name, wanted);
	for (const char *c = name; *c; c++) {
		depth += strchr("(<", *c) ? 1 : strchr(")>", *c) ? -1 : 0;
		if (!depth && strchr(".: $", *c) && is_whole(c + 1, wanted))
			return true;
	}
	return false;
}
