/*
 * Implements the sort keys for the process, thread, cgroup, CPU and time of a sample, and for the number of threads that waited
 * for a CPU then. key.h describes what a sort key has to implement.
 */
#include "core/hists/key_table.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/read/item.h"
#include "core/perfdata/feature.h"
#include "core/model/machine.h"
#include "core/sched/runqueue.h"
#include "core/hists/key.h"
#include "core/hists/key_context.h"

static int comm_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	return strcmp(machine_comm(c->machine, (uint32_t)a), machine_comm(c->machine, (uint32_t)b));
}

static uint64_t comm_prefix(const struct key_context *c, uint64_t value, unsigned word)
{
	return key_text_prefix(machine_comm(c->machine, (uint32_t)value), word);
}

static void comm_print(const struct key_context *c, uint64_t value, struct buf *out)
{
	buf_puts(out, machine_comm(c->machine, (uint32_t)value));
}

static uint64_t folded_value(const struct key_context *c, const struct bucket_key *bucket)
{
	return c->folded_comm.v[bucket->comm];
}

static int folded_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	size_t x, y;
	const char *s = byte_table_get(&c->folded, (uint32_t)a, &x), *t = byte_table_get(&c->folded, (uint32_t)b, &y);

	return compare_bytes(s, x, t, y);
}

static void folded_print(const struct key_context *c, uint64_t value, struct buf *out)
{
	size_t n;
	const char *s = byte_table_get(&c->folded, (uint32_t)value, &n);

	buf_put(out, s, n);
}

ORDER(compare_tids, struct task_name, compare_numbers(a->tid, b->tid))

static void tid_print(const struct key_context *c, uint64_t value, struct buf *out)
{
	const struct task_name wanted = { .tid = (uint32_t)value };
	const struct task_name *found = c->tasks.nr ? bsearch(&wanted, c->tasks.v, c->tasks.nr, sizeof(wanted),
							      compare_tids) : NULL;

	buf_int(out, (int32_t)value, 7);
	buf_putc(out, ':');
	if (found) {
		buf_puts(out, machine_comm(c->machine, found->comm));
		return;
	}
	buf_putc(out, ':');
	buf_int(out, (int32_t)value, 0);
}

static void cpu_put(uint64_t value, struct buf *out)
{
	if (value == CPU_NONE)
		buf_puts(out, "-001");
	else
		buf_dec0(out, value, 3);
}

/* The socket of a CPU, or CPU_NONE if it is not known. */
static uint64_t socket_value(const struct key_context *c, const struct bucket_key *bucket)
{
	return bucket->cpu < c->features->cpu_topology.nr ? c->features->cpu_topology.v[bucket->cpu].socket : CPU_NONE;
}

static uint64_t tgid_word(const struct sample_view *v)
{
	return v->item->sample->pid;
}

/* Orders cgroups by their ids, as perf does. */
static int cgroup_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	if (a == CGROUP_NONE || b == CGROUP_NONE || a == CGROUP_UNKNOWN || b == CGROUP_UNKNOWN)
		return compare_numbers(a, b);
	return compare_numbers(machine_cgroup_id(c->machine, (uint32_t)a), machine_cgroup_id(c->machine, (uint32_t)b));
}

static void cgroup_print(const struct key_context *c, uint64_t value, struct buf *out)
{
	buf_puts(out, value == CGROUP_NONE ? "N/A" : value == CGROUP_UNKNOWN ? "unknown" :
		      machine_cgroup_path(c->machine, (uint32_t)value));
}

static uint64_t cgroup_id_word(const struct sample_view *v)
{
	return v->item->context->cgroup_ns;
}

static int cgroup_id_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	struct namespace_id x = machine_cgroup_namespace(c->machine, (uint32_t)a);
	struct namespace_id y = machine_cgroup_namespace(c->machine, (uint32_t)b);

	return x.dev != y.dev ? compare_numbers(y.dev, x.dev) : compare_numbers(y.ino, x.ino);
}

static void cgroup_id_print(const struct key_context *c, uint64_t value, struct buf *out)
{
	struct namespace_id ns = machine_cgroup_namespace(c->machine, (uint32_t)value);

	buf_dec(out, ns.dev, 0);
	buf_puts(out, "/0x");
	buf_hex(out, ns.ino, 0);
}

static void queue_put(uint64_t value, struct buf *out)
{
	if (value == RUNQUEUE_UNKNOWN)
		buf_puts(out, "-1");
	else
		buf_dec(out, value, 0);
}

static uint64_t time_value(const struct key_context *c, const struct bucket_key *bucket)
{
	return bucket->slot;
}

static void time_print(const struct key_context *c, uint64_t value, struct buf *out)
{
	uint64_t ns = value * c->slot_ns + c->slot_from;

	buf_dec(out, ns / 1000000000, 0);
	buf_putc(out, '.');
	if (c->nanoseconds)
		buf_dec0(out, ns % 1000000000, 9);
	else
		buf_dec0(out, ns % 1000000000 / 1000, 6);
}

static const struct key keys[] = {
	{ "pid", "tid", "    Pid:Command", NEED_TID, KEY_TASK, 15, .member = KEY_MEMBER(tid), .print = tid_print },
	{ "comm", NULL, "Command", NEED_COMM, 0, 7, .member = KEY_MEMBER(comm), .order = comm_order, .prefix = comm_prefix,
	  .print = comm_print },
	{ "comm_nodigit", NULL, "CommandNoDigit", NEED_COMM | NEED_FOLDED, 0, 14, .value = folded_value, .order = folded_order,
	  .print = folded_print },
	{ "cpu", NULL, "CPU", NEED_CPU, KEY_RIGHT, 3, .member = KEY_MEMBER(cpu), .put = cpu_put },
	{ "tgid", NULL, "   Tgid:Command", NEED_WORDS, KEY_TASK, 15, .word = tgid_word, .print = tid_print },
	{ "socket", NULL, "Socket", NEED_CPU, KEY_RIGHT, 6, .value = socket_value, .put = cpu_put },
	{ "cgroup", NULL, "Cgroup", NEED_CGROUP, 0, 6, .member = KEY_MEMBER(cgroup), .order = cgroup_order, .print = cgroup_print },
	{ "cgroup_id", NULL, "cgroup id (dev/inode)", NEED_WORDS, KEY_RAGGED, 21, .word = cgroup_id_word,
	  .order = cgroup_id_order, .print = cgroup_id_print },
	{ "runqlen", NULL, "Runqlen", NEED_QUEUE, KEY_RIGHT, 7, .member = KEY_MEMBER(queue), .put = queue_put },
	{ "time", NULL, "Time", NEED_TIME, 0, 12, .value = time_value, .print = time_print },
};

const struct key_table task_keys = { keys, ARRAY_SIZE(keys), "whose, where, when" };
