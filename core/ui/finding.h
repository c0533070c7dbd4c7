/*
 * Findings: problems of a profile and facts to know about it, such as losses, damage and missing names, with their causes. A
 * finding is a code and numbers; its text is in core/ui/finding_codes.h. Every layer adds findings to the list of the recording
 * or profile; a command prints the list once, at its end.
 * Layer: ui
 */
#ifndef CORE_UI_FINDING_H
#define CORE_UI_FINDING_H

#include "core/ui/finding_codes.h"
#include "core/base/vec.h"

struct buf;
struct json;

enum finding_severity {
	FINDING_NOTE,		/* to be known; the numbers are right */
	FINDING_WARNING,	/* the numbers lack something, or are less certain than they look */
	FINDING_DAMAGE,		/* the recording is not what its recorder wrote */
};

#define FINDING_IDENTIFIER(id, name, severity, sentence, remedy) FINDING_##id,
enum finding_code { FINDING_CODES(FINDING_IDENTIFIER) FINDING_NR };
#undef FINDING_IDENTIFIER

struct finding {
	enum finding_code code;
	uint64_t count;		/* of what the sentence of the code says; never 0 */
	uint64_t of;		/* of how many; 0: not known, or it makes no sense */
	double share;		/* of the recording's samples that it concerns, 0 to 1; below 0: not known */
	char *where;		/* owned; may hold any byte, as it may be from a file. NULL: nowhere in particular */
};

struct findings { VEC(struct finding) list; };	/* = {0}; findings_release() */

/*
 * Adds @count (0: nothing is added) of @of (0: unknown), also to an existing finding of the same code and place. @where is
 * copied, and may be NULL. The share is @count of @of; findings_add_share() is for findings that do not count samples.
 */
void findings_add(struct findings *f, enum finding_code code, uint64_t count, uint64_t of, const char *where);
void findings_add_share(struct findings *f, enum finding_code code, uint64_t count, uint64_t of, const char *where,
			double share);
/* Add all of @other, which stays as it is. */
void findings_merge(struct findings *f, const struct findings *other);
/* As findings_merge(), but @other may have found the same again: of two with one code and place the larger count stays. */
void findings_unite(struct findings *f, const struct findings *other);
/* The most severe first, then by share, the table's order, and place. Findings with one cause for the user become one. */
void findings_sort(struct findings *f);
void findings_release(struct findings *f);

/* "lost-samples" */
const char *finding_name(enum finding_code code);
enum finding_severity finding_severity(enum finding_code code);
/* "note", "warning", "damage" */
const char *finding_severity_name(enum finding_severity severity);
/* Appended as text without control characters, in one line. */
void finding_sentence(const struct finding *f, struct buf *out);
void finding_remedy(const struct finding *f, struct buf *out);

/*
 * Appended as commands print it: the sentence with its code, and if wanted what can be done in lines of their own, which begin with
 * blanks. @wrap: lines of 80 columns, of which "prec: " takes the first.
 */
void finding_put(const struct finding *f, bool wrap, bool with_remedy, struct buf *out);

/* Appended as JSON: an array of objects, in the list's order. */
void findings_json(const struct findings *f, struct json *out);

#define FINDING_LEAST 0.01	/* of the samples: smaller shares are noise to a user */

/* True if it is more than a note, and concerns at least FINDING_LEAST of the samples, or an unknown number. */
bool finding_matters(const struct finding *f);
bool findings_have(const struct findings *f, enum finding_severity at_least);
/*
 * The share of the samples, 0 to 1, that findings of severity warning or more concern: their shares added up, one that
 * is not known being all. 0: there are none.
 */
double findings_concern(const struct findings *f);

/*
 * Print them, sorted, of one code 8 or with -v all, on standard error; lines of 80 columns if that is a terminal. Silent after
 * log_set_level(-1).
 */
void findings_print(struct findings *f);
/*
 * The same for people: the worst two of those that matter, each a sentence, and one line that counts the others. Leaves out
 * the worst @printed, which stand there already.
 */
void findings_print_few(struct findings *f, size_t printed);
/* The same where nothing follows: the worst one of those that matter with its remedy, and one line that counts the others. */
void findings_print_worst(struct findings *f);

#endif
