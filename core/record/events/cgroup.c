/*
 * Finds and opens the directories of cgroups (option -G) below the mount point of the cgroup file system. It also computes the
 * ids of cgroups for CGROUP records: a cgroup's id is the file handle of its directory (name_to_handle_at(2)).
 */
#include "core/record/events/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/record/events/event_request.h"
#include "core/perfdata/record.h"

/* Finds the mount point of the cgroup hierarchy to use. Owned by the caller; NULL if none is mounted. */
static char *find_root(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *m;
	char *root = NULL;

	while (mounts && (m = getmntent(mounts))) {
		bool old = str_eq(m->mnt_type, "cgroup") && hasmntopt(m, "perf_event");

		if (!old && (root || !str_eq(m->mnt_type, "cgroup2")))
			continue;
		free(root);
		root = xstrdup(m->mnt_dir);
		if (old)
			break;
	}
	if (mounts)
		endmntent(mounts);
	return root;
}

/* ---- -G ---- */

static void put_into(struct event_request *r, const char *name, size_t n)
{
	free(r->cgroup);
	r->cgroup = xstrndup(name, n);
}

int cgroup_assign(struct event_requests *events, const char *names)
{
	if (!events->list.nr)
		return error("option '-G' is for the events before it: give -e first, as in -a -e cpu-clock -G %s", names);
	for (const char *name = names;; name++) {
		size_t n = strcspn(name, ",");

		if (events->nr_cgroups == events->list.nr)
			return error("option '-G' names more cgroups than there are events before it: '%s' is too many", name);
		if (n)
			put_into(&events->list.v[events->nr_cgroups], name, n);
		events->nr_cgroups++;
		name += n;
		if (!*name)
			break;
	}
	for (size_t i = 1; events->nr_cgroups == 1 && events->list.v[0].cgroup && i < events->list.nr; i++)
		put_into(&events->list.v[i], events->list.v[0].cgroup, strlen(events->list.v[0].cgroup));
	return 0;
}

static int open_one(struct event_request *r, const char *root)
{
	char *path;

	if (!root)
		return error("cannot open cgroup '%s': neither cgroups of version 2 nor perf_event of version 1 are mounted",
			     r->cgroup);
	path = xasprintf("%s/%s", root, r->cgroup);
	r->cgroup_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->cgroup_fd < 0)
		error("cannot open cgroup '%s': '%s': %s", r->cgroup, path, strerror(errno));
	free(path);
	return r->cgroup_fd < 0 ? -1 : 0;
}

int cgroup_open_all(struct event_requests *events)
{
	char *root = NULL;
	int err = 0;

	vec_for(r, &events->list) {
		if (!r->cgroup || err)
			continue;
		if (!root)
			root = find_root();
		err = open_one(r, root);
	}
	free(root);
	return err;
}

/* ---- what there is ---- */

struct cgroup_scan {
	struct buf *out;
	const struct sample_layout *layout;
	uint64_t id;
	size_t root_len;		/* length of the hierarchy's mount point, which is left out of paths in records */
};

/* Returns the id of a cgroup, or 0 if the directory is gone or the kernel has no file handles for it. */
static uint64_t id_of(const char *path)
{
	union { struct file_handle h; char room[sizeof(struct file_handle) + sizeof(uint64_t)]; } u = {
		.h.handle_bytes = sizeof(uint64_t),
	};
	uint64_t id = 0;
	int mount;

	if (!name_to_handle_at(AT_FDCWD, path, &u.h, &mount, 0) && u.h.handle_bytes == sizeof(id))
		memcpy(&id, u.room + sizeof(u.h), sizeof(id));
	return id;
}

static void synthesize_one(struct cgroup_scan *s, const char *path)
{
	struct record r = { .header.type = PERF_RECORD_CGROUP, .cgroup.id = id_of(path) };

	if (!r.cgroup.id)
		return;
	r.cgroup.path = path[s->root_len] ? path + s->root_len : "/";
	r.id.id = s->id;
	record_append(s->out, s->layout, &r);
}

static void synthesize_below(struct cgroup_scan *s, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;

	synthesize_one(s, path);
	while (dir && (d = readdir(dir))) {
		char *below;

		if (d->d_type != DT_DIR || d->d_name[0] == '.')
			continue;
		below = xasprintf("%s/%s", path, d->d_name);
		synthesize_below(s, below);
		free(below);
	}
	if (dir)
		closedir(dir);
}

void cgroup_synthesize(struct buf *out, const struct sample_layout *layout, uint64_t id)
{
	char *root = find_root();
	struct cgroup_scan s = { .out = out, .layout = layout, .id = id, .root_len = root ? strlen(root) : 0 };

	if (root)
		synthesize_below(&s, root);
	free(root);
}
