/*
 * Finds an export format by its name or by the suffix of the output file, for prec export and prec query. Also lists the formats
 * for messages and --format=help. writers.h has the table of formats.
 */
#ifndef CORE_SHOW_EXPORT_FORMATS_H
#define CORE_SHOW_EXPORT_FORMATS_H

#include "core/profile/writer.h"

/* NULL: there is no such format. */
const struct profile_writer *format_by_name(const char *name);
/* NULL: no format has the file's suffix. */
const struct profile_writer *format_of_file(const char *path);
/* Appends "folded (.folded), ...". */
void format_names(struct buf *out);
/* Appends a line for each format, "folded      .folded .folded.gz", for --format=help. */
void formats_put_help(struct buf *out);

/* True if all rows of samples in jsonl, csv and parquet have a column @name. */
bool row_text_has_column(const char *name);

#endif
