/*
 * Prints why no sample passed the filters of the user. prec report, script and export call it when they have nothing to show.
 * Layer: cmd
 */
#ifndef CMD_EMPTY_RESULT_H
#define CMD_EMPTY_RESULT_H

struct filter;
struct names;
struct session;

/*
 * Prints the comms, dsos and symbols of @f that the recording lacks, each with the most similar names; if it has all, that no
 * sample passes. @symbols: the known ones, sorted; NULL: of all files that were loaded.
 */
void print_empty_result(const struct session *s, const struct filter *f, const struct names *symbols);

#endif
