/*
 * Finds the build id of each mapped file for the feature section BUILD_ID of perf.data: in its MMAP2 record, or else in the file
 * itself. It does not look at samples, so the section also has files without samples.
 */
#include "core/record/live/mapped_files.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/intern.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/record.h"
#include "core/record/live/binary_saver.h"

/* Offsets into records, header included (perf_event_open(2)). */
#define PID_AT		8
#define MMAP_NAME_AT	40
#define MMAP2_ID_AT	40		/* the id's size and three bytes of zero, then the id; in place of the device */
#define MMAP2_NAME_AT	72
#define PATH_SIZE_MAX	4096

void mapped_files_init(struct mapped_files *f, enum mapped_ids wanted)
{
	*f = (struct mapped_files){ .wanted = wanted, .names = strtab_new() };
}

void mapped_files_release(struct mapped_files *f)
{
	strtab_free(f->names);
	vec_free(&f->list);
	index_release(&f->by_name);
}

/* Returns true if the file is known with this name and @id. If the size of @id is 0, any id will do. */
static bool is_known(const struct mapped_files *f, const char *name, const struct build_id *id)
{
	uint64_t h = hash_u64((uintptr_t)name);

	index_for(pos, &f->by_name, h)
		if (f->list.v[pos].name == name &&
		    (!id->size || build_id_equal(&f->list.v[pos].id, id)))
			return true;
	return false;
}

static void add(struct mapped_files *f, const char *name, const struct build_id *id)
{
	index_add(&f->by_name, hash_u64((uintptr_t)name), (uint32_t)f->list.nr);
	vec_push(&f->list, (struct mapped_binary){ name, *id });
}

/*
 * Takes the build id of a record, if it is valid. If another recorder requested build ids, the kernel sets their flag also in
 * records without one (seen on Linux 6.18).
 */
static void given_id(struct build_id *out, const uint8_t *record, const struct record_header *h)
{
	const uint8_t *at = record + MMAP2_ID_AT;	/* without an id, this is the major number of a disk, which is small */

	out->size = 0;
	if (h->type != PERF_RECORD_MMAP2 || !(h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) || at[0] < 16 || at[0] > BUILD_ID_MAX ||
	    at[1] || at[2] || at[3])
		return;
	out->size = at[0];
	memcpy(out->data, at + 4, at[0]);
}

/*
 * Reads the build id at once, through the process's root directory: the process may have other files than prec, and may end soon.
 */
static void read_id(struct build_id *out, const char *name, uint32_t pid, struct binary_saver *saver)
{
	char *path = xasprintf("/proc/%u/root%s", pid, name);

	if (build_id_of_file(out, path) && !(saver && binary_saver_build_id(saver, name, out)))
		out->size = 0;
	free(path);
}

void mapped_files_see(struct mapped_files *f, const void *record, size_t size, struct binary_saver *saver)
{
	const uint8_t *r = record;
	char name[PATH_SIZE_MAX];
	struct record_header h;
	struct build_id id;
	const char *kept;
	uint32_t pid;
	size_t at, n;

	memcpy(&h, r, sizeof(h));
	at = h.type == PERF_RECORD_MMAP ? MMAP_NAME_AT : MMAP2_NAME_AT;
	if (f->wanted == MAPPED_IDS_NONE || (h.type != PERF_RECORD_MMAP && h.type != PERF_RECORD_MMAP2) || size <= at)
		return;
	n = strnlen((const char *)r + at, MIN(size - at, sizeof(name) - 1));
	memcpy(name, r + at, n);
	name[n] = '\0';
	memcpy(&pid, r + PID_AT, sizeof(pid));
	given_id(&id, r, &h);
	if (name[0] != '/' || name[1] == '/' || pid == UINT32_MAX || (!id.size && f->wanted == MAPPED_IDS_GIVEN))
		return;
	kept = intern(f->names, name);
	if (is_known(f, kept, &id))
		return;
	if (!id.size)
		read_id(&id, name, pid, saver);
	add(f, kept, &id);
}

void mapped_files_see_all(struct mapped_files *f, const void *records, size_t n, struct binary_saver *saver)
{
	const uint8_t *p = records;
	struct record_header h;

	for (size_t at = 0; record_header_at(records, n, at, &h); at += h.size)
		mapped_files_see(f, p + at, h.size, saver);
}

void mapped_files_collect(struct mapped_files *to, struct mapped_files *from)
{
	vec_for(file, &from->list) {
		const char *kept = intern(to->names, file->name);

		if (!is_known(to, kept, &file->id))
			add(to, kept, &file->id);
	}
	from->list.nr = 0;
	index_release(&from->by_name);
}

void mapped_files_put(const struct mapped_files *f, struct features *out)
{
	vec_for(file, &f->list) {
		struct feature_build_id b = { .misc = PERF_RECORD_MISC_USER, .pid = -1, .id = file->id };

		if (!b.id.size && build_id_of_file(&b.id, file->name))
			continue;
		b.filename = xstrdup(file->name);
		vec_push(&out->build_ids, b);
	}
}
