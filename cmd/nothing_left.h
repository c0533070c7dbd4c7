/*
 * What is said where filters let no sample pass.
 * Layer: cmd
 */
#ifndef CMD_NOTHING_LEFT_H
#define CMD_NOTHING_LEFT_H

struct filter;
struct names;
struct session;

/*
 * Print which comms, dsos and symbols of @f the recording does not have, each with the names that are nearest to it; where it has
 * all, that no sample passes. @symbols: what there is, sorted; NULL: of all files that were loaded.
 */
void print_nothing_left(const struct session *s, const struct filter *f, const struct names *symbols);

#endif
