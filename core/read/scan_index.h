/*
 * The walk over record headers, out of the index that the recorder has put into the file (core/perfdata/data_index.h): only the
 * records that it lists are looked at.
 * Layer: read
 */
#ifndef CORE_READ_SCAN_INDEX_H
#define CORE_READ_SCAN_INDEX_H

#include "core/read/scan_piece.h"

/*
 * @part, the only one of @file, as a single piece; scan_piece_release() in any case. False: the file has no index that can be used.
 * If it has one that is damaged, or where the records that it lists are others, that becomes a finding of the file.
 */
bool scan_index_read(struct scan_piece *out, struct data_file *file, const struct data_part *part);
/* Compares all records with the index, if the file has one: what differs becomes a finding of the file. */
void scan_index_check(struct data_file *file);

#endif
