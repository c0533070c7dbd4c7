#!/bin/bash
# The usual tracepoints print alike by perf and prec, whoever recorded them, also where the kernel cannot be asked.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/script.sh"
need_root
need_tracepoints
need_perf
PERFS=("$PERF")
! with_newperf || PERFS+=("$PREC_PERF")

# Those that are there. Left out are some that perf prints wrongly: see test_tracepoint_formats.sh.
for e in sched:{sched_switch,sched_wakeup,sched_waking,sched_wakeup_new,sched_process_fork,sched_process_exec,sched_process_exit} \
	sched:{sched_process_wait,sched_process_free,sched_migrate_task,sched_stat_runtime} \
	syscalls:sys_{enter,exit}_{openat,read,write,close,mmap,execve,clock_nanosleep} raw_syscalls:sys_{enter,exit} \
	irq:{softirq_raise,softirq_entry,softirq_exit,irq_handler_entry,irq_handler_exit} \
	timer:{timer_init,timer_cancel,timer_expire_entry,hrtimer_start,hrtimer_expire_entry,hrtimer_cancel,tick_stop} \
	kmem:{kmalloc,kfree,kmem_cache_alloc,kmem_cache_free,mm_page_alloc,mm_page_free,rss_stat} \
	signal:{signal_generate,signal_deliver} task:{task_newtask,task_rename} \
	writeback:{writeback_start,writeback_written,balance_dirty_pages,writeback_queue,writeback_write_inode} \
	ext4:{ext4_da_write_begin,ext4_da_write_end,ext4_unlink_enter,ext4_sync_file_enter,ext4_sync_file_exit,ext4_writepages} \
	ext4:{ext4_request_blocks,ext4_allocate_blocks,ext4_free_blocks,ext4_da_write_pages} jbd2:{jbd2_start_commit,jbd2_end_commit} \
	block:{block_rq_issue,block_rq_complete,block_bio_queue,block_plug,block_unplug} \
	workqueue:{workqueue_queue_work,workqueue_execute_start,workqueue_execute_end} \
	exceptions:page_fault_user filemap:mm_filemap_add_to_page_cache rcu:rcu_utilization cgroup:cgroup_mkdir; do
	[ ! -e "$TRACEFS/events/${e/://}" ] || echo "$e"
done >events
[ "$(wc -l <events)" -gt 30 ] || fail "few of the usual tracepoints are there"
LIST=$(paste -sd, events)

FORKS=$(workload forks)
cat >provoke <<END
"$FORKS" 3 >/dev/null
sleep 0.02
cat /proc/self/maps >/dev/null
dd if=/dev/zero of=block bs=64k count=8 conv=fsync 2>/dev/null
sleep 5 & kill -TERM \$!
rm block
END

# What the commands hit themselves: what a whole machine hits in that time may be anything.
"$PREC" record -q -m 4M -o by_prec.data -e "$LIST" -- bash provoke >/dev/null 2>&1
# With build ids in the maps: where another recorder has them, the kernel leaves its mark of them on ours, and perf 6.1
# that has none aborts.
"$PERF" record --buildid-mmap -q -m 4M -o by_perf.data -e "$LIST" -- bash provoke >/dev/null 2>said || skip "perf cannot record tracepoints here: $(tail -1 said)"

different() {	# FILE: how many tracepoints occur in it
	"$PREC" script -i "$1" -F event | sort -u | wc -l
}
[ "$(different by_prec.data)" -gt 30 ] || fail "only $(different by_prec.data) tracepoints were hit"

# lines PROGRAM FILE FIELDS: in no order, as perf prints late what its own rounds put too early; each has its time.
lines() {
	local status=0
	{ "$1" script -i "$2" -F "$3" </dev/null 2>err | collapse | sort; } || status=$?
	case $status in
	0|2)	;;
	*)	[ "$1" != "$PREC" ] || fail "prec script -i $2 -F $3: exit status $status: $(cat err)";;
	esac
}

# The names of a thread, each once: perf forgets them when it exits and then prints :TID, in other places than prec.
names() {
	lines "$1" "$2" tid,comm | awk '!/^:-?[0-9]+ / && !seen[$0]++'
}

same() {
	for file in by_prec.data by_perf.data; do
		lines "$PREC" "$file" tid,cpu,time,event,trace >got
		names "$PREC" "$file" >got.names
		for perf in "${PERFS[@]}"; do
			lines "$perf" "$file" tid,cpu,time,event,trace >want
			[ -s want ] || fail "$perf script -i $file prints nothing: $(head -3 err)"
			expect_same "$file" want got
			names "$perf" "$file" >want.names
			comm -23 want.names got.names >missing
			[ ! -s missing ] || fail "$file: names that only $perf prints: $(head -5 missing)"
		done
	done
}
same

# A stream has its formats before its samples.
"$PREC" record -q -o - -e sched:sched_process_exec,raw_syscalls:sys_enter -- true >stream 2>/dev/null
"$PREC" script -i - -F event,trace <stream | collapse >got
[ -s got ] || fail "a stream of tracepoints prints nothing"
for perf in "${PERFS[@]}"; do
	"$perf" script -i - -F event,trace <stream 2>/dev/null | collapse >want
	expect_same "a stream" want got
done

# On another machine there is no tracefs to ask.
if unshare -m true 2>/dev/null; then
	export -f same lines names collapse expect_same fail
	declare -p PERFS >perfs
	unshare -m bash -euc 'umount -l /sys/kernel/tracing 2>/dev/null || true; umount -l /sys/kernel/debug 2>/dev/null || true
		[ ! -e /sys/kernel/tracing/events ] || exit 1; . ./perfs; same' || fail "it prints otherwise without tracefs"
fi
