/*
 * Makes the frames that explain a wait, such as "[held by worker-2]", from the wait's sort keys: state, reason, lock and holder
 * (core/hists/wait_key.c). session_profile.c puts them into the call chain of the wait.
 */
#include "core/profile/session_parts.h"

#include <string.h>

#include "core/arch.h"
#include "core/base/buf.h"
#include "core/hists/bucket.h"
#include "core/hists/key_table.h"
#include "core/read/session.h"
#include "core/sched/wait_names.h"
#include "core/sched/wait_samples.h"

#define KEYS	"state,reason"
enum { WORD_STATE, WORD_REASON, WORD_LOCK, WORD_HOLDER };

void wait_frames_plan(struct wait_frames *w, struct session *s, bool only_ready, struct bucket_opts *opts)
{
	w->only_ready = only_ready;
	layout_parse(&w->layout, &(struct layout_opts){ .sort = only_ready ? KEYS : KEYS "," WAIT_KEY_LOCK "," WAIT_KEY_HOLDER });
	opts->needs |= layout_needs(&w->layout);
	w->plan = (struct detail_plan){ .layout = &w->layout, .machine = session_machine(s), .needs = opts->needs };
	w->dso = PROFILE_NONE;
	opts->describe = detail_put;
	opts->describe_ctx = &w->plan;
	session_split_waits(s, !only_ready && session_wait_locks(s));
}

void wait_frames_release(struct wait_frames *w)
{
	vec_free(&w->of);
}

/* "lock jobs_mutex", "pipe fd 5 pipe:[812]", "sleep", "": what is known. */
static void put_reason(const struct session *s, enum wait_reason reason, uint64_t lock, struct buf *out)
{
	const struct wait_locks *all = session_wait_locks(s);
	const struct wait_lock *l = all && lock < all->list.nr ? &all->list.v[lock] : NULL;

	buf_puts(out, l && l->held ? "lock" : wait_reason_name(reason));
	if (!l || l->kind == CALL_NAMELESS || reason == WAIT_FOR_JOIN)
		return;
	buf_puts(out, out->len ? " " : "");
	wait_lock_put(s, (uint32_t)lock, out);
}

/* Appends "held by worker-2", without the tid, which differs between runs; nothing if the holder is unknown. */
static void put_holder(const struct session *s, uint64_t holder, struct buf *out)
{
	struct context_cache *cache = context_cache_new(session_machine(s));
	struct buf name = {0};
	const char *slash;

	wait_holder_put(s, cache, holder, &name);
	context_cache_free(cache);
	slash = strrchr(buf_str(&name), '/');
	if (slash && !slash[1 + strspn(slash + 1, "0123456789")])
		name.len = (size_t)(slash - name.data);
	if (*buf_str(&name) && *buf_str(&name) != '[')
		buf_printf(out, "%s%.*s", str_starts(buf_str(&name), "released by ") ? "" : "held by ", (int)name.len, name.data);
	buf_release(&name);
}

static uint32_t add_frame(struct wait_frames *w, struct profile_builder *b, const char *before, const struct buf *what)
{
	char *name = xasprintf("[%s%.*s]", before, (int)what->len, what->data ? what->data : "");
	uint32_t function;

	if (w->dso == PROFILE_NONE)
		w->dso = profile_add_dso(b, &(struct profile_dso){
			.path = profile_add_string(b, PROFILE_WAITS), .name = profile_add_string(b, PROFILE_WAITS),
			.kind = PROFILE_DSO_UNKNOWN,
		});
	function = profile_add_function(b, &(struct profile_function){
		.name = profile_add_string(b, name), .dso = w->dso, .level = '.',
	});
	free(name);
	return profile_add_frame(b, &(struct profile_frame){ .function = function });
}

static void find(struct wait_frames *w, struct wait_frames_of *of, const struct session *s, const struct byte_table *details,
		 uint32_t detail, struct profile_builder *b)
{
	uint64_t state = detail_word(details, detail, WORD_STATE), reason = detail_word(details, detail, WORD_REASON);
	struct buf text = {0};

	of->known = true;
	if (state == UINT64_MAX)
		return;
	if (state == WAIT_READY || reason == WAIT_FOR_CPU) {
		of->frames[of->nr++] = add_frame(w, b, "runnable, no CPU", &text);
		return;
	}
	if (w->only_ready)
		return;
	put_holder(s, detail_word(details, detail, WORD_HOLDER), &text);
	if (text.len)
		of->frames[of->nr++] = add_frame(w, b, "", &text);
	text.len = 0;
	put_reason(s, (enum wait_reason)reason, detail_word(details, detail, WORD_LOCK), &text);
	of->whole = !text.len;
	of->frames[of->nr++] = add_frame(w, b, text.len ? "waiting: " : "waiting", &text);
	buf_release(&text);
}

const struct wait_frames_of *wait_frames_of(struct wait_frames *w, const struct session *s, const struct byte_table *details,
					    uint32_t detail, struct profile_builder *b)
{
	while (w->of.nr <= detail)
		vec_push(&w->of, (struct wait_frames_of){0});
	if (!w->of.v[detail].known)
		find(w, &w->of.v[detail], s, details, detail, b);
	return &w->of.v[detail];
}
