/*
 * Stores the source file and line number of each line of an annotated listing, so that the browser can open an editor there. The
 * path of each file is stored once.
 */
#include "core/code/code_lines.h"

#include "core/base/util.h"

/* Keeps each file's path once. The search begins with the newest, because successive lines are mostly from one file. */
static const char *keep_file(struct code_lines *l, const char *file)
{
	for (size_t i = l->files.nr; i; i--)
		if (str_eq(l->files.v[i - 1], file))
			return l->files.v[i - 1];
	vec_push(&l->files, xstrdup(file));
	return l->files.v[l->files.nr - 1];
}

void code_lines_add(struct code_lines *l, const char *file, uint32_t line, bool is_insn)
{
	bool known = file && *file && line;

	vec_push(&l->list, ((struct code_line){ .file = known ? keep_file(l, file) : NULL, .line = known ? line : 0,
						.is_insn = is_insn, .target = CODE_NO_LINE }));
}

const char *code_lines_place(const struct code_lines *l, size_t number, uint32_t *line)
{
	const struct code_line *at = number < l->list.nr ? &l->list.v[number] : NULL;

	if (!at || !at->file)
		return NULL;
	*line = at->line;
	return at->file;
}

void code_lines_release(struct code_lines *l)
{
	vec_for(file, &l->files)
		free(*file);
	vec_free(&l->files);
	vec_free(&l->list);
}
