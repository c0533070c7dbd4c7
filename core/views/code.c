/* Open files by dso number; a file whose build id is not the recorded one counts as gone. Layer: views */
#include "core/views/code.h"

#include <errno.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/vec.h"
#include "core/model/dso.h"

#define NOT_TRIED	(-1)
#define GONE		(-2)

struct code_files {
	const char *symfs;
	VEC(int) fds;		/* by dso number: a file, NOT_TRIED or GONE */
};

struct code_files *code_files_new(const char *symfs)
{
	struct code_files *c = xcalloc(1, sizeof(*c));

	c->symfs = symfs ? symfs : "";
	return c;
}

void code_files_free(struct code_files *c)
{
	if (!c)
		return;
	vec_for(fd, &c->fds)
		if (*fd >= 0)
			close(*fd);
	vec_free(&c->fds);
	free(c);
}

static int open_dso(const struct code_files *c, const struct dso *dso)
{
	char *path;
	struct build_id id;
	int fd = GONE;

	if (dso->kind != DSO_USER)
		return GONE;
	path = xasprintf("%s%s", c->symfs, dso->path);
	if (!dso->build_id.size || (!build_id_of_file(&id, path) && build_id_equal(&id, &dso->build_id)))
		fd = open_regular(path);
	free(path);
	return fd < 0 ? GONE : fd;
}

size_t code_read(struct code_files *c, const struct dso *dso, uint64_t file_offset, void *out, size_t n)
{
	int64_t got;

	while (c->fds.nr <= dso->number)
		vec_push(&c->fds, NOT_TRIED);
	if (c->fds.v[dso->number] == NOT_TRIED)
		c->fds.v[dso->number] = open_dso(c, dso);
	if (c->fds.v[dso->number] < 0)
		return 0;
	got = read_at(c->fds.v[dso->number], out, n, file_offset);
	return got < 0 ? 0 : (size_t)got;
}
