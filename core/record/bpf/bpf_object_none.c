/*
 * Replaces bpf_object.c in a build without libbpf. An event with a BPF program (--bpf) then fails with the error that prec was
 * built without libbpf.
 */
#include "core/record/bpf/bpf_object.h"

#include "core/base/log.h"
#include "core/record/events/event_request.h"

int user_objects_load(struct user_objects *out, const struct event_requests *events)
{
	*out = (struct user_objects){ .stats = -1 };
	vec_for(r, &events->list)
		if (r->bpf)
			return error("cannot load '%s' for event '%s': this prec was built without libbpf (libbpf-dev)", r->bpf,
				     r->name);
	return 0;
}

void user_objects_close(struct user_objects *o)
{
}

int user_objects_program(const struct user_objects *o, const struct event_request *r)
{
	(void)o, (void)r;
	return -1;
}

uint64_t user_program_runs(const struct user_objects *o, int program)
{
	(void)o, (void)program;
	return 0;
}

unsigned user_program_writes(const char *spec)
{
	return 0;
}

int user_objects_rings(const struct user_objects *o, struct user_rings **rings)
{
	*rings = NULL;
	return 0;
}

void user_rings_free(struct user_rings *r)
{
}

void user_rings_read(struct user_rings *r, user_record *take, void *ctx)
{
	(void)r, (void)take, (void)ctx;
}

uint64_t user_rings_full(const struct user_rings *r, const char **name)
{
	(void)r, (void)name;
	return 0;
}

int user_objects_write_to(const struct user_objects *o, unsigned cpu, int fd)
{
	(void)o, (void)cpu, (void)fd;
	return 0;
}

void user_objects_put_maps(const struct user_objects *o, bool changes, struct buf *out)
{
	(void)o, (void)changes, (void)out;
}

void user_objects_put_json(const struct user_objects *o, bool changes, struct json *out)
{
	(void)o, (void)changes, (void)out;
}
