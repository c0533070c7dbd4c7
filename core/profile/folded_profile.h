/*
 * Reads a file of folded stacks and makes a profile (profile.h) from it. A line of the file is "thread;outermost;...;innermost
 * NUMBER". Suffixes that stackcollapse scripts add to frames (_[k] kernel, _[i] inlined, _[j] compiled at run time) are removed.
 */
#ifndef CORE_PROFILE_FOLDED_PROFILE_H
#define CORE_PROFILE_FOLDED_PROFILE_H

#include <stdbool.h>

struct profile;

/* True if @path is a regular file whose first line is a folded stack. */
bool folded_begins(const char *path);

/* Reads a file of folded stacks. Owned by the caller; NULL: it cannot be read (printed). */
struct profile *profile_of_folded(const char *path);

#endif
