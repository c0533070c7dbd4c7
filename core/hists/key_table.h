/*
 * Finds the columns of a report by name. A new table of columns must be listed in key_table.c.
 * Layer: hists
 */
#ifndef CORE_HISTS_KEY_TABLE_H
#define CORE_HISTS_KEY_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct key;

/*
 * @field: -F asks, not -s. By name, alias or, for keys, a beginning of the name of 3 letters or more ("sym"), in small
 * letters or capitals; NULL: unknown.
 */
const struct key *key_find(const char *name, size_t len, bool field);
/* As key_find(), but not by the beginning of a name. */
const struct key *key_find_whole(const char *name, size_t len, bool field);
/* "overhead overhead_children ... comm dso symbol ...", for messages. */
void key_names(struct buf *out);
/* All keys by what they tell, in lines of 80 columns: what -s help prints. */
void keys_put_help(struct buf *out);

#endif
