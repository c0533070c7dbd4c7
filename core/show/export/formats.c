/* Finds the writer of an export format by the format's name or by the suffix of the output file. */
#include "core/show/export/formats.h"

#include <string.h>

#include "core/show/export/writers.h"

static const struct profile_writer *const formats[] = {
#define WRITER(name) &name##_writer,
	EXPORT_WRITERS(WRITER)
#undef WRITER
	NULL
};

const struct profile_writer *format_by_name(const char *name)
{
	for (size_t i = 0; formats[i]; i++)
		if (str_eq(formats[i]->name, name))
			return formats[i];
	return NULL;
}

/* 0: none of the suffixes ends @path. */
static size_t match_suffix(const char *path, const char *suffixes)
{
	size_t len = strlen(path), most = 0;

	while (*suffixes) {
		size_t n = strcspn(suffixes, " ");

		if (n < len && !strncmp(path + len - n, suffixes, n))
			most = MAX(most, n);
		suffixes += n;
		suffixes += *suffixes == ' ';
	}
	return most;
}

const struct profile_writer *format_of_file(const char *path)
{
	const struct profile_writer *best = NULL;
	size_t most = 0;

	for (size_t i = 0; formats[i]; i++) {
		size_t n = match_suffix(path, formats[i]->suffixes);

		if (n > most) {
			most = n;
			best = formats[i];
		}
	}
	return best;
}

void format_names(struct buf *out)
{
	for (size_t i = 0; formats[i]; i++)
		buf_printf(out, "%s%s (%s)", i ? ", " : "", formats[i]->name, formats[i]->suffixes);
}

void formats_put_help(struct buf *out)
{
	for (size_t i = 0; formats[i]; i++)
		buf_printf(out, "%-12s%s\n", formats[i]->name, formats[i]->suffixes);
}
