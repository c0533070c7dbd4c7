/*
 * Writes the HTML page of prec diff --format html from the template tree_page.html. The call tree, as JSON, replaces the mark
 * @DATA@. The build has already replaced @NAMES@ by the script core/show/export/html/names.js.
 */
#include "core/show/diff/tree_page.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/show/diff/joined_tree.h"

#define PLACE "@DATA@"

#ifndef TREE_PAGE
#define TREE_PAGE "core/show/diff/tree_page.html"	/* the template, for tools that compile this file without the Makefile */
#endif

extern const char tree_page[];		/* ends with NUL */

__asm__(".pushsection .rodata\n"
	".global tree_page\n"
	"tree_page:\n"
	".incbin \"" TREE_PAGE "\"\n"
	".byte 0\n"
	".popsection\n");

/* Writes each name once. number[] gets the index of each node's name. */
static void put_names(const struct joined_tree *t, uint32_t *number, struct json *j)
{
	struct index by_name = {0};
	VEC(const char *) names = {0};

	json_key_open(j, "names", '[');
	for (size_t n = 0; n < t->nodes.nr; n++) {
		const char *name = t->nodes.v[n].name;
		uint64_t h = hash_u64((uintptr_t)name);
		uint32_t pos = INDEX_END;

		index_for(at, &by_name, h)
			if (names.v[at] == name)
				pos = at;
		if (pos == INDEX_END) {
			pos = (uint32_t)names.nr;
			index_add(&by_name, h, pos);
			vec_push(&names, name);
			json_string(j, name);
		}
		number[n] = pos;
	}
	json_close(j, ']');
	vec_free(&names);
	index_release(&by_name);
}

static void put_nodes(const struct joined_tree *t, const uint32_t *number, struct json *j)
{
	int digits = t->per == PER_TOTAL ? 9 : t->per == PER_RUN ? 0 : 6;

	json_key_open(j, "nodes", '[');
	for (size_t i = 0; i < t->nodes.nr; i++) {
		const struct joined_node *n = &t->nodes.v[i];

		json_u64(j, n->parent);
		json_u64(j, number[i]);
		json_fixed(j, n->self[SIDE_A], digits);
		json_fixed(j, n->self[SIDE_B], digits);
	}
	json_close(j, ']');
}

static void put_data(const struct joined_tree *t, const char *event, const struct tree_page_words *words, struct buf *out)
{
	uint32_t *number = xcalloc(t->nodes.nr, sizeof(*number));
	struct json j = { .out = out };

	json_open(&j, '{');
	json_key_string(&j, "event", event);
	json_key_string(&j, "a", words->sides[SIDE_A]);
	json_key_string(&j, "b", words->sides[SIDE_B]);
	json_key_string(&j, "findings", words->findings);
	json_key_string(&j, "unit", t->per == PER_TOTAL ? "share" : t->unit == PROFILE_NS ? "ns" : "count");
	put_names(t, number, &j);
	put_nodes(t, number, &j);
	json_close(&j, '}');
	free(number);
}

void tree_page_put(const struct joined_tree *t, const char *event, const struct tree_page_words *words, struct buf *out)
{
	const char *place = strstr(tree_page, PLACE);

	buf_put(out, tree_page, (size_t)(place - tree_page));
	put_data(t, event, words, out);
	buf_puts(out, place + strlen(PLACE));
}
