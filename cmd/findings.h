/*
 * Prints the findings of a command at its end, and computes its exit status. Findings are problems of the recording, such as lost
 * samples or missing symbols (core/ui/finding.h).
 */
#ifndef CMD_FINDINGS_H
#define CMD_FINDINGS_H

#include "core/ui/options.h"

struct findings;

#define STATUS_STRICT	1	/* --strict: findings concern too much of the profile */
#define STATUS_DAMAGED	2	/* read, but the recording is damaged */

/* The option --strict makes a command fail if findings concern too many samples. */
struct strict { bool on, all; double percent; };	/* .on, .percent: --strict[=percent]; .all: --findings */

/* The row of --strict, for the table of a command whose options have the member @f. */
#define OPT_STRICT(s, f) \
	OPT_CALL_FLAGS(0, "strict", s, f, "percent", strict_parse, OPTION_OPTIONAL, \
		       "fail where findings concern more than <percent> of the samples (0)")
int strict_parse(const struct option_desc *o, void *field, const char *arg, bool unset);

/* STATUS_STRICT if findings of severity warning or more concern more than @strict allows, else 0. */
int strict_status(const struct strict *strict, const struct findings *f);
/*
 * Prints @f on standard error and releases it. On a terminal, without --findings and -v: only the few that matter, without the
 * @printed worst ones. Returns STATUS_DAMAGED if there is damage, else strict_status().
 */
int findings_end(struct findings *f, const struct strict *strict, size_t printed);

#endif
