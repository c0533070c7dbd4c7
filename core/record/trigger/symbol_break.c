/*
 * Finds the addresses of breakpoints on symbols (-e mem:NAME) in the recorded program, and stores them in the events' attrs.
 * Moves breakpoints that were opened before the program was loaded. core/record/events/breakpoint.c looks up the symbols.
 */
#include "core/record/trigger/symbol_break.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "core/base/file.h"
#include "core/base/log.h"
#include "core/record/events/breakpoint.h"

#define MAX_STACK "/proc/sys/kernel/perf_event_max_stack"

bool symbol_breaks_any(const struct event_requests *events)
{
	vec_for(r, &events->list)
		if (r->symbol)
			return true;
	return false;
}

int symbol_breaks_locate(struct event_requests *events, pid_t pid)
{
	vec_for(r, &events->list) {
		uint64_t addr;
		int err = r->symbol ? breakpoint_locate(r, pid, &addr) : 0;

		if (err == -ENOENT)
			return error("event '%s': the program has no symbol '%s'", r->name, r->symbol);
		if (err)
			return error("event '%s': cannot read the program's symbols: %s", r->name,
				     err == -ENOEXEC ? "it is no ELF file" : strerror(-err));
		if (!r->symbol)
			continue;
		r->attr.bp_addr = addr;
		debug(1, "event '%s' is at 0x%llx", r->name, (unsigned long long)addr);
	}
	return 0;
}

/* Moves an opened breakpoint. The kernel compares the other fields with its own attr, in which it changed some. */
static int move(int fd, const struct event_attr *attr, bool enable)
{
	struct event_attr a = *attr;
	long long max;

	a.enable_on_exec = 0;
	a.disabled = !enable;
	if (a.sample_type & PERF_SAMPLE_CALLCHAIN && !a.sample_max_stack && !read_int_of(MAX_STACK, &max))
		a.sample_max_stack = (uint16_t)max;
	return ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &a) ? -errno : 0;
}

/*
 * If prec starts the program, the breakpoint is opened at address 0, where nothing is mapped, and is moved
 * (PERF_EVENT_IOC_MODIFY_ATTRIBUTES, Linux 4.17) when the program has been loaded.
 */
int symbol_breaks_place(struct event_set *set, struct event_requests *events, pid_t pid, bool enable)
{
	if (symbol_breaks_locate(events, pid))
		return -1;
	vec_for(e, &set->opened) {
		const struct event_request *r = e->request;
		struct event_attr *attr = &set->table.events.v[e->event]->attr;
		int err;

		if (!r || !r->symbol)
			continue;
		attr->bp_addr = r->attr.bp_addr;
		err = move(e->fd, attr, enable);
		if (err)
			return error("cannot put the breakpoint '%s' at 0x%llx: %s", r->name,
				     (unsigned long long)attr->bp_addr, strerror(-err));
	}
	return 0;
}
