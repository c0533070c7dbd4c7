/* Reads files of sysfs (/sys) that have a single line. */
#include "core/base/sysfs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/file.h"
#include "core/base/util.h"

const char *sysfs_root(void)
{
	const char *root = getenv("SYSFS_PATH");

	return root && *root ? root : "/sys";
}

char *sysfs_line(const char *path, ...)
{
	char full[4096];
	va_list ap;
	int n = snprintf(full, sizeof(full), "%s/", sysfs_root());

	va_start(ap, path);
	vsnprintf(full + MIN(n, (int)sizeof(full) - 1), sizeof(full) - (size_t)MIN(n, (int)sizeof(full) - 1), path, ap);
	va_end(ap);
	return read_line_of(full);
}
