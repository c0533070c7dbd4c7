/*
 * Lists the writers of all export formats, from which formats.c makes its table. row_text.c implements jsonl, csv and parquet.
 * Every other format has a file of its own, such as svg.c or html/html.c.
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
