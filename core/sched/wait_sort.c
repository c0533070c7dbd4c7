/*
 * Sorts context switches and wake-ups by time, before waits.c computes the waits from them. It merges sequences that are sorted
 * already, such as the events of one ring buffer. wait_steps.c collects the events.
 * Layer: sched
 */
#include "core/sched/waits.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/util.h"

struct steps_sort {
	struct wait_step *steps;
	struct wait_step *left;			/* a copy of the overlapping part of the left run */
	size_t room;				/* .left has room for this many steps */
	VEC(size_t) begins;			/* the begin of each run, and the end of the last */
};

static bool is_before(const struct wait_step *a, const struct wait_step *b)
{
	return a->time != b->time ? a->time < b->time : a->position < b->position;
}

/* Finds the runs, which are sorted sequences: the events of each ring buffer are in order, and ring buffers are read in turns. */
static void find_runs(struct steps_sort *s, size_t nr)
{
	vec_push(&s->begins, 0);
	for (size_t i = 1; i < nr; i++)
		if (is_before(&s->steps[i], &s->steps[i - 1]))
			vec_push(&s->begins, i);
	vec_push(&s->begins, nr);
}

/* The index in [@low, @high) of the first step that comes after @step. */
static size_t first_after(const struct wait_step *steps, size_t low, size_t high, const struct wait_step *step)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_before(step, &steps[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The index of the first step that does not come before @step. */
static size_t first_from(const struct wait_step *steps, size_t low, size_t high, const struct wait_step *step)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_before(&steps[middle], step))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct wait_step *room_for(struct steps_sort *s, size_t nr)
{
	if (nr > s->room) {
		free(s->left);
		s->room = MAX(nr, 2 * s->room);
		s->left = xmalloc_huge(s->room * sizeof(*s->left));
	}
	return s->left;
}

/*
 * Merges two adjacent runs. Equal steps keep their order. A binary search finds where the runs overlap, and only the overlapping
 * part is moved.
 */
static void merge(struct steps_sort *s, size_t begin, size_t middle, size_t end)
{
	struct wait_step *to, *left;
	const struct wait_step *left_end, *right = s->steps + middle, *right_end;

	begin = first_after(s->steps, begin, middle, right);
	end = first_from(s->steps, middle, end, &s->steps[middle - 1]);
	left = room_for(s, middle - begin);
	memcpy(left, &s->steps[begin], (middle - begin) * sizeof(*left));
	left_end = left + (middle - begin);
	right_end = s->steps + end;
	to = s->steps + begin;
	while (left < left_end && right < right_end)
		*to++ = is_before(right, left) ? *right++ : *left++;
	memcpy(to, left, (size_t)(left_end - left) * sizeof(*left));
}

/* Merges each pair of neighbouring runs, which halves their number. */
static void merge_all(struct steps_sort *s)
{
	size_t *begins = s->begins.v, nr = s->begins.nr - 1, left = 0;

	for (size_t i = 0; i < nr; i += 2) {
		if (i + 1 < nr)
			merge(s, begins[i], begins[i + 1], begins[i + 2]);
		begins[left++] = begins[i];
	}
	begins[left++] = begins[nr];
	s->begins.nr = left;
}

void wait_steps_sort(struct wait_step *steps, size_t nr)
{
	struct steps_sort s = { .steps = steps };

	find_runs(&s, nr);
	while (s.begins.nr > 2)
		merge_all(&s);
	free(s.left);
	vec_free(&s.begins);
}
