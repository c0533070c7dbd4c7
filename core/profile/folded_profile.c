/* Reads a file of folded stacks, as stackcollapse scripts write it, into a struct profile (profile.h). */
#include "core/profile/folded_profile.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/vec.h"
#include "core/profile/builder.h"

#define LONGEST		(1u << 20)	/* maximum bytes of the first line, by which files of folded stacks are recognized */
#define MOST_FRAMES	100000u		/* maximum number of frames of a line */

struct line {
	const char *stack;
	size_t stack_len;
	uint64_t number;
};

/* Splits a line at its last space, into the stack and the number. The number must have only digits. */
static bool split_line(struct line *out, const char *text, size_t n)
{
	const char *end = text + n, *digits;

	while (end > text && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	for (digits = end; digits > text && digits[-1] >= '0' && digits[-1] <= '9'; digits--)
		;
	if (digits == end || digits < text + 2 || digits[-1] != ' ' || end - digits > 19)
		return false;
	*out = (struct line){ .stack = text, .stack_len = (size_t)(digits - 1 - text) };
	for (; digits < end; digits++)
		out->number = out->number * 10 + (uint64_t)(*digits - '0');
	return true;
}

/* True for a line that is skipped: it is empty, or begins with #. */
static bool is_empty(const char *text, size_t n)
{
	return !n || text[0] == '#' || text[strspn(text, " \t\r")] == '\n';
}

static const char *end_of_line(const char *text, const char *end)
{
	const char *newline = memchr(text, '\n', (size_t)(end - text));

	return newline ? newline : end;
}

bool folded_begins(const char *path)
{
	struct buf head = {0};
	int fd = open_regular(path);
	int64_t n = fd < 0 ? -1 : read_at(fd, buf_room(&head, LONGEST + 1), LONGEST, 0);
	const char *at, *end, *next;
	struct line line;
	bool is = false;

	head.len = n > 0 ? (size_t)n : 0;
	end = buf_str(&head) + head.len;
	for (at = head.data; at < end; at = next + 1) {
		next = end_of_line(at, end);
		if (is_empty(at, (size_t)(next - at)))
			continue;
		is = !memchr(at, 0, (size_t)(next - at)) && split_line(&line, at, (size_t)(next - at));
		break;
	}
	if (fd >= 0)
		close(fd);
	buf_release(&head);
	return is;
}

/* ---- the profile ---- */

/* Splits a frame into its function's name and its suffix, which gives the kind of function. */
static struct profile_function function_of(struct profile_builder *b, const char *name, size_t n)
{
	struct profile_function f = { .dso = PROFILE_NONE, .level = '.' };

	if (n > 4 && name[n - 4] == '_' && name[n - 3] == '[' && name[n - 1] == ']' && strchr("kijw", name[n - 2])) {
		f.level = name[n - 2] == 'k' || name[n - 2] == 'j' ? name[n - 2] : '.';
		f.inlined = name[n - 2] == 'i';
		n -= 4;
	}
	f.name = n ? profile_add_string_n(b, name, n) : profile_add_string(b, "[unknown]");
	return f;
}

static uint32_t frame_of(struct profile_builder *b, const char *name, size_t n)
{
	struct profile_function f = function_of(b, name, n);

	return profile_add_frame(b, &(struct profile_frame){ .function = profile_add_function(b, &f) });
}

struct reader {
	struct profile_builder *builder;
	uint32_t event;
	VEC(uint32_t) threads;		/* the thread's number by the string of its name; PROFILE_NONE: not added yet */
	uint32_t nr_threads;
};

/* In the file, threads have a name but no tid, so they are numbered in order of appearance. */
static uint32_t thread_of(struct reader *r, uint32_t name)
{
	uint32_t process, *thread;

	while (r->threads.nr <= name)
		vec_push(&r->threads, PROFILE_NONE);
	thread = &r->threads.v[name];
	if (*thread == PROFILE_NONE) {
		process = profile_add_process(r->builder, ++r->nr_threads, name);
		*thread = profile_add_thread(r->builder, &(struct profile_thread){
			.process = process, .tid = r->nr_threads, .to = UINT64_MAX,
		});
		profile_add_name(r->builder, *thread, 0, name);
	}
	return *thread;
}

static int add_line(struct reader *r, const struct line *line)
{
	struct profile_builder *b = r->builder;
	const char *at = line->stack, *end = at + line->stack_len, *next = memchr(at, ';', line->stack_len);
	uint32_t comm, stack = PROFILE_ROOT, depth = 0;

	next = next ? next : end;
	comm = profile_add_string_n(b, at, (size_t)(next - at));
	while (next < end) {
		at = next + 1;
		next = memchr(at, ';', (size_t)(end - at));
		next = next ? next : end;
		if (depth++ == MOST_FRAMES)
			return -1;
		stack = profile_add_stack(b, stack, frame_of(b, at, (size_t)(next - at)));
	}
	profile_add_weight(b, &(struct profile_weight){
		.event = r->event, .thread = thread_of(r, comm), .comm = comm, .cpu = PROFILE_NONE, .stack = stack,
		.address = PROFILE_NONE, .nr = line->number, .period = line->number,
	});
	return 0;
}

static int add_lines(struct reader *r, const char *path, const char *text, const char *end)
{
	unsigned long number = 1;
	struct line line;

	for (const char *next; text < end; text = next + 1, number++) {
		size_t n = (size_t)((next = end_of_line(text, end)) - text);

		if (is_empty(text, n))
			continue;
		if (memchr(text, 0, n) || !split_line(&line, text, n))
			return error("'%s', line %lu: no folded stack, which is 'thread;outermost;innermost NUMBER'", path, number);
		if (add_line(r, &line))
			return error("'%s', line %lu: more than %u frames", path, number, MOST_FRAMES);
	}
	return 0;
}

struct profile *profile_of_folded(const char *path)
{
	struct profile_builder *b = profile_builder_new();
	struct reader r = { .builder = b };
	struct buf text = {0};
	int err = read_file(path, &text);

	if (err)
		error("cannot read '%s': %s", path, strerror(-err));
	r.event = profile_add_event(b, &(struct profile_event){ .name = profile_add_string(b, "samples"), .nr_members = 1 });
	profile_set_info(b, &(struct profile_info){ .command = profile_add_string(b, path), .first_time = UINT64_MAX });
	buf_putc(&text, '\n');		/* is_empty() looks for it */
	if (!err)
		err = add_lines(&r, path, text.data, text.data + text.len);
	buf_release(&text);
	vec_free(&r.threads);
	if (!err)
		return profile_builder_finish(b);
	profile_free(profile_builder_finish(b));
	return NULL;
}
