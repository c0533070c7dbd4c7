/*
 * Lists the export formats of prec. Each format has a struct profile_writer. The writers of jsonl, csv and parquet are in
 * row_text.c, the writer of html is in html/html.c, and every other writer is in the file of its name.
 * Layer: export
 */
#ifndef CORE_SHOW_EXPORT_WRITERS_H
#define CORE_SHOW_EXPORT_WRITERS_H

#include "core/profile/writer.h"

/* WRITER(name): the struct profile_writer name_writer; in the order in which formats are listed. */
#define EXPORT_WRITERS(WRITER) \
	WRITER(html) WRITER(svg) WRITER(folded) WRITER(firefox) WRITER(pprof) WRITER(speedscope) WRITER(callgrind) \
	WRITER(jsonl) WRITER(csv) WRITER(parquet) WRITER(autofdo) WRITER(bolt) WRITER(chrome) WRITER(lcov)

#define WRITER(name) extern const struct profile_writer name##_writer;
EXPORT_WRITERS(WRITER)
#undef WRITER

#endif
