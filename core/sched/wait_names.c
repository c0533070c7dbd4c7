/*
 * Writes the names of locks, and of other objects that threads waited for, and the names of the threads that held them. A name is
 * looked up whenever it is printed, without a cache, because few names are printed.
 */
#include "core/sched/wait_names.h"

#include <inttypes.h>

#include "core/arch.h"
#include "core/base/buf.h"
#include "core/model/dso.h"
#include "core/read/session.h"
#include "core/sched/wait_samples.h"

static void put_far(struct buf *out, const char *name, uint64_t far)
{
	buf_puts(out, name);
	if (far)
		buf_printf(out, "+%#" PRIx64, far);
}

/* Appends the name of the variable at the lock's address, or of the mapping that contains it. */
static void put_address(const struct session *s, const struct wait_lock *lock, struct buf *out)
{
	struct machine *m = session_machine(s);
	struct context_cache *cache = context_cache_new(m);
	uint32_t space = machine_context(cache, lock->pid, lock->pid, lock->time)->user_space;
	struct addr_location at;

	machine_resolve_data(m, space, lock->value, &at);
	if (at.symbol)
		put_far(out, at.symbol->name, at.addr - at.symbol->start);
	else if (at.map && at.dso->kind == DSO_ANON)
		put_far(out, "unnamed memory", lock->value - at.map->start);
	else if (at.map)
		put_far(out, at.dso->name, lock->value - at.map->start);
	else
		buf_printf(out, "%#" PRIx64, lock->value);
	context_cache_free(cache);
}

void wait_lock_put(const struct session *s, uint32_t number, struct buf *out)
{
	const struct wait_lock *lock = &session_wait_locks(s)->list.v[number];

	switch ((enum arch_call_kind)lock->kind) {
	case CALL_FUTEX:
	case CALL_FUTEX_WAIT:
		put_address(s, lock, out);
		break;
	case CALL_DESCRIPTOR:
		buf_printf(out, "fd %" PRId32, (int32_t)lock->value);
		if (lock->name != WAIT_NO_NAME)
			buf_printf(out, " %s", session_features(s)->descriptors.v[lock->name].name);
		break;
	case CALL_CHILD:
		if ((int32_t)lock->value > 0)
			buf_printf(out, "pid %" PRId32, (int32_t)lock->value);
		else
			buf_puts(out, "any child");
		break;
	case CALL_NAMELESS:
		break;
	}
}

void wait_holder_put(const struct session *s, struct context_cache *cache, uint64_t holder, struct buf *out)
{
	const struct wait_task *t;

	switch (holder & ~(uint64_t)UINT32_MAX) {
	case WAIT_HOLDER_RELEASED:
		buf_puts(out, "released by ");
		/* fallthrough */
	case WAIT_HOLDER_TASK:
		t = &session_waits(s)->tasks.v[(uint32_t)holder];
		buf_printf(out, "%s/%" PRIu32, machine_context(cache, t->pid, t->tid, t->last)->comm, t->tid);
		break;
	case WAIT_HOLDER_NAME:
		buf_printf(out, "released by %s", machine_comm(session_machine(s), (uint32_t)holder));
		break;
	case WAIT_HOLDER_INTERRUPT:
		buf_puts(out, "[interrupt]");
		break;
	case WAIT_HOLDER_CPU:
		buf_puts(out, "[no CPU]");
		break;
	default:
		buf_puts(out, "[unknown]");
	}
}
