/*
 * Explains to the user why prec report, script or export shows no samples: for example, a filter names a comm or symbol that the
 * recording lacks.
 * Layer: cmd
 */
#ifndef CMD_EMPTY_RESULT_H
#define CMD_EMPTY_RESULT_H

struct filter;
struct names;
struct session;

/*
 * Prints the comms, dsos and symbols in the filter @f that the recording lacks, each with the most similar names. If the recording
 * has all of them, prints that no sample passes. @symbols: the existing symbols, sorted; NULL: take those of all loaded files.
 */
void print_empty_result(const struct session *s, const struct filter *f, const struct names *symbols);

#endif
