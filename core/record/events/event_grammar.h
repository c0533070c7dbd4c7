/*
 * Parses the argument of -e into a tree of events and groups, by the grammar below. event_resolve.h then looks up the names in the
 * tree.
 *
 *	list       := item { "," item }
 *	item       := event | [ word ] "{" event { "," event } "}" [ ":" modifiers ]
 *	event      := word [ ":" modifiers ]
 *	            | word "/" [ terms ] "/" [ [ ":" ] modifiers ]
 *	            | word ":" word [ "/" [ terms ] "/" ] [ ":" modifiers ]		(sys:name, a tracepoint)
 *	            | "mem:" place [ "/" length ] [ ":" access ] [ ":" modifiers ]	(access: some of r, w, x)
 *	            | "u:" path ":" place [ ":" modifiers ]
 *	            | ( "kprobe:" | "kretprobe:" | "p:" | "r:" ) place [ ":" modifiers ]
 *	terms      := term { "," term }
 *	term       := word [ "=" value ]
 *	place      := number | symbol [ "+" number ]; a probe may have "%return" after it
 *
 * Words, values, places and paths may be quoted. A value ends at a comma or slash. The value of the term "path" may contain
 * slashes, and ends at a comma, or at a slash before a comma, a colon, "}", a blank or the end.
 */
#ifndef CORE_RECORD_EVENTS_EVENT_GRAMMAR_H
#define CORE_RECORD_EVENTS_EVENT_GRAMMAR_H

#include "core/base/vec.h"
#include "core/record/events/event_lex.h"

enum node_kind { NODE_NAME, NODE_PAIR, NODE_TERMS, NODE_MEM, NODE_UPROBE, NODE_KPROBE };

struct term_node {
	struct word name, value;
	bool has_value;
};

struct term_list {
	VEC(struct term_node) list;
};

struct event_node {
	enum node_kind kind;
	struct word all;		/* the event as it was written, with its modifiers */
	struct word name;		/* PAIR, KPROBE: the word before the colon; UPROBE: the path */
	struct word second;		/* PAIR: the word after the colon; MEM, UPROBE, KPROBE: the place */
	struct word length, access;	/* MEM; n == 0: not given */
	struct word modifiers;		/* n == 0: none */
	struct term_list terms;		/* TERMS, PAIR */
	uint32_t group;			/* number in .groups; NO_GROUP: none */
};

#define NO_GROUP UINT32_MAX

struct group_node {
	struct word name, modifiers;	/* n == 0: none */
};

struct event_tree {
	VEC(struct event_node) events;
	VEC(struct group_node) groups;
};

/* Words are borrowed from @text. Returns 0, or -EINVAL with @err filled. Call event_tree_release() in either case. */
int event_tree_parse(struct event_tree *out, const char *text, struct event_error *err);
void event_tree_release(struct event_tree *t);

/* Parses the terms in a file of sysfs, such as "event=0x3c,umask=1". Words are borrowed from @text. Returns 0 or -EINVAL. */
int term_list_parse(struct term_list *out, const char *text);

#endif
