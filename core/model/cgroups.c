/* Cgroups by their ids, from PERF_RECORD_CGROUP (Linux 5.7). Layer: model */
#include "core/model/machine_state.h"

uint32_t machine_cgroup(const struct machine *m, uint64_t id)
{
	const struct cgroups *c = &m->cgroups;
	uint64_t h = hash_u64(id);
	uint32_t pos;

	if (!id)
		return CGROUP_NONE;
	for (size_t i = index_first(&c->by_id, h); (pos = index_at(&c->by_id, i, h)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && c->list.v[pos].id == id)
			return pos + 1;
	return CGROUP_UNKNOWN;
}

const char *machine_cgroup_path(const struct machine *m, uint32_t cgroup)
{
	return m->cgroups.list.v[cgroup - 1].path;
}

uint64_t machine_cgroup_id(const struct machine *m, uint32_t cgroup)
{
	return m->cgroups.list.v[cgroup - 1].id;
}

void machine_add_cgroup(struct machine *m, uint64_t id, const char *path)
{
	if (!id || machine_cgroup(m, id) != CGROUP_UNKNOWN)
		return;
	index_add(&m->cgroups.by_id, hash_u64(id), (uint32_t)m->cgroups.list.nr);
	vec_push(&m->cgroups.list, (struct cgroup){ id, intern_printable(m->strings, path) });
}

void cgroups_release(struct cgroups *c)
{
	vec_free(&c->list);
	index_release(&c->by_id);
}
