/*
 * Finds which functions of the two recordings that prec diff compares are the same, even if the program was rebuilt in between.
 * diff.h and joined_tree.h then compare the samples of both versions of a function.
 */
#ifndef CORE_SHOW_DIFF_MATCH_H
#define CORE_SHOW_DIFF_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct profile;

enum diff_side { SIDE_A, SIDE_B, NR_SIDES };

struct diff_run {			/* one recording of a side */
	const struct profile *profile;	/* borrowed */
	uint32_t event;			/* number in the profile */
	enum diff_side side;
	double seconds;			/* the length of the recording; 0: not known */
	bool damaged;			/* the file is cut or damaged: not all that was recorded is in the profile */
};

struct match;

/*
 * Functions match by name, even if their file was renamed. Clones made by the compiler (f.cold, f.part.0, f.constprop.0, f.isra.0)
 * count as f if one recording lacks one of them. A function that is inlined in only one recording matches its symbol in the other.
 * A renamed function matches by its callers, callees and size. Only the profiles are read, not the program files.
 *
 * @runs is borrowed for the call, the profiles for as long as the match lives. Owned by the caller: match_free().
 */
struct match *match_new(const struct diff_run *runs, size_t nr);
void match_free(struct match *m);

/* The number, equal in all runs, of the function for which samples at @stack of @run count. UINT32_MAX: none is known. */
uint32_t match_of_stack(const struct match *m, size_t run, uint32_t stack);
/* The names of the function and of its file; borrowed. A function without a symbol has the name of its file in brackets. */
const char *match_name(const struct match *m, uint32_t function);
const char *match_dso(const struct match *m, uint32_t function);
/* The name on side A of threads named @comm on @side: that of their program, if it was renamed. Borrowed from @m or @comm. */
const char *match_comm(const struct match *m, enum diff_side side, const char *comm);
/* True if the function has no symbol, so that match_name() is made from its file's name. */
bool match_is_unnamed(const struct match *m, uint32_t function);
/* Appends all names, one a line, of functions that match_name() calls @name; with @file, of files by match_dso(). */
void match_put_names(const struct match *m, bool file, const char *name, struct buf *out);
/* Appends how @function was matched: "inlined in B", "renamed g in B". Appends nothing if the names are equal. */
void match_put_note(const struct match *m, uint32_t function, struct buf *out);
/* Appends a line for each file that was matched to one with another name: @before and a sentence. */
void match_put_files(const struct match *m, const char *before, struct buf *out);

#endif
