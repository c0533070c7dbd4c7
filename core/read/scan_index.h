/*
 * Speeds up the first pass over a recording (scan.c): finds the records by the index that the recorder has written into the file
 * (core/perfdata/data_index.h), instead of reading every record header.
 * Layer: read
 */
#ifndef CORE_READ_SCAN_INDEX_H
#define CORE_READ_SCAN_INDEX_H

#include "core/read/scan_piece.h"

/*
 * Fills @out with all records of @part, which is the only part of @file. The caller calls scan_piece_release() in any case.
 * Returns false if the file has no index that can be used. An index that is damaged, or does not fit the data, becomes a finding.
 */
bool scan_index_read(struct scan_piece *out, struct data_file *file, const struct data_part *part);
/* Compares all records with the index, if the file has one. A difference becomes a finding of the file. */
void scan_index_check(struct data_file *file);

#endif
