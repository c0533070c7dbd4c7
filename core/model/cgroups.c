/*
 * Finds the path of a cgroup by the id in samples, from PERF_RECORD_CGROUP (Linux 5.7). Also gives each cgroup namespace a number,
 * which the sort key cgroup_id shows.
 */
#include "core/model/machine_state.h"

uint32_t machine_cgroup(const struct machine *m, uint64_t id)
{
	const struct cgroups *c = &m->cgroups;
	uint64_t h = hash_u64(id);

	if (!id)
		return CGROUP_NONE;
	index_for(pos, &c->by_id, h)
		if (c->list.v[pos].id == id)
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

uint32_t machine_add_cgroup_namespace(struct machine *m, const struct namespace_id *ns)
{
	struct cgroups *c = &m->cgroups;
	uint64_t h = hash_pair(ns->dev, ns->ino);

	if (!ns->dev && !ns->ino)
		return 0;
	index_for(pos, &c->by_namespace, h)
		if (c->namespaces.v[pos].dev == ns->dev && c->namespaces.v[pos].ino == ns->ino)
			return pos + 1;
	index_add(&c->by_namespace, h, (uint32_t)c->namespaces.nr);
	vec_push(&c->namespaces, *ns);
	return (uint32_t)c->namespaces.nr;
}

struct namespace_id machine_cgroup_namespace(const struct machine *m, uint32_t number)
{
	return number ? m->cgroups.namespaces.v[number - 1] : (struct namespace_id){0};
}

void cgroups_release(struct cgroups *c)
{
	vec_free(&c->list);
	index_release(&c->by_id);
	vec_free(&c->namespaces);
	index_release(&c->by_namespace);
}
