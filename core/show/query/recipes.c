/*
 * Queries that come with prec, most of them what perf's scripts answered: perf script -s NAME.py. The recording must have the
 * tracepoints that the tables are named after.
 * Layer: query
 */
#include "core/show/query/query.h"

#include <stddef.h>

#include "core/base/buf.h"

/* Durations of calls: each return by the call of the same thread before it. */
#define CALLS										\
	"WITH calls AS (SELECT tid, comm, id, time AS begin, NULL AS ret, 0 AS done FROM raw_syscalls_sys_enter UNION ALL "	\
	"SELECT tid, comm, id, time, ret, 1 FROM raw_syscalls_sys_exit), "		\
	"pairs AS (SELECT comm, id, ret, done, begin - lag(begin) OVER w AS ns, lag(done) OVER w AS was "	\
	"FROM calls WINDOW w AS (PARTITION BY tid ORDER BY begin, done)) "

static const struct query_recipe recipes[] = {
	{ "top", "functions by their own time",
	  "SELECT symbol, dso, sum(samples) AS samples, round(100.0 * sum(period) / (SELECT sum(period) FROM sums), 2) AS percent\n"
	  "FROM sums GROUP BY symbol, dso ORDER BY percent DESC LIMIT 30" },
	{ "top-by-thread", "the three hottest functions of each thread",
	  "WITH s AS (SELECT tid, comm, symbol, sum(period) AS period FROM sums GROUP BY tid, comm, symbol),\n"
	  "r AS (SELECT *, row_number() OVER (PARTITION BY tid, comm ORDER BY period DESC) AS place FROM s)\n"
	  "SELECT comm, tid, symbol, period FROM r WHERE place <= 3 ORDER BY comm, tid, place" },
	{ "lines", "lines of source by their own time",
	  "SELECT file, line, symbol, sum(samples) AS samples FROM sums WHERE line IS NOT NULL\n"
	  "GROUP BY file, line, symbol ORDER BY samples DESC LIMIT 30" },
	{ "by-second", "samples and busy threads in each second",
	  "SELECT (time - (SELECT min(time) FROM samples)) / 1000000000 AS second, count(*) AS samples,\n"
	  "count(DISTINCT tid) AS threads FROM samples GROUP BY second ORDER BY second" },
	{ "stackcollapse", "folded stacks with their samples, for flame graphs",
	  "SELECT comm || ';' || coalesce(stack_text(stack), '[unknown]') || ' ' || sum(samples) AS folded\n"
	  "FROM sums GROUP BY comm, stack ORDER BY folded" },
	{ "callers", "who calls the hottest function, by samples",
	  "WITH hot AS (SELECT function FROM sums GROUP BY function ORDER BY sum(period) DESC LIMIT 1)\n"
	  "SELECT coalesce(f.symbol, '[none]') AS caller, sum(s.samples) AS samples FROM sums s JOIN hot USING (function)\n"
	  "LEFT JOIN frames f ON f.stack = s.stack AND f.level = 1 GROUP BY caller ORDER BY samples DESC" },
	{ "syscall-counts", "system calls by number (record -e raw_syscalls:sys_enter)",
	  "SELECT id, count(*) AS calls FROM raw_syscalls_sys_enter GROUP BY id ORDER BY calls DESC" },
	{ "syscall-counts-by-pid", "the same for each command and process",
	  "SELECT comm, pid, id, count(*) AS calls FROM raw_syscalls_sys_enter\n"
	  "GROUP BY comm, pid, id ORDER BY comm, pid, calls DESC" },
	{ "failed-syscalls", "system calls that failed, by command (record -e raw_syscalls:sys_exit)",
	  "SELECT comm, count(*) AS errors FROM raw_syscalls_sys_exit WHERE ret < 0 GROUP BY comm ORDER BY errors DESC" },
	{ "failed-syscalls-by-pid", "by process, call and error number",
	  "SELECT comm, pid, id, ret, count(*) AS errors FROM raw_syscalls_sys_exit WHERE ret < 0\n"
	  "GROUP BY comm, pid, id, ret ORDER BY comm, pid, errors DESC" },
	{ "syscall-times", "how long calls took (record -e 'raw_syscalls:*')",
	  CALLS "\nSELECT id, count(*) AS calls, sum(ns) AS ns, max(ns) AS longest FROM pairs WHERE done AND was = 0\n"
	  "GROUP BY id ORDER BY ns DESC" },
	{ "syscall-times-by-stack", "the same by the code that made them (record -g -e 'raw_syscalls:*')",
	  "WITH calls AS (SELECT tid, id, stack, time, 0 AS done FROM raw_syscalls_sys_enter UNION ALL\n"
	  "SELECT tid, id, stack, time, 1 FROM raw_syscalls_sys_exit),\n"
	  "pairs AS (SELECT id, done, lag(stack) OVER w AS at, time - lag(time) OVER w AS ns, lag(done) OVER w AS was\n"
	  "FROM calls WINDOW w AS (PARTITION BY tid ORDER BY time, done))\n"
	  "SELECT sum(ns) AS ns, count(*) AS calls, max(ns) AS longest, id, stack_text(at) AS stack FROM pairs\n"
	  "WHERE done AND was = 0 GROUP BY id, at ORDER BY ns DESC" },
	{ "rw-by-pid", "reads and writes with their bytes (record -e 'syscalls:sys_e*_read' -e 'syscalls:sys_e*_write')",
	  "SELECT comm, pid, 'read' AS call, count(*) AS calls, sum(max(ret, 0)) AS bytes, sum(ret < 0) AS errors\n"
	  "FROM syscalls_sys_exit_read GROUP BY comm, pid UNION ALL\n"
	  "SELECT comm, pid, 'write', count(*), sum(max(ret, 0)), sum(ret < 0) FROM syscalls_sys_exit_write\n"
	  "GROUP BY comm, pid ORDER BY bytes DESC" },
	{ "rw-by-file", "reads by descriptor with the bytes asked for (record -e syscalls:sys_enter_read)",
	  "SELECT comm, pid, fd, count(*) AS reads, sum(count) AS bytes FROM syscalls_sys_enter_read\n"
	  "GROUP BY comm, pid, fd ORDER BY bytes DESC" },
	{ "futex-contention", "waits on futexes by thread (record -e 'syscalls:sys_e*_futex')",
	  "WITH calls AS (SELECT tid, comm, uaddr, time AS begin, 0 AS done FROM syscalls_sys_enter_futex\n"
	  "WHERE op & 127 IN (0, 9) UNION ALL SELECT tid, comm, NULL, time, 1 FROM syscalls_sys_exit_futex),\n"
	  "pairs AS (SELECT comm, tid, done, lag(uaddr) OVER w AS uaddr, begin - lag(begin) OVER w AS ns,\n"
	  "lag(done) OVER w AS was FROM calls WINDOW w AS (PARTITION BY tid ORDER BY begin, done))\n"
	  "SELECT comm, tid, printf('%x', uaddr) AS lock, count(*) AS waits, avg(ns) AS average_ns FROM pairs\n"
	  "WHERE done AND was = 0 GROUP BY comm, tid, uaddr ORDER BY waits DESC" },
	{ "wakeup-latency", "from wake-up to running (record -a -e sched:sched_switch -e sched:sched_wakeup)",
	  "WITH e AS (SELECT _pid AS task, time AS at, 0 AS ran FROM sched_sched_wakeup UNION ALL\n"
	  "SELECT next_pid, time, 1 FROM sched_sched_switch),\n"
	  "p AS (SELECT ran, at - lag(at) OVER w AS ns, lag(ran) OVER w AS was\n"
	  "FROM e WINDOW w AS (PARTITION BY task ORDER BY at, ran))\n"
	  "SELECT count(*) AS wakeups, avg(ns) AS average_ns, min(ns) AS shortest_ns, max(ns) AS longest_ns\n"
	  "FROM p WHERE ran AND was = 0" },
	{ "task-analyzer", "how long threads ran, by name (record -a -e sched:sched_switch)",
	  "WITH e AS (SELECT cpu, time AS at, next_comm AS comm, next_pid AS task,\n"
	  "lead(time) OVER (PARTITION BY cpu ORDER BY time) - time AS ns FROM sched_sched_switch)\n"
	  "SELECT comm, task, count(*) AS runs, sum(ns) AS ns, max(ns) AS longest_ns FROM e WHERE ns IS NOT NULL AND task\n"
	  "GROUP BY comm, task ORDER BY ns DESC" },
	{ "sched-migration", "threads that changed CPUs (record -a -e sched:sched_migrate_task)",
	  "SELECT _comm AS task, _pid AS number, orig_cpu, dest_cpu, count(*) AS times FROM sched_sched_migrate_task\n"
	  "GROUP BY task, number, orig_cpu, dest_cpu ORDER BY times DESC" },
	{ "net-drops", "dropped packets by place (record -a -e skb:kfree_skb)",
	  "SELECT location, protocol, count(*) AS packets FROM skb_kfree_skb GROUP BY location, protocol ORDER BY packets DESC" },
	{ "page-faults", "faults by function (record -e page-faults)",
	  "SELECT comm, symbol, sum(samples) AS samples, sum(period) AS faults FROM sums WHERE event LIKE 'page-faults%'\n"
	  "GROUP BY comm, symbol ORDER BY faults DESC LIMIT 30" },
	{ "mem-phys-addr", "memory accesses by level (record of loads with addresses)",
	  "SELECT mem, count(*) AS samples, avg(weight) AS cycles FROM samples WHERE mem IS NOT NULL\n"
	  "GROUP BY mem ORDER BY samples DESC" },
	{ "waits", "time off the CPU by reason (record --off-cpu)",
	  "SELECT reason, state, count(*) AS waits, sum(duration) AS ns, max(duration) AS longest_ns FROM waits\n"
	  "GROUP BY reason, state ORDER BY ns DESC" },
	{ "locks", "waits for locks with their holders (record --off-cpu-args)",
	  "SELECT lock, comm AS waiter, holder, count(*) AS waits, sum(duration) AS ns FROM waits WHERE lock IS NOT NULL\n"
	  "GROUP BY lock, waiter, holder ORDER BY ns DESC" },
	{ "wakers", "threads that ended others' waits (record --off-cpu)",
	  "SELECT waker, comm AS woken, count(*) AS times, sum(duration) AS waited_ns FROM waits\n"
	  "WHERE waker IS NOT NULL GROUP BY waker, woken ORDER BY times DESC LIMIT 30" },
	{ "slowest-waits", "the waits at and above the 99th percentile of each thread",
	  "WITH w AS (SELECT comm, tid, begin, duration, reason,\n"
	  "percent_rank() OVER (PARTITION BY tid ORDER BY duration) AS place\n"
	  "FROM waits) SELECT comm, tid, begin, duration, reason FROM w WHERE place >= 0.99 ORDER BY duration DESC LIMIT 30" },
	{ "processes", "processes by command, with their number and lifetime",
	  "SELECT comm, count(*) AS processes, avg(end - begin) AS average_ns FROM processes\n"
	  "GROUP BY comm ORDER BY processes DESC" },
};

const struct query_recipe *query_recipe(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(recipes); i++)
		if (str_eq(recipes[i].name, name))
			return &recipes[i];
	return NULL;
}

void query_put_recipe_names(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(recipes); i++)
		buf_printf(out, "@%s\n", recipes[i].name);
}

void query_put_recipe(const struct query_recipe *r, struct buf *out)
{
	buf_printf(out, "-- %s: %s\n%s;\n", r->name, r->sentence, r->sql);
}

void query_put_recipes(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(recipes); i++) {
		buf_left(out, recipes[i].name, 24);
		buf_printf(out, " %s\n", recipes[i].sentence);
	}
}
