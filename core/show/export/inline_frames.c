/*
 * Computes the address and the inline depth of each stack frame, for firefox.c and pprof.c. An inlined frame has the address of
 * its caller's frame, and a depth larger by one. Other frames have depth 0.
 */
#include "core/show/export/inline_frames.h"

struct place { uint64_t address; uint32_t depth, symbol; };

static const struct profile_function *function_of(const struct profile_data *d, uint32_t stack)
{
	return &d->functions.v[d->frames.v[d->stacks.v[stack].frame].function];
}

/* By stack: true if the code of its frame, or code inlined there, calls something. Its address is then a return address. */
static bool *find_callers(const struct profile_data *d)
{
	bool *calls = xcalloc(d->stacks.nr, sizeof(*calls));

	for (size_t i = d->stacks.nr; i-- > 1; )
		if (!function_of(d, (uint32_t)i)->inlined || calls[i])
			calls[d->stacks.v[i].parent] = true;
	return calls;
}

static uint32_t add_frame(struct inline_frames *f, const struct inline_frame *frame)
{
	uint64_t h = hash_pair(frame->address, (uint64_t)frame->inline_depth << 32 | frame->frame);

	index_for(pos, &f->by_place, h) {
		const struct inline_frame *other = &f->frames.v[pos];

		if (other->address == frame->address && other->frame == frame->frame &&
		    other->inline_depth == frame->inline_depth && other->symbol == frame->symbol)
			return pos;
	}
	index_add(&f->by_place, h, (uint32_t)f->frames.nr);
	vec_push(&f->frames, *frame);
	return (uint32_t)f->frames.nr - 1;
}

static void add_stacks(struct inline_frames *f, const struct profile_data *d)
{
	struct place *places = xcalloc(d->stacks.nr, sizeof(*places));
	bool *calls = find_callers(d);

	for (uint32_t i = 1; i < d->stacks.nr; i++) {
		const struct profile_stack *s = &d->stacks.v[i];
		const struct profile_frame *frame = &d->frames.v[s->frame];
		const struct place *up = &places[s->parent];

		if (function_of(d, i)->inlined && s->parent != PROFILE_ROOT)
			places[i] = (struct place){ up->address, up->depth + 1, up->symbol };
		else
			places[i] = (struct place){ frame->address ? frame->address - calls[i] : 0, 0, frame->function };
		vec_push(&f->stacks, ((struct inline_stack){
			.frame = add_frame(f, &(struct inline_frame){
				places[i].address, s->frame, places[i].depth, places[i].symbol }),
			.prefix_offset = s->parent == PROFILE_ROOT ? 0 : i - s->parent }));
	}
	free(places);
	free(calls);
}

/* The file of a function is that of its first known line. */
static void add_files(struct inline_frames *f, const struct profile_data *d)
{
	uint32_t *number = xcalloc(d->nr_strings, sizeof(*number));

	for (size_t i = 0; i < d->functions.nr; i++)
		vec_push(&f->file_of, PROFILE_NONE);
	vec_for(frame, &d->frames) {
		if (!frame->file || f->file_of.v[frame->function] != PROFILE_NONE)
			continue;
		if (!number[frame->file]) {
			vec_push(&f->files, frame->file);
			number[frame->file] = (uint32_t)f->files.nr;
		}
		f->file_of.v[frame->function] = number[frame->file] - 1;
	}
	free(number);
}

void inline_frames_make(struct inline_frames *f, const struct profile_data *d)
{
	add_stacks(f, d);
	add_files(f, d);
}

void inline_frames_release(struct inline_frames *f)
{
	vec_free(&f->frames);
	vec_free(&f->stacks);
	vec_free(&f->files);
	vec_free(&f->file_of);
	index_release(&f->by_place);
}
