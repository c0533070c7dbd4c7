/*
 * Defines flags for the parts of a sample that a report needs, such as the thread or the call chain. bucket.h sums samples that
 * are equal in these parts. Other parts are neither read nor stored.
 */
#ifndef CORE_HISTS_NEED_H
#define CORE_HISTS_NEED_H

enum sample_need {		/* the parts of a sample by which buckets differ, in addition to the event */
	NEED_COMM	= 1u << 0,
	NEED_FOLDED	= 1u << 1,	/* with NEED_COMM: comms are shown with <N> in place of numbers (comm_nodigit) */
	NEED_TID		= 1u << 2,
	NEED_ADDRESS	= 1u << 3,	/* the address key of its ip */
	NEED_DSO	= 1u << 4,	/* the file of its ip; without NEED_ADDRESS nothing else of the address is kept */
	NEED_LINE	= 1u << 5,	/* the source line, so that the lines of a function are distinguished */
	NEED_OFFSET	= 1u << 6,	/* the address, so that the addresses of a function are distinguished */
	NEED_BRANCH	= 1u << 7,	/* where each of its last branches went from and to */
	NEED_CHAIN	= 1u << 8,
	NEED_PARENT	= 1u << 9,	/* the function in its chain that hists_opts.parent looks for */
	NEED_CPU		= 1u << 10,
	NEED_TIME	= 1u << 11,	/* in slots of bucket_opts.slot_ns */
	NEED_MODE	= 1u << 12,	/* kernel, user, guest */
	NEED_QUEUE	= 1u << 13,	/* how many threads waited for its CPU */
	NEED_CGROUP	= 1u << 14,	/* the number of its cgroup in the machine */
	NEED_TRACE	= 1u << 15,	/* the fields of a tracepoint */
	NEED_MEM_SOURCE	= 1u << 16,	/* of a memory access: the cache or memory that the data came from */
	NEED_MEM_ADDRESS = 1u << 17,	/* of a memory access: the address of the data */
	NEED_MEM_PHYS	= 1u << 18,	/* of a memory access: the physical address and the page size of the data */
	NEED_WORDS	= 1u << 19,	/* data that key.word() reads */
	NEED_WEIGHTS	= 1u << 20,	/* the three parts of its weight */
	NEED_RUNNING	= 1u << 21,	/* how many threads ran at its time */
	NEED_THREAD	= 1u << 22,	/* the thread's number in the machine, in bucket_key.tid: tids may be reused */
	NEED_DELAY	= 1u << 23,	/* how long a thread that had waited was ready to run, but had no CPU */

	NEED_MEM_CLASSES = 1u << 24,	/* with NEED_MEM_SOURCE: the classes of the access (enum data_src_class), for sums */
	NEED_BRANCH_SUMS = 1u << 25,	/* sums over the branches with which its chain begins (branch_history.h) */

	NEED_MEM = NEED_MEM_SOURCE | NEED_MEM_ADDRESS | NEED_MEM_PHYS,
	/* The parts that bucket_opts.describe writes. */
	NEED_DETAIL = NEED_TRACE | NEED_MEM | NEED_WORDS | NEED_WEIGHTS | NEED_RUNNING | NEED_DELAY | NEED_BRANCH_SUMS,
};

#endif
