/*
 * Writes the joined call tree of two recordings (joined_tree.h) as differential folded stacks, for prec diff --folded.
 * Layer: diff
 */
#include "core/show/diff/folded_diff.h"

#include "core/base/buf.h"
#include "core/show/diff/joined_tree.h"

/* Replaces characters that would end a frame or a line, and blanks of comms, as stackcollapse-perf.pl does. */
static void put_name(const struct joined_node *n, struct buf *out)
{
	for (const char *c = n->name; *c; c++)
		if (*c == ';')
			buf_putc(out, ':');
		else if ((unsigned char)*c < ' ' || *c == 0x7f)
			buf_putc(out, '?');
		else
			buf_putc(out, n->comm && *c == ' ' ? '_' : *c);
}

static void put_stack(const struct joined_tree *t, uint32_t stack, struct buf *out)
{
	VEC(uint32_t) path = {0};

	for (uint32_t n = stack; n != JOINED_ROOT; n = t->nodes.v[n].parent)
		vec_push(&path, n);
	for (size_t i = path.nr; i-- > 0;) {
		put_name(&t->nodes.v[path.v[i]], out);
		buf_puts(out, i ? ";" : "");
	}
	buf_printf(out, " %.0f %.0f\n", t->nodes.v[stack].self[SIDE_A], t->nodes.v[stack].self[SIDE_B]);
	vec_free(&path);
}

void folded_diff_put(const struct joined_tree *t, struct buf *out)
{
	for (uint32_t i = 1; i < t->nodes.nr; i++)
		if (t->nodes.v[i].self[SIDE_A] > 0 || t->nodes.v[i].self[SIDE_B] > 0)
			put_stack(t, i, out);
}
