/* Stands in for bpf_object.c where libbpf is missing. Layer: bpf */
#include "core/record/bpf/bpf_object.h"

#include "core/base/log.h"
#include "core/record/events/event_request.h"

int user_program_load(struct user_program *out, const struct event_request *r)
{
	*out = (struct user_program){ .program = -1, .stats = -1 };
	return error("cannot load '%s' for event '%s': this prec was built without libbpf (libbpf-dev)", r->bpf, r->name);
}

uint64_t user_program_runs(const struct user_program *p)
{
	(void)p;
	return 0;
}

void user_program_close(struct user_program *p)
{
	(void)p;
}

unsigned user_program_writes(const char *spec)
{
	(void)spec;
	return 0;
}

int user_program_rings(const struct user_program *p, struct user_rings **rings)
{
	(void)p, (void)rings;
	return 0;
}

void user_rings_free(struct user_rings *r)
{
	(void)r;
}

void user_rings_take(struct user_rings *r, user_record *take, void *ctx)
{
	(void)r, (void)take, (void)ctx;
}

uint64_t user_rings_full(const struct user_rings *r, const char **name)
{
	(void)r, (void)name;
	return 0;
}

int user_program_write_to(const struct user_program *p, unsigned cpu, int fd)
{
	(void)p, (void)cpu, (void)fd;
	return 0;
}

void user_program_put_maps(const struct user_program *p, struct buf *out)
{
	(void)p, (void)out;
}
