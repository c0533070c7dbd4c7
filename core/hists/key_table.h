/* Finds the columns of a report by name, for the options -s and -F. A new table of columns must be listed in key_table.c. */
#ifndef CORE_HISTS_KEY_TABLE_H
#define CORE_HISTS_KEY_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct key;
struct key_table;

/* Keys with names in _from describe the source of a branch; all others of code_keys the sample, or the target of a branch. */
extern const struct key_table sum_keys, task_keys, code_keys, word_keys, mem_keys, wait_keys;

#define WAIT_KEY_LOCK	"lock"
#define WAIT_KEY_HOLDER	"holder"

/*
 * Finds a column by name or alias, or a sort key by at least the first 3 letters of its name ("sym"); case does not matter.
 * @field: for -F, not -s. NULL: unknown.
 */
const struct key *key_find(const char *name, size_t len, bool field);
/* As key_find(), but not by the beginning of a name. */
const struct key *key_find_whole(const char *name, size_t len, bool field);
/* "overhead overhead_children ... comm dso symbol ...", for messages. */
void key_names(struct buf *out);
/* Appends all keys, grouped by their tables, in lines of 80 columns, for -s help. */
void keys_put_help(struct buf *out);

#endif
