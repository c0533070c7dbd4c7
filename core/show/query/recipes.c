/*
 * Defines the recipes of prec query, which are SQL queries that come with prec. Most of them replace a script of perf (perf script
 * -s NAME.py). A recipe that reads a tracepoint's table works only if the recording has this tracepoint.
 */
#include "core/show/query/query.h"

#include <stddef.h>

#include "core/base/buf.h"

#define SHOWN	"(SELECT name FROM events WHERE shown)"
#define ON_CPU	"(SELECT name FROM events WHERE shown AND name <> 'offcpu-time')"

static const struct query_recipe recipes[] = {
	{ "top", "functions by their own time",
	  "SELECT event, symbol, dso, sum(samples) AS samples,\n"
	  "round(100.0 * sum(period) / sum(sum(period)) OVER (PARTITION BY event), 2) AS percent\n"
	  "FROM sums WHERE event IN " SHOWN " GROUP BY event, symbol, dso ORDER BY percent DESC LIMIT 30" },
	{ "top-by-thread", "the three hottest functions of each thread",
	  "WITH s AS (SELECT tid, comm, symbol, sum(period) AS period FROM sums WHERE event IN " ON_CPU "\n"
	  "GROUP BY tid, comm, symbol),\n"
	  "r AS (SELECT *, row_number() OVER (PARTITION BY tid, comm ORDER BY period DESC) AS place FROM s)\n"
	  "SELECT comm, tid, symbol, period FROM r WHERE place <= 3 ORDER BY comm, tid, place" },
	{ "lines", "lines of source by their own time",
	  "SELECT file, line, symbol, sum(samples) AS samples FROM sums WHERE line IS NOT NULL\n"
	  "AND event IN " ON_CPU " GROUP BY file, line, symbol ORDER BY samples DESC LIMIT 30" },
	{ "by-second", "samples, but for waits, and busy threads in each second",
	  "SELECT (time - (SELECT min(time) FROM samples)) / 1000000000 AS second, count(*) AS samples,\n"
	  "count(DISTINCT tid) AS threads FROM samples WHERE event IN " ON_CPU "\n"
	  "GROUP BY second ORDER BY second" },
	{ "top-by-second", "the three hottest functions of each second",
	  "WITH s AS (SELECT (time - (SELECT min(time) FROM samples)) / 1000000000 AS second, symbol, sum(period) AS period\n"
	  "FROM samples WHERE event IN " ON_CPU "\n"
	  "GROUP BY second, symbol),\n"
	  "r AS (SELECT *, row_number() OVER (PARTITION BY second ORDER BY period DESC, symbol) AS place FROM s)\n"
	  "SELECT second, symbol, period FROM r WHERE place <= 3 ORDER BY second, place" },
	{ "stackcollapse", "folded stacks with their samples, for flame graphs",
	  "SELECT comm || ';' || coalesce(stack_text(stack), '[unknown]') || ' ' || sum(samples) AS folded\n"
	  "FROM sums WHERE event IN " SHOWN " GROUP BY comm, stack ORDER BY folded" },
	{ "callers", "who calls the hottest function, by samples",
	  "WITH cpu AS (SELECT * FROM sums WHERE event IN " ON_CPU "),\n"
	  "hot AS (SELECT function FROM cpu GROUP BY function ORDER BY sum(period) DESC LIMIT 1)\n"
	  "SELECT coalesce(f.symbol, '[none]') AS caller, sum(s.samples) AS samples FROM cpu s JOIN hot USING (function)\n"
	  "LEFT JOIN frames f ON f.stack = s.stack AND f.level = 1 GROUP BY caller ORDER BY samples DESC" },
	{ "syscall-counts", "system calls by number (record -e raw_syscalls:sys_enter)",
	  "SELECT id, syscall_name(id) AS name, count(*) AS calls FROM raw_syscalls_sys_enter GROUP BY id ORDER BY calls DESC" },
	{ "syscall-counts-by-pid", "the same for each command and thread, as perf's by-pid",
	  "SELECT comm, tid, id, syscall_name(id) AS name, count(*) AS calls FROM raw_syscalls_sys_enter\n"
	  "GROUP BY comm, tid, id ORDER BY comm, tid, calls DESC" },
	{ "failed-syscalls", "system calls that failed, by command (record -e raw_syscalls:sys_exit)",
	  "SELECT comm, count(*) AS errors FROM raw_syscalls_sys_exit WHERE ret < 0 GROUP BY comm ORDER BY errors DESC" },
	{ "failed-syscalls-by-pid", "by thread, call and error number",
	  "SELECT comm, tid, id, syscall_name(id) AS name, ret, count(*) AS errors FROM raw_syscalls_sys_exit WHERE ret < 0\n"
	  "GROUP BY comm, tid, id, ret ORDER BY comm, tid, errors DESC" },
	{ "syscall-times", "how long calls took (record -e 'raw_syscalls:*')",
	  "SELECT first_1 AS id, syscall_name(first_1) AS name, count(*) AS calls, sum(duration) AS ns, max(duration) AS longest\n"
	  "FROM pairs('raw_syscalls_sys_enter', 'raw_syscalls_sys_exit', 'tid', 'id') GROUP BY first_1 ORDER BY ns DESC" },
	{ "slow-requests",
	  "the longest calls, with thread and time; of requests by the tables of their probes (record -e 'raw_syscalls:*')",
	  "SELECT first_1 AS comm, first_2 AS tid, syscall_name(first_3) AS name, first_4 AS begin, duration\n"
	  "FROM pairs('raw_syscalls_sys_enter', 'raw_syscalls_sys_exit', 'tid', 'comm,tid,id,time')\n"
	  "ORDER BY duration DESC LIMIT 30" },
	{ "syscall-times-by-stack", "the same by the code that made them; -o x.svg draws it (record -g -e 'raw_syscalls:*')",
	  "SELECT sum(duration) AS ns, count(*) AS calls, max(duration) AS longest, first_1 AS id, stack_text(first_2) AS stack\n"
	  "FROM pairs('raw_syscalls_sys_enter', 'raw_syscalls_sys_exit', 'tid', 'id,stack')\n"
	  "GROUP BY first_1, first_2 ORDER BY ns DESC" },
	{ "rw-by-pid", "reads and writes by thread with their bytes (record -e 'syscalls:sys_e*_read' -e 'syscalls:sys_e*_write')",
	  "WITH c(call, comm, tid, calls, requested, bytes, errors) AS (SELECT 'read', comm, tid, hits, hits * count, 0, 0\n"
	  "FROM syscalls_sys_enter_read UNION ALL SELECT 'read', comm, tid, 0, 0, hits * max(ret, 0), hits * (ret <= 0)\n"
	  "FROM syscalls_sys_exit_read UNION ALL SELECT 'write', comm, tid, hits, hits * count, 0, 0\n"
	  "FROM syscalls_sys_enter_write UNION ALL SELECT 'write', comm, tid, 0, 0, hits * max(ret, 0), hits * (ret <= 0)\n"
	  "FROM syscalls_sys_exit_write)\n"
	  "SELECT comm, tid, call, sum(calls) AS calls, sum(requested) AS requested, sum(bytes) AS bytes, sum(errors) AS errors\n"
	  "FROM c GROUP BY comm, tid, call ORDER BY bytes DESC" },
	{ "rw-by-file", "the same by descriptor, as asked for (record -e syscalls:sys_enter_read -e syscalls:sys_enter_write)",
	  "WITH c AS (SELECT comm, fd, 'read' AS call, hits, hits * count AS bytes FROM syscalls_sys_enter_read UNION ALL\n"
	  "SELECT comm, fd, 'write', hits, hits * count FROM syscalls_sys_enter_write)\n"
	  "SELECT comm, call, fd, sum(hits) AS calls, sum(bytes) AS requested FROM c\n"
	  "GROUP BY comm, call, fd ORDER BY requested DESC" },
	{ "futex-contention",
	  "waits on futexes by thread; op 0 is FUTEX_WAIT, 9 FUTEX_WAIT_BITSET (record -e 'syscalls:sys_e*_futex')",
	  "WITH w AS (SELECT first_1 AS comm, first_2 AS tid, first_3 AS uaddr, first_4 & 127 AS op, count(*) AS n,\n"
	  "sum(duration) AS ns, max(duration) AS longest, min(duration) AS shortest\n"
	  "FROM pairs('syscalls_sys_enter_futex', 'syscalls_sys_exit_futex', 'tid', 'comm,tid,uaddr,op')\n"
	  "GROUP BY first_1, first_2, first_3, first_4)\n"
	  "SELECT comm, tid, printf('%x', uaddr) AS lock, op, sum(n) AS waits, sum(ns) / sum(n) AS average_ns,\n"
	  "max(longest) AS longest_ns, min(shortest) AS shortest_ns FROM w WHERE op IN (0, 9)\n"
	  "GROUP BY comm, tid, uaddr, op ORDER BY waits DESC" },
	{ "wakeup-latency", "from wake-up to the CPU's next switch (record -a -e sched:sched_switch -e sched:sched_wakeup)",
	  "SELECT count(*) AS wakeups, avg(duration) AS average_ns, min(duration) AS shortest_ns, max(duration) AS longest_ns\n"
	  "FROM pairs('sched_sched_wakeup', 'sched_sched_switch', 'target_cpu=cpu')" },
	{ "wakeup-latency-by-task", "from wake-up until the thread runs (recorded in the same way)",
	  "SELECT first_1 AS comm, first_2 AS task, count(*) AS wakeups, avg(duration) AS average_ns, max(duration) AS longest_ns\n"
	  "FROM pairs('sched_sched_wakeup', 'sched_sched_switch', '_pid=next_pid', '_comm,_pid')\n"
	  "GROUP BY first_1, first_2 ORDER BY longest_ns DESC" },
	{ "wakeups", "which threads wake which, by name (record -a -e sched:sched_wakeup)",
	  "SELECT comm AS waker, _comm AS woken, count(*) AS times FROM sched_sched_wakeup\n"
	  "GROUP BY waker, woken ORDER BY times DESC LIMIT 30" },
	{ "task-analyzer", "how long threads ran, by name (record -a -e sched:sched_switch)",
	  "SELECT first_1 AS comm, first_2 AS task, count(*) AS runs, sum(duration) AS ns, max(duration) AS longest_ns\n"
	  "FROM pairs('sched_sched_switch', 'sched_sched_switch', 'cpu', 'next_comm,next_pid') WHERE first_2\n"
	  "GROUP BY first_1, first_2 ORDER BY ns DESC" },
	{ "sched-migration", "threads that changed CPUs (record -a -e sched:sched_migrate_task)",
	  "SELECT _comm AS task, _pid AS number, orig_cpu, dest_cpu, count(*) AS times FROM sched_sched_migrate_task\n"
	  "GROUP BY task, number, orig_cpu, dest_cpu ORDER BY times DESC" },
	{ "net-drops", "dropped packets by place (record -a -e skb:kfree_skb)",
	  "SELECT printf('%x', location) AS location, protocol, count(*) AS packets FROM skb_kfree_skb s\n"
	  "GROUP BY s.location, protocol ORDER BY packets DESC" },
	{ "net-times", "how long packets waited to be sent, by device (record -a -e net:net_dev_queue -e net:net_dev_xmit)",
	  "SELECT first_1 AS dev, count(*) AS packets, sum(first_2) AS bytes, avg(duration) AS average_ns,\n"
	  "max(duration) AS longest_ns\n"
	  "FROM pairs('net_net_dev_queue', 'net_net_dev_xmit', 'skbaddr', 'name,len', 'rc') WHERE second_1 = 0\n"
	  "GROUP BY first_1" },
	{ "compaction-times", "time that threads spent compacting memory, and pages (record -a -e 'compaction:mm_compaction_*')",
	  "SELECT (SELECT sum(duration) FROM pairs('compaction_mm_compaction_begin', 'compaction_mm_compaction_end')) AS ns,\n"
	  "m.*, f.*, s.* FROM (SELECT sum(hits * nr_migrated) AS moved, sum(hits * nr_failed) AS failed\n"
	  "FROM compaction_mm_compaction_migratepages) m, (SELECT sum(hits * nr_scanned) AS free_scanned,\n"
	  "sum(hits * nr_taken) AS free_isolated FROM compaction_mm_compaction_isolate_freepages) f,\n"
	  "(SELECT sum(hits * nr_scanned) AS scanned, sum(hits * nr_taken) AS isolated\n"
	  "FROM compaction_mm_compaction_isolate_migratepages) s" },
	{ "samples", "samples by command, function and file",
	  "SELECT event, comm, symbol, dso, sum(samples) AS samples FROM sums WHERE event IN " SHOWN "\n"
	  "GROUP BY event, comm, symbol, dso ORDER BY samples DESC" },
	{ "page-faults", "faults by function (record -e page-faults)",
	  "SELECT comm, symbol, sum(samples) AS samples, sum(period) AS faults FROM sums WHERE event LIKE 'page-faults%'\n"
	  "GROUP BY comm, symbol ORDER BY faults DESC LIMIT 30" },
	{ "mem-phys-addr", "memory accesses by level (record of loads with addresses)",
	  "SELECT mem, count(*) AS samples, avg(weight) AS cycles FROM samples WHERE mem IS NOT NULL\n"
	  "GROUP BY mem ORDER BY samples DESC" },
	{ "waits", "time off the CPU by reason (record --off-cpu)",
	  "SELECT reason, state, count(*) AS waits, sum(duration) AS ns, max(duration) AS longest_ns FROM waits\n"
	  "GROUP BY reason, state ORDER BY ns DESC" },
	{ "locks", "waits for locks and who ended them; their holders: report -s lock,holder (record --off-cpu-args)",
	  "SELECT lock, comm AS waiter, holder, count(*) AS waits, sum(duration) AS ns FROM waits WHERE lock IS NOT NULL\n"
	  "GROUP BY lock, waiter, holder ORDER BY ns DESC" },
	{ "wakers", "threads that ended others' waits (record --off-cpu)",
	  "SELECT waker, comm AS woken, count(*) AS times, sum(duration) AS waited_ns FROM waits\n"
	  "WHERE waker IS NOT NULL AND state <> 'ready' GROUP BY waker, woken ORDER BY times DESC LIMIT 30" },
	{ "slowest-waits", "the waits at and above the 99th percentile of each thread, with their stacks (record --off-cpu)",
	  "WITH w AS (SELECT comm, tid, begin, duration, reason, lock, stack,\n"
	  "percent_rank() OVER (PARTITION BY tid ORDER BY duration) AS place FROM waits)\n"
	  "SELECT comm, tid, begin AS begin_ns, duration AS ns, reason, lock, stack_text(stack) AS stack FROM w\n"
	  "WHERE place >= 0.99 ORDER BY ns DESC LIMIT 30" },
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
