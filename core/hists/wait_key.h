/*
 * Declares the sort keys state, reason, waker, lock and holder, which describe times that a thread spent off the CPU (waits),
 * and the column sch_delay. Waits are the samples of the event offcpu-time (prec record --off-cpu).
 * Layer: hists
 */
#ifndef CORE_HISTS_WAIT_KEY_H
#define CORE_HISTS_WAIT_KEY_H

struct key_table;

#define WAIT_KEY_LOCK "lock"
#define WAIT_KEY_HOLDER "holder"

extern const struct key_table wait_keys;

#endif
