/*
 * Collects findings, which are problems of a recording or facts that its reader should know, such as lost samples, damage and
 * missing symbols. A finding consists of a code and numbers, and core/ui/finding_codes.h has the sentence of each code. Every
 * layer adds findings to the list of the recording or of the profile, and a command prints the list once, at its end.
 * Layer: ui
 */
#ifndef CORE_UI_FINDING_H
#define CORE_UI_FINDING_H

#include "core/ui/finding_codes.h"
#include "core/base/vec.h"

struct buf;
struct json;

enum finding_severity {
	FINDING_NOTE,		/* good to know; the numbers are right */
	FINDING_WARNING,	/* the numbers lack something, or are less certain than they look */
	FINDING_DAMAGE,		/* the recording is not what its recorder wrote */
};

#define FINDING_IDENTIFIER(id, name, severity, sentence, remedy) FINDING_##id,
enum finding_code { FINDING_CODES(FINDING_IDENTIFIER) FINDING_NR };
#undef FINDING_IDENTIFIER

struct finding {
	enum finding_code code;
	uint64_t count;		/* the number in the sentence of the code; never 0 */
	uint64_t of;		/* the total; 0: unknown, or there is none */
	double share;		/* share of the recording's samples that it affects, 0 to 1; below 0: unknown */
	char *where;		/* owned; the place; may have any bytes, as it may be from a file. NULL: none */
	char *remedy;		/* owned; of this recording; NULL: that of the code */
};

struct findings { VEC(struct finding) list; };	/* = {0}; findings_release() */

/*
 * Adds a finding with @count (0: adds nothing) of @of (0: unknown); if there is one of the same code and place, adds to its
 * counts. @where is copied, and may be NULL. The share is @count of @of; use findings_add_share() for findings that do not count
 * samples.
 */
void findings_add(struct findings *f, enum finding_code code, uint64_t count, uint64_t of, const char *where);
void findings_add_share(struct findings *f, enum finding_code code, uint64_t count, uint64_t of, const char *where,
			double share);
/* Adds all of @other, which is not changed. */
void findings_merge(struct findings *f, const struct findings *other);
/*
 * As findings_merge(), but if both have a finding with the same code and place, keeps the larger count, because both found the
 * same.
 */
void findings_unite(struct findings *f, const struct findings *other);
/*
 * Sorts by severity (most severe first), share, order in the table, place. Merges findings with one cause for the user: a loss and
 * its remedy, broken chains with and without known maps.
 */
void findings_sort(struct findings *f);
void findings_release(struct findings *f);

/* "lost-samples" */
const char *finding_name(enum finding_code code);
enum finding_severity finding_severity(enum finding_code code);
/* "note", "warning", "damage" */
const char *finding_severity_name(enum finding_severity severity);
/* Append the sentence, or the remedy, in one line without control characters. */
void finding_sentence(const struct finding *f, struct buf *out);
/* The same as finding_sentence(), with only the first name of a list of names, so that the verb comes early: "of a, ... lack". */
void finding_short_sentence(const struct finding *f, struct buf *out);
void finding_remedy(const struct finding *f, struct buf *out);

/*
 * Appends a finding as commands print it: the sentence with its code, and if @with_remedy, the remedy on indented lines. @wrap:
 * lines of 80 columns, the first of which begins with "prec: ".
 */
void finding_put(const struct finding *f, bool wrap, bool with_remedy, struct buf *out);

/* Appends JSON: an array of objects, in the list's order. */
void findings_json(const struct findings *f, struct json *out);

#define FINDING_LEAST 0.01	/* share of the samples; less is noise to a user */

/* True if it is more than a note, and affects at least FINDING_LEAST of the samples or an unknown number. */
bool finding_matters(const struct finding *f);
bool findings_have(const struct findings *f, enum finding_severity at_least);
/*
 * The share of the samples, 0 to 1, that findings of severity warning or more affect: the sum of their shares, where an unknown
 * share counts as 1. 0: there are none.
 */
double findings_concern(const struct findings *f);

/*
 * Sorts findings and prints them on standard error, at most 8 of each code, with -v all; in lines of 80 columns if that is a
 * terminal. Silent after log_set_level(-1).
 */
void findings_print(struct findings *f);
/*
 * A short form for people: the worst two that matter, each as a sentence, and a line that counts the others. Leaves out the worst
 * @printed, printed before.
 */
void findings_print_few(struct findings *f, size_t printed);
/* The same where nothing follows: the worst one of those that matter with its remedy, and one line that counts the others. */
void findings_print_worst(struct findings *f);

#endif
