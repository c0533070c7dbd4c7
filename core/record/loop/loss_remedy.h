/*
 * Chooses the advice that prec record prints at its end if samples were lost, such as to use larger ring buffers. summary.c
 * collects the facts about the loss and prints the advice.
 */
#ifndef CORE_RECORD_LOOP_LOSS_REMEDY_H
#define CORE_RECORD_LOOP_LOSS_REMEDY_H

#include <stdbool.h>
#include <stdint.h>

struct loss_facts {
	bool urgent;			/* the thread that empties rings had a real-time priority */
	uint64_t waited_ns;		/* the longest time that it waited for a CPU */
	uint64_t gap_ns;		/* the longest time in which records of a ring were lost */
	bool busy;			/* the recorder had a CPU nearly all of the time */
	uint32_t stack_bytes;		/* size of the largest copies of stacks; 0: stacks were not copied */
	uint64_t ring_bytes;		/* the size of each ring */
	bool ring_cut;			/* rings are smaller than requested: limit of locked memory */
	uint64_t needed_bytes;		/* the size of a ring that would have held the lost records, too; 0: not known */
};

enum loss_remedy { REMEDY_PRIORITY, REMEDY_SMALLER_STACKS, REMEDY_LARGER_RINGS, REMEDY_LOWER_RATE };

#define REMEDY_STACK	8192u		/* REMEDY_SMALLER_STACKS recommends copies of this many bytes */

/*
 * Returns the advice as a part of a sentence, owned by the caller. @is_root: the user may take a real-time priority. The advice is
 * the first of several changes that would have prevented the loss, or otherwise a lower rate. It depends only on the arguments.
 */
char *loss_remedy_text(const struct loss_facts *f, bool is_root);

#endif
