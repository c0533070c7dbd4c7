/*
 * Implements the scalar SQL functions of prec query, such as stack_text() for call stacks and syscall_name() for system calls.
 * percentiles.c and counts.c implement the aggregate functions.
 */
#include "core/show/query/query_impl.h"

#include <string.h>

#include "core/arch.h"
#include "core/base/buf.h"
#include "core/model/machine.h"
#include "core/read/session.h"

/* The number has a meaning only in its statement, because another may have another profile. False: no such stack. */
static bool stack_of(sqlite3_context *ctx, sqlite3_value *v, const struct profile **profile, uint32_t *stack)
{
	uint32_t recording;

	if (sqlite3_value_type(v) != SQLITE_INTEGER)
		return false;
	*profile = query_stack(sqlite3_user_data(ctx), sqlite3_value_int64(v), &recording, stack);
	return *profile;
}

static void put_frame(const struct profile *p, uint32_t stack, struct buf *out)
{
	const struct profile_data *d = profile_data(p);

	profile_put_function(p, d->frames.v[d->stacks.v[stack].frame].function, out);
}

/* From the outermost to the innermost, separated by semicolons like folded stacks, or by the second argument. */
static void stack_text(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const char *between = argc > 1 ? (const char *)sqlite3_value_text(argv[1]) : ";";
	struct buf text = {0};
	const struct profile *p;
	const struct profile_data *d;
	uint32_t stack, *path, depth;

	if (!stack_of(ctx, argv[0], &p, &stack) || stack == PROFILE_ROOT || !between)
		return;
	d = profile_data(p);
	depth = d->stacks.v[stack].depth;
	path = xcalloc(depth + 1, sizeof(*path));
	for (uint32_t i = depth; i-- > 0; stack = d->stacks.v[stack].parent)
		path[i] = stack;
	for (uint32_t i = 0; i < depth && text.len <= QUERY_MAX_LENGTH; i++) {
		if (i)
			buf_puts(&text, between);
		put_frame(p, path[i], &text);
	}
	free(path);
	put_text(ctx, &text);
	buf_release(&text);
}

/* In @pattern, * stands for any characters. All other characters stand for themselves, such as the brackets of operator[]. */
static bool matches(const char *name, const char *pattern)
{
	const char *star = NULL, *from = NULL;

	while (*name) {
		if (*pattern == '*') {
			star = ++pattern;
			from = name;
		} else if (*pattern == *name) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star;
			name = ++from;
		} else {
			return false;
		}
	}
	return !pattern[strspn(pattern, "*")];
}

static void stack_has(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const char *name = (const char *)sqlite3_value_text(argv[1]);
	const struct profile *p;
	const struct profile_data *d;
	uint32_t stack;

	if (!name || !stack_of(ctx, argv[0], &p, &stack))
		return;
	d = profile_data(p);
	for (; stack != PROFILE_ROOT; stack = d->stacks.v[stack].parent)
		if (matches(profile_string(p, profile_frame_name(p, d->stacks.v[stack].frame)), name)) {
			sqlite3_result_int(ctx, 1);
			return;
		}
	sqlite3_result_int(ctx, 0);
}

static void stack_root(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const struct profile *p;
	const struct profile_data *d;
	struct buf text = {0};
	uint32_t stack;

	if (!stack_of(ctx, argv[0], &p, &stack) || stack == PROFILE_ROOT)
		return;
	d = profile_data(p);
	while (d->stacks.v[stack].parent != PROFILE_ROOT)
		stack = d->stacks.v[stack].parent;
	put_frame(p, stack, &text);
	put_text(ctx, &text);
	buf_release(&text);
}

/* A number that has no name gives null. */
static void syscall_name(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const struct query *q = sqlite3_user_data(ctx);
	const char *name;

	if (!q->opts.session || sqlite3_value_type(argv[0]) != SQLITE_INTEGER)
		return;
	name = arch_call_name(machine_arch(session_machine(q->opts.session)), (uint64_t)sqlite3_value_int64(argv[0]));
	if (name)
		sqlite3_result_text(ctx, name, -1, SQLITE_STATIC);
}

int query_add_functions(struct query *q)
{
	static const struct {
		const char *name;
		int nr;
		void (*call)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
	} functions[] = {
		{ "stack_text", 1, stack_text }, { "stack_text", 2, stack_text }, { "stack_has", 2, stack_has },
		{ "stack_root", 1, stack_root }, { "syscall_name", 1, syscall_name },
	};
	int err = SQLITE_OK;

	for (size_t i = 0; i < ARRAY_SIZE(functions) && err == SQLITE_OK; i++)
		err = sqlite3_create_function_v2(q->db, functions[i].name, functions[i].nr,
						 SQLITE_UTF8 | SQLITE_INNOCUOUS, q, functions[i].call,
						 NULL, NULL, NULL);
	return err;
}
