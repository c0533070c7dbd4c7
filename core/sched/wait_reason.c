/*
 * Finds the reason of a thread's wait, such as "disk", in a table of function names. wait_samples.c looks up the functions that
 * were on the stack when the thread left the CPU.
 */
#include "core/sched/wait_reason.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/util.h"

struct row { const char *symbol; uint8_t kind, reason; };

#define SCHEDULER(symbol)	{ symbol, WAIT_FRAME_SCHEDULER, WAIT_FOR_UNKNOWN }
#define STRONG(symbol, what)	{ symbol, WAIT_FRAME_STRONG, WAIT_FOR_##what }
#define WEAK_SCHEDULER(symbol, what) { symbol, WAIT_FRAME_SCHEDULER, WAIT_FOR_##what }
#define WEAK(symbol, what)	{ symbol, WAIT_FRAME_WEAK, WAIT_FOR_##what }

/*
 * By symbol, as strcmp() orders them. The kernel functions are from Linux 4.14 to 6.18, with their source files. The functions of
 * glibc and musl give the reason if the kernel's part of the stack is missing, and show what a futex is used for, such as a
 * condition variable.
 */
static const struct row rows[] = {
	STRONG("__blkdev_direct_IO", DISK),
	STRONG("__blkdev_direct_IO_simple", DISK),
	STRONG("__clock_nanosleep", SLEEP),
	SCHEDULER("__cond_resched"),
	STRONG("__do_fault", PAGE_FAULT),
	WEAK("__do_page_cache_readahead", DISK),
	STRONG("__down_common", KERNEL_LOCK),
	STRONG("__flush_work", WORK),
	WEAK("__folio_lock", DISK),
	STRONG("__futex_abstimed_wait_common", FUTEX),
	STRONG("__futex_abstimed_wait_common64", FUTEX),
	STRONG("__futex_wait", FUTEX),		/* kernel/futex/waitwake.c */
	STRONG("__inet_accept", SOCKET),
	STRONG("__io_cqring_wait_schedule", IO_URING),
	STRONG("__iomap_dio_rw", DISK),
	WEAK("__libc_accept", SOCKET),
	WEAK("__libc_connect", SOCKET),
	WEAK("__libc_pause", SIGNAL),
	WEAK("__libc_recv", SOCKET),
	WEAK("__libc_recvfrom", SOCKET),
	WEAK("__libc_recvmsg", SOCKET),
	WEAK("__libc_send", SOCKET),
	WEAK("__lll_lock_wait", FUTEX),
	WEAK("__lll_lock_wait_private", FUTEX),
	WEAK("__lock_page", DISK),
	STRONG("__mutex_lock", KERNEL_LOCK),	/* kernel/locking/mutex.c */
	STRONG("__mutex_lock_slowpath", KERNEL_LOCK),
	STRONG("__nanosleep", SLEEP),
	STRONG("__percpu_down_read", KERNEL_LOCK),
	WEAK("__poll", POLL),
	STRONG("__pthread_clockjoin_ex", JOIN),
	STRONG("__pthread_cond_clockwait64", CONDITION),
	STRONG("__pthread_cond_timedwait", CONDITION),
	STRONG("__pthread_cond_wait", CONDITION),
	STRONG("__pthread_cond_wait_common", CONDITION),
	STRONG("__pthread_timedjoin_ex", JOIN),
	STRONG("__rt_mutex_slowlock", KERNEL_LOCK),
	SCHEDULER("__schedule"),
	WEAK("__select", POLL),
	STRONG("__skb_wait_for_more_packets", SOCKET),	/* net/core/datagram.c */
	STRONG("__synchronize_srcu", RCU),
	STRONG("__tcp_close", SOCKET),
	STRONG("__unix_dgram_recvmsg", SOCKET),
	STRONG("__wait4", CHILD),
	WEAK("__wait_for_common", EVENT),
	WEAK("__wait_on_bit", DISK),
	WEAK("__wait_on_bit_lock", DISK),
	WEAK("__wait_on_buffer", DISK),
	STRONG("__wait_rcu_gp", RCU),
	STRONG("anon_pipe_read", PIPE),		/* fs/pipe.c of Linux 6.15 */
	STRONG("anon_pipe_write", PIPE),
	STRONG("balance_dirty_pages", DISK),
	STRONG("balance_dirty_pages_ratelimited", DISK),
	STRONG("balance_dirty_pages_ratelimited_flags", DISK),
	WEAK("bit_wait_io", DISK),
	WEAK("blk_execute_rq", DISK),
	WEAK_SCHEDULER("blk_io_schedule", DISK),
	WEAK("blk_mq_get_tag", DISK),
	STRONG("blkdev_direct_IO", DISK),
	STRONG("blkdev_issue_flush", DISK),
	STRONG("clock_nanosleep", SLEEP),
	STRONG("cnd_timedwait", CONDITION),
	STRONG("cnd_wait", CONDITION),
	STRONG("common_nsleep", SLEEP),
	STRONG("congestion_wait", DISK),
	STRONG("devtmpfs_work_loop", WORK),
	STRONG("dio_await_completion", DISK),
	WEAK("do_exit", EXIT),
	STRONG("do_fault", PAGE_FAULT),
	WEAK("do_futex", FUTEX),
	WEAK("do_group_exit", EXIT),
	STRONG("do_jobctl_trap", STOP),
	STRONG("do_msgrcv", MESSAGE),
	STRONG("do_msgsnd", MESSAGE),
	STRONG("do_nanosleep", SLEEP),		/* kernel/time/hrtimer.c */
	STRONG("do_poll", POLL),		/* fs/select.c */
	STRONG("do_select", POLL),
	STRONG("do_semtimedop", MESSAGE),
	STRONG("do_signal_stop", STOP),		/* kernel/signal.c */
	STRONG("do_sigtimedwait", SIGNAL),
	STRONG("do_swap_page", PAGE_FAULT),
	STRONG("do_sys_poll", POLL),
	WEAK("do_task_dead", EXIT),
	WEAK("do_user_addr_fault", PAGE_FAULT),
	STRONG("do_wait", CHILD),		/* kernel/exit.c */
	STRONG("do_wp_page", PAGE_FAULT),
	STRONG("down", KERNEL_LOCK),
	STRONG("down_interruptible", KERNEL_LOCK),
	STRONG("down_read", KERNEL_LOCK),
	STRONG("down_read_killable", KERNEL_LOCK),
	STRONG("down_write", KERNEL_LOCK),
	STRONG("down_write_killable", KERNEL_LOCK),
	STRONG("ep_poll", EPOLL),		/* fs/eventpoll.c */
	WEAK("epoll_pwait", EPOLL),
	WEAK("epoll_wait", EPOLL),
	STRONG("eventfd_read", EVENT),		/* fs/eventfd.c */
	STRONG("eventfd_write", EVENT),
	WEAK("exc_page_fault", PAGE_FAULT),
	STRONG("ext4_dio_read_iter", DISK),
	STRONG("ext4_dio_write_iter", DISK),
	STRONG("ext4_fsync", DISK),
	STRONG("ext4_sync_file", DISK),
	STRONG("filemap_fault", PAGE_FAULT),	/* mm/filemap.c */
	STRONG("filemap_fdatawait", DISK),
	STRONG("filemap_read", DISK),
	STRONG("flock_lock_inode_wait", FILE_LOCK),
	STRONG("folio_wait_stable", DISK),
	STRONG("folio_wait_writeback", DISK),
	WEAK("fuse_request_wait", DISK),
	WEAK("futex_lock_pi", FUTEX),
	STRONG("futex_wait", FUTEX),
	STRONG("futex_wait_multiple", FUTEX),
	STRONG("futex_wait_queue", FUTEX),
	STRONG("futex_wait_queue_me", FUTEX),
	STRONG("futex_wait_requeue_pi", FUTEX),
	STRONG("generic_file_buffered_read", DISK),
	WEAK("get_signal", STOP),
	WEAK("handle_mm_fault", PAGE_FAULT),
	STRONG("hrtimer_nanosleep", SLEEP),
	STRONG("hugetlb_fault", PAGE_FAULT),
	STRONG("inet_accept", SOCKET),
	STRONG("inet_csk_accept", SOCKET),
	STRONG("inet_stream_connect", SOCKET),
	STRONG("inet_wait_for_connect", SOCKET),
	STRONG("inotify_read", EVENT),
	STRONG("io_cqring_wait", IO_URING),	/* io_uring/io_uring.c */
	STRONG("io_cqring_wait_schedule", IO_URING),
	WEAK_SCHEDULER("io_schedule", DISK),		/* kernel/sched/core.c */
	WEAK_SCHEDULER("io_schedule_timeout", DISK),
	STRONG("io_sq_thread", IO_URING),
	STRONG("io_wq_worker", IO_URING),
	STRONG("io_wqe_worker", IO_URING),
	STRONG("iomap_dio_rw", DISK),
	STRONG("jbd2_log_wait_commit", DISK),
	STRONG("kcompactd", WORK),
	STRONG("kjournald2", WORK),
	STRONG("kswapd", WORK),
	WEAK("kthread", WORK),
	STRONG("kthread_worker_fn", WORK),
	WEAK("kthreadd", WORK),
	STRONG("locks_lock_inode_wait", FILE_LOCK),
	STRONG("mem_cgroup_handle_over_high", MEMORY),
	STRONG("msleep", SLEEP),
	STRONG("msleep_interruptible", SLEEP),
	STRONG("mutex_lock", KERNEL_LOCK),
	STRONG("mutex_lock_interruptible", KERNEL_LOCK),
	STRONG("mutex_lock_killable", KERNEL_LOCK),
	STRONG("n_tty_read", TERMINAL),		/* drivers/tty/n_tty.c */
	STRONG("n_tty_write", TERMINAL),
	STRONG("nanosleep", SLEEP),
	STRONG("netlink_recvmsg", SOCKET),
	WEAK("p9_client_rpc", DISK),		/* net/9p/client.c */
	WEAK("pause", SIGNAL),
	STRONG("percpu_rwsem_wait", KERNEL_LOCK),
	STRONG("pipe_read", PIPE),
	STRONG("pipe_wait", PIPE),
	STRONG("pipe_wait_readable", PIPE),
	STRONG("pipe_wait_writable", PIPE),
	STRONG("pipe_write", PIPE),
	WEAK("poll", POLL),
	WEAK("poll_schedule_timeout", POLL),
	SCHEDULER("preempt_schedule"),
	SCHEDULER("preempt_schedule_common"),
	SCHEDULER("preempt_schedule_irq"),
	SCHEDULER("preempt_schedule_notrace"),
	SCHEDULER("preempt_schedule_notrace_thunk"),
	SCHEDULER("preempt_schedule_thunk"),
	STRONG("pthread_cond_clockwait", CONDITION),
	STRONG("pthread_cond_timedwait", CONDITION),
	STRONG("pthread_cond_wait", CONDITION),
	STRONG("pthread_join", JOIN),
	STRONG("ptrace_notify", PTRACE),
	STRONG("ptrace_stop", PTRACE),		/* kernel/signal.c */
	STRONG("rcu_gp_fqs_loop", WORK),
	STRONG("rcu_gp_kthread", WORK),
	STRONG("rcu_nocb_cb_kthread", WORK),
	WEAK("rpc_wait_bit_killable", DISK),
	STRONG("rt_mutex_slowlock", KERNEL_LOCK),
	STRONG("rwsem_down_read_slowpath", KERNEL_LOCK),	/* kernel/locking/rwsem.c */
	STRONG("rwsem_down_write_slowpath", KERNEL_LOCK),
	SCHEDULER("schedule"),
	SCHEDULER("schedule_hrtimeout"),
	SCHEDULER("schedule_hrtimeout_range"),
	SCHEDULER("schedule_hrtimeout_range_clock"),
	SCHEDULER("schedule_idle"),
	SCHEDULER("schedule_preempt_disabled"),
	SCHEDULER("schedule_rtlock"),
	SCHEDULER("schedule_timeout"),
	SCHEDULER("schedule_timeout_interruptible"),
	SCHEDULER("schedule_timeout_killable"),
	SCHEDULER("schedule_timeout_uninterruptible"),
	WEAK("select", POLL),
	STRONG("shrink_node", MEMORY),
	STRONG("sigsuspend", SIGNAL),
	STRONG("sk_stream_wait_memory", SOCKET),
	STRONG("sk_wait_data", SOCKET),		/* net/core/sock.c */
	STRONG("smpboot_thread_fn", WORK),
	WEAK("submit_bio_wait", DISK),
	STRONG("swap_readpage", PAGE_FAULT),
	STRONG("sync_inodes_sb", DISK),
	STRONG("synchronize_rcu", RCU),
	STRONG("synchronize_rcu_expedited", RCU),
	STRONG("tcp_recvmsg", SOCKET),
	STRONG("tcp_sendmsg", SOCKET),
	STRONG("throttle_direct_reclaim", MEMORY),
	STRONG("timerfd_read", SLEEP),
	STRONG("try_to_free_mem_cgroup_pages", MEMORY),
	STRONG("try_to_free_pages", MEMORY),
	STRONG("tty_wait_until_sent", TERMINAL),
	STRONG("unix_accept", SOCKET),
	STRONG("unix_dgram_recvmsg", SOCKET),
	STRONG("unix_stream_connect", SOCKET),
	STRONG("unix_stream_data_wait", SOCKET),	/* net/unix/af_unix.c */
	STRONG("unix_stream_read_generic", SOCKET),
	STRONG("unix_stream_recvmsg", SOCKET),
	STRONG("unix_stream_sendmsg", SOCKET),
	STRONG("unix_wait_for_peer", SOCKET),
	STRONG("userfaultfd_read", EVENT),
	STRONG("usleep_range_state", SLEEP),
	STRONG("vfs_fsync_range", DISK),
	STRONG("vhost_task_fn", WORK),
	WEAK("wait4", CHILD),
	WEAK("wait_for_common", EVENT),
	WEAK("wait_for_completion", EVENT),
	WEAK("wait_for_completion_interruptible", EVENT),
	WEAK("wait_for_completion_killable", EVENT),
	WEAK("wait_for_completion_state", EVENT),
	WEAK("wait_for_completion_timeout", EVENT),
	STRONG("wait_for_vfork_done", CHILD),	/* kernel/fork.c */
	WEAK("wait_on_page_bit", DISK),
	STRONG("wait_transaction_locked", DISK),
	WEAK("waitid", CHILD),
	WEAK("waitpid", CHILD),
	STRONG("wb_wait_for_completion", DISK),
	STRONG("worker_thread", WORK),		/* kernel/workqueue.c */
	WEAK("xfs_file_fsync", DISK),
	STRONG("xfs_log_force_seq", DISK),
};

static int compare_row(const void *name, const void *row)
{
	return strcmp(name, ((const struct row *)row)->symbol);
}

#define NAME_MAX_LEN 63		/* no name in the table is longer */

#define GLIBC_INTERNAL "__GI_"	/* glibc's names for its own calls of what it exports */

/* Suffixes of compilers and linkers - ".isra.0", ".cold", "@GLIBC_2.2.5" - are no part of the name. */
struct wait_frame wait_frame_of(const char *symbol)
{
	char name[NAME_MAX_LEN + 1];
	const struct row *row;
	size_t n;

	if (symbol && str_starts(symbol, GLIBC_INTERNAL))
		symbol += strlen(GLIBC_INTERNAL);
	n = symbol ? strcspn(symbol, ".@") : 0;
	if (!n || n > NAME_MAX_LEN)
		return (struct wait_frame){0};
	memcpy(name, symbol, n);
	name[n] = '\0';
	row = bsearch(name, rows, ARRAY_SIZE(rows), sizeof(*rows), compare_row);
	return row ? (struct wait_frame){ row->kind, row->reason } : (struct wait_frame){0};
}

const char *wait_reason_name(enum wait_reason reason)
{
	static const char *const names[NR_WAIT_REASONS] = {
		[WAIT_FOR_UNKNOWN] = "", [WAIT_FOR_CPU] = "cpu", [WAIT_FOR_SLEEP] = "sleep", [WAIT_FOR_FUTEX] = "futex",
		[WAIT_FOR_CONDITION] = "condition", [WAIT_FOR_PIPE] = "pipe", [WAIT_FOR_SOCKET] = "socket",
		[WAIT_FOR_POLL] = "poll", [WAIT_FOR_EPOLL] = "epoll", [WAIT_FOR_DISK] = "disk",
		[WAIT_FOR_PAGE_FAULT] = "page fault", [WAIT_FOR_CHILD] = "child", [WAIT_FOR_PTRACE] = "ptrace",
		[WAIT_FOR_STOP] = "stop", [WAIT_FOR_SIGNAL] = "signal", [WAIT_FOR_FILE_LOCK] = "file lock",
		[WAIT_FOR_KERNEL_LOCK] = "kernel lock", [WAIT_FOR_TERMINAL] = "terminal", [WAIT_FOR_IO_URING] = "io_uring",
		[WAIT_FOR_MEMORY] = "memory", [WAIT_FOR_EVENT] = "event", [WAIT_FOR_MESSAGE] = "message",
		[WAIT_FOR_EXIT] = "exit", [WAIT_FOR_WORK] = "work", [WAIT_FOR_RCU] = "rcu",
		[WAIT_FOR_JOIN] = "join",
	};

	return reason < NR_WAIT_REASONS ? names[reason] : "";
}
