/*
 * The writers: those of jsonl, csv and parquet are in row_text.c, that of html in html/html.c, each other one in the file of its
 * name.
 * Layer: export
 */
#ifndef CORE_SHOW_EXPORT_WRITERS_H
#define CORE_SHOW_EXPORT_WRITERS_H

#include "core/profile/writer.h"

extern const struct profile_writer html_writer, svg_writer, folded_writer, firefox_writer, pprof_writer, jsonl_writer, csv_writer,
	parquet_writer, speedscope_writer, callgrind_writer, autofdo_writer, bolt_writer,
	chrome_writer, lcov_writer;

#endif
