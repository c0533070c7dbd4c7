/*
 * The formats that a profile can be exported in.
 * Layer: export
 */
#ifndef CORE_SHOW_EXPORT_FORMATS_H
#define CORE_SHOW_EXPORT_FORMATS_H

#include "core/profile/writer.h"

/* By name; NULL: there is none. */
const struct profile_writer *format_by_name(const char *name);
/* By the suffix of a file's name; NULL: unknown. */
const struct profile_writer *format_of_file(const char *path);
/* Append "folded (.folded), ...". */
void format_names(struct buf *out);
/* A line each, "folded      .folded .folded.gz": what --format=help prints. */
void formats_put_help(struct buf *out);

/* True if all rows of samples in jsonl, csv and parquet have a column of that name. */
bool row_text_has_column(const char *name);

#endif
