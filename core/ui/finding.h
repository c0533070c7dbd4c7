/*
 * Collects findings, which are problems of a recording or facts that its reader should know, such as lost samples, damage and
 * missing symbols. finding_sentences.h has the sentence of each finding.
 */
#ifndef CORE_UI_FINDING_H
#define CORE_UI_FINDING_H

#include "core/ui/finding_sentences.h"
#include "core/base/vec.h"

struct buf;
struct json;

enum finding_severity {
	FINDING_NOTE,		/* good to know; the numbers are right, or nearly so */
	FINDING_WARNING,	/* the numbers lack something, or are less certain than they look */
	FINDING_DAMAGE,		/* the recording is not what its recorder wrote */
};

#define FINDING_IDENTIFIER(id, name, severity, sentence, remedy) FINDING_##id,
enum finding_code { FINDING_CODES(FINDING_IDENTIFIER) FINDING_NR };
#undef FINDING_IDENTIFIER

struct finding {
	enum finding_code code;
	uint64_t count;		/* the number in the sentence of the code; never 0 */
	uint64_t of;		/* the total; 0: unknown, or the finding has no total */
	double share;		/* share of the recording's samples that it affects, 0 to 1; below 0: unknown */
	char *where;		/* owned; the place; may have any bytes, as it may be from a file. NULL: none */
	char *remedy;		/* owned; a remedy for this recording; NULL: that of the code */
};

/* Readers of a recording or of a profile add findings to its list. A command prints the list once, at its end. */
struct findings { VEC(struct finding) list; };	/* = {0}; findings_release() */

/*
 * Adds @count of @of (0: unknown), if need be to the finding of the same code and place; @count 0: adds nothing. @where is copied,
 * and may be NULL. The share is @count of @of; if these are not samples, use findings_add_share().
 */
void findings_add(struct findings *f, enum finding_code code, uint64_t count, uint64_t of, const char *where);
void findings_add_share(struct findings *f, enum finding_code code, uint64_t count, uint64_t of, const char *where,
			double share);
void findings_merge(struct findings *f, const struct findings *other);
/* Like findings_merge(), but of findings with the same code and place, which counted the same thing, keeps the larger count. */
void findings_unite(struct findings *f, const struct findings *other);
/* Sorts by severity, share (unknown of a note: 0), table, place. Joins a loss with its remedy, and broken chains of both kinds. */
void findings_sort(struct findings *f);
void findings_release(struct findings *f);

/* The name of the code, such as "lost-samples". */
const char *finding_name(enum finding_code code);
/* The severity of the code; but a warning that affects less than FINDING_LEAST of the samples is a note. */
enum finding_severity finding_severity(const struct finding *f);
const char *finding_severity_name(enum finding_severity severity);
/* Appends the sentence in one line without control characters. finding_remedy() appends the remedy. */
void finding_sentence(const struct finding *f, struct buf *out);
/* Like finding_sentence(), but with only the first name of a list of names, so that the verb comes early: "of a, ... lack". */
void finding_short_sentence(const struct finding *f, struct buf *out);
void finding_remedy(const struct finding *f, struct buf *out);

/* Appends a finding as commands print it, with the remedy on indented lines if @with_remedy. @wrap: in lines of 80 columns. */
void finding_put(const struct finding *f, bool wrap, bool with_remedy, struct buf *out);

/* Appends JSON: an array of objects, in the list's order. */
void findings_json(const struct findings *f, struct json *out);

#define FINDING_LEAST 0.01	/* share of the samples; less is noise to a user */
#define FINDING_MUCH 0.1	/* share of the samples; if so many have no name, the user must know */

/* True for damage and warnings, and if FINDING_MUCH of the samples or more have no name. */
bool finding_matters(const struct finding *f);
bool findings_have(const struct findings *f, enum finding_severity at_least);
/* The share of the samples, 0 to 1, that findings of severity warning or more affect: a sum, in which an unknown share is 1. */
double findings_concern(const struct findings *f);

/* Sorts the findings and prints them on standard error, at most 8 of each code without -v. Silent after log_set_level(-1). */
void findings_print(struct findings *f);
/* Prints the worst two that matter, without the worst @printed, which were printed before, and a line that counts the others. */
void findings_print_few(struct findings *f, size_t printed);
/* Prints the worst finding that matters, with its remedy, and a line that counts the others. */
void findings_print_worst(struct findings *f);

#endif
