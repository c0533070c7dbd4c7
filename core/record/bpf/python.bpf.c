/*
 * Runs in the kernel as a BPF program, before a sample is written or at a context switch. It reads the Python frames of the
 * current thread from user memory, and sends them to python_program.c.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <stdbool.h>

#include "core/record/bpf/python_records.h"

#define STEPS_MAX	2048		/* threads and interpreters that are searched for the current thread */
#define THREADS_KEPT	16384
#define CODES_KEPT	65536
#define RING_BYTES	(16u << 20)
#define FRAME_BYTES	128u
#define CODE_BYTES	144u

/* Structures of the kernel, with only the members that are used. Their offsets are found when the program is loaded. */
struct mm_struct { unsigned long start_code, end_code; } __attribute__((preserve_access_index));
struct thread_struct { unsigned long fsbase; } __attribute__((preserve_access_index));
struct task_struct {
	struct task_struct *real_parent;
	struct mm_struct *mm;
	struct thread_struct thread;
	int tgid;
} __attribute__((preserve_access_index));
struct perf_sample_data { __u64 time; } __attribute__((preserve_access_index));
struct bpf_perf_event_data_kern { struct perf_sample_data *data; } __attribute__((preserve_access_index));

extern void *bpf_cast_to_kern_ctx(void *) __ksym;

struct code_key { __u64 code; __u32 pid, pad; };
struct thread_key { __u32 pid, tid; };

struct scratch {
	__u8 frame[FRAME_BYTES + 16];
	__u8 code[CODE_BYTES + 128];
	__u64 states[PYTHON_INTERPRETERS_MAX];	/* addresses of the thread's PyThreadState, one for each interpreter */
	struct python_sample sample;
};

struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 65536); __uint(map_flags, BPF_F_NO_PREALLOC);
	 __type(key, __u32); __type(value, struct python_process); } processes SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_LRU_HASH); __uint(max_entries, THREADS_KEPT);
	 __type(key, struct thread_key); __type(value, __u64); } threads SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_LRU_HASH); __uint(max_entries, CODES_KEPT);
	 __type(key, struct code_key); __type(value, __u64); } codes SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1);
	 __type(key, __u32); __type(value, struct scratch); } scratches SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1);
	 __type(key, __u32); __type(value, struct python_code); } new_codes SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, RING_BYTES); } records SEC(".maps");

char LICENSE[] SEC("license") = "GPL";

/*
 * A walk through the frames of a sample. The memory of the process may contain anything, and may change at any time. So every loop
 * is bounded, each read may fail, and a frame without a code object ends the stack.
 */
struct walk {
	const struct python_process *process;
	struct scratch *scratch;
	__u64 at;			/* address of the next frame */
	__u32 pid;
	__u32 next, nr;			/* .next: number of the next state in .scratch->states; .nr: number of states */
};

struct search {				/* for the thread's state */
	const struct python_process *process;
	struct scratch *scratch;
	__u64 interp, tstate, fsbase;
	__u32 matches, several;
};

static __always_inline __u64 read_word(__u64 at)
{
	__u64 v = 0;

	if (bpf_probe_read_user(&v, sizeof(v), (const void *)at))
		return 0;
	return v;
}

static __always_inline __u64 mix(__u64 h, __u64 v)
{
	h = (h ^ v) * 0xd6e8feb86659fd93ull;
	return h ^ h >> 32;
}

/* ---- the thread ---- */

static __always_inline __u64 frame_of_thread(const struct python_offsets *o, __u64 tstate)
{
	__u64 cframe;

	if (!o->cframe)
		return read_word(tstate + o->tstate_frame);
	cframe = read_word(tstate + o->cframe);
	return cframe ? read_word(cframe + o->cframe_frame) : 0;
}

static long search_step(__u32 i, void *ctx)
{
	struct search *s = ctx;
	const struct python_offsets *o = &s->process->offsets;

	if (!s->tstate) {
		s->interp = read_word(s->interp + o->interp_next);
		if (!s->interp)
			return 1;
		s->several = 1;
		s->tstate = read_word(s->interp + o->threads);
		return 0;
	}
	if (read_word(s->tstate + o->thread_id) == s->fsbase && frame_of_thread(o, s->tstate)) {
		s->scratch->states[s->matches & (PYTHON_INTERPRETERS_MAX - 1)] = s->tstate;
		s->matches++;
	}
	s->tstate = read_word(s->tstate + o->tstate_next);
	return 0;
}

/*
 * Sets the thread's states in @scratch, and returns how many there are. 0: it has none, or a flag of the sample says why. For a
 * process with one interpreter, the state is remembered. With several interpreters, their calls can be put in order only if each
 * call has an entry on the C stack (SHIM).
 */
static __always_inline __u32 find_states(const struct python_process *p, const struct thread_key *key, __u64 fsbase,
					 struct scratch *scratch)
{
	const struct python_offsets *o = &p->offsets;
	struct search s = { .process = p, .scratch = scratch, .fsbase = fsbase };
	__u64 *known = bpf_map_lookup_elem(&threads, key);

	s.interp = read_word(p->runtime + o->heads);
	if (!s.interp || !fsbase)
		return 0;
	if (known && !read_word(s.interp + o->interp_next) && read_word(*known + o->thread_id) == fsbase &&
	    frame_of_thread(o, *known)) {
		scratch->states[0] = *known;
		return 1;
	}
	s.tstate = read_word(s.interp + o->threads);
	bpf_loop(STEPS_MAX, search_step, &s, 0);
	if (s.matches == 1 && !s.several)
		bpf_map_update_elem(&threads, key, &scratch->states[0], BPF_ANY);
	if (s.matches <= 1)
		return s.matches;
	if (s.matches > PYTHON_INTERPRETERS_MAX || o->entries != PYTHON_ENTRY_SHIM) {
		scratch->sample.flags |= PYTHON_AMBIGUOUS;
		return 0;
	}
	scratch->sample.flags |= PYTHON_SEVERAL;
	return s.matches;
}

/* ---- code ---- */

/* Copies a string of CPython as it is in memory, or nothing. __noinline: the verifier checks each function by itself. */
__noinline int read_text(const struct python_process *p, __u64 text, struct python_text *out)
{
	__u64 length;
	__u32 state = 0, kind, bytes;

	if (!p || !out)
		return 0;
	out->size = out->kind = 0;
	if (!text || bpf_probe_read_user(&state, sizeof(state), (const void *)(text + 32)))
		return 0;
	kind = state >> 2 & 7;
	length = read_word(text + 16);
	if (!(state >> 5 & 1) || (kind != 1 && kind != 2 && kind != 4) || !length)
		return 0;
	bytes = length >= PYTHON_NAME_MAX / 4 ? (PYTHON_NAME_MAX / 4 - 1) * kind : (__u32)length * kind;
	/* The compiler knows that the size is below the limit. The verifier does not, so the next line repeats it. */
	barrier_var(bytes);
	bytes &= PYTHON_NAME_MAX - 1;
	if (bpf_probe_read_user(out->text, bytes,
				(const void *)(text + (state >> 6 & 1 ? p->offsets.ascii : p->offsets.compact))))
		return 0;
	out->size = (__u16)bytes;
	out->kind = (__u16)kind;
	return 1;
}

__noinline int send_code(struct python_code *c, const struct python_process *p, __u64 name, __u64 file, __u64 lines)
{
	__u64 size;

	if (!c || !p)
		return 1;
	c->kind = PYTHON_CODE;
	read_text(p, name, &c->name);
	read_text(p, file, &c->file);
	c->lines_size = 0;
	size = lines ? read_word(lines + 16) : 0;
	if (size && size < PYTHON_LINES_MAX) {
		barrier_var(size);
		size &= PYTHON_LINES_MAX - 1;
		if (!bpf_probe_read_user(c->lines, size, (const void *)(lines + 32)))
			c->lines_size = (__u32)size;
	}
	size = c->lines_size;
	barrier_var(size);
	size = __builtin_offsetof(struct python_code, lines) + (size & (PYTHON_LINES_MAX - 1));
	return (int)bpf_ringbuf_output(&records, c, size, BPF_RB_NO_WAKEUP);
}

#define WORD_AT(bytes, at, max)		(*(const __u64 *)((bytes) + ((at) & ((max) - 8))))

/* Sends the names and lines of the code object at @at, if they were not sent. @code: its first CODE_BYTES. Returns its hash. */
static __always_inline __u64 know_code(struct walk *w, __u64 at, const __u8 *code)
{
	const struct python_offsets *o = &w->process->offsets;
	__u64 name = WORD_AT(code, o->name, 256), file = WORD_AT(code, o->file, 256), lines = WORD_AT(code, o->lines, 256);
	__u32 first = *(const __u32 *)(code + (o->first & 0x7c)), zero = 0;
	struct code_key key = { .code = at, .pid = w->pid };
	__u64 print, *known, bytes;
	struct python_code *c;

	print = mix(mix(mix(mix(mix(0, name), file), lines), first), read_word(name + 24));
	known = bpf_map_lookup_elem(&codes, &key);
	if (known && *known == print)
		return print;
	c = bpf_map_lookup_elem(&new_codes, &zero);
	if (!c)
		return print;
	c->pid = w->pid;
	c->version = o->version;
	c->code = at;
	c->print = print;
	c->first = first;
	if (o->entries == PYTHON_ENTRY_EACH) {
		bytes = WORD_AT(code, o->bytes, 64);
		c->size = (__u32)read_word(bytes + 16);
	} else {
		c->size = *(const __u32 *)(code + 16) * 2;
	}
	if (!send_code(c, w->process, name, file, lines))
		bpf_map_update_elem(&codes, &key, &print, BPF_ANY);
	return print;
}

/* ---- frames ---- */

/* Returns the offset in bytes of the frame's current instruction in its code. */
static __always_inline __u32 place_in_code(const struct python_offsets *o, const __u8 *frame, __u64 code)
{
	if (o->entries == PYTHON_ENTRY_EACH) {
		__u32 last = *(const __u32 *)(frame + (o->instr & 0x7c));

		return o->version >= 0x30a && last != ~0u ? 2 * last : last;
	}
	return (__u32)(WORD_AT(frame, o->instr, FRAME_BYTES) - (code + o->bytes));
}

/* Marks the frame that the entry at @at called. With several interpreters, also adds a PYTHON_PLACE with the address @at. */
static __always_inline void pass_entry(struct scratch *s, __u64 at)
{
	__u32 nr = s->sample.nr;
	struct python_frame *f;

	if (nr && !(s->sample.frames[(nr - 1) & (PYTHON_FRAMES_MAX - 1)].flags & PYTHON_PLACE))
		s->sample.frames[(nr - 1) & (PYTHON_FRAMES_MAX - 1)].flags |= PYTHON_ENTRY;
	if (!(s->sample.flags & PYTHON_SEVERAL))
		return;
	if (nr >= PYTHON_FRAMES_MAX) {
		s->sample.flags |= PYTHON_CUT;
		return;
	}
	f = &s->sample.frames[nr & (PYTHON_FRAMES_MAX - 1)];
	f->code = at;
	f->print = 0;
	f->at = 0;
	f->flags = PYTHON_PLACE;
	s->sample.nr = nr + 1;
}

static long frame_step(__u32 i, void *ctx)
{
	struct walk *w = ctx;
	struct scratch *s = w->scratch;
	const struct python_offsets *o = &w->process->offsets;
	__u32 size = o->frame_size;
	struct python_frame *f;
	__u32 nr = s->sample.nr;	/* the number is kept in a map, so that the verifier does not follow each of its values */
	bool entry = false;
	__u64 code, at;

	if (!w->at && w->next < w->nr)
		w->at = frame_of_thread(o, s->states[w->next++ & (PYTHON_INTERPRETERS_MAX - 1)]);
	at = w->at;
	if (!at)
		return w->next >= w->nr;
	if (size > FRAME_BYTES || bpf_probe_read_user(s->frame, size, (const void *)at)) {
		s->sample.flags |= PYTHON_BROKEN;
		return 1;
	}
	w->at = WORD_AT(s->frame, o->back, FRAME_BYTES);
	/* An entry on the C stack is no frame. It marks the frame that it called. */
	if (o->entries == PYTHON_ENTRY_SHIM && s->frame[o->owner & (FRAME_BYTES - 1)] == 3) {
		pass_entry(s, at);
		return 0;
	}
	if (nr >= PYTHON_FRAMES_MAX) {
		s->sample.flags |= PYTHON_CUT;
		return 1;
	}
	code = WORD_AT(s->frame, o->code, FRAME_BYTES);
	if (bpf_probe_read_user(s->code, CODE_BYTES, (const void *)code) ||
	    *(const __u64 *)(s->code + 8) != w->process->code_type) {
		s->sample.flags |= PYTHON_BROKEN;
		return 1;
	}
	if (o->entries == PYTHON_ENTRY_EACH)
		entry = true;
	else if (o->entries == PYTHON_ENTRY_FLAG)
		entry = s->frame[o->entry & (FRAME_BYTES - 1)];
	f = &s->sample.frames[nr & (PYTHON_FRAMES_MAX - 1)];
	f->code = code;
	f->flags = entry ? PYTHON_ENTRY : 0;
	f->at = place_in_code(o, s->frame, code);
	f->print = know_code(w, code, s->code);
	s->sample.nr = nr + 1;
	return 0;
}

/* Returns the description of the process. A forked child has that of its parent until it executes another program. */
static __always_inline const struct python_process *find_process(struct task_struct *task, __u32 pid)
{
	const struct python_process *p = bpf_map_lookup_elem(&processes, &pid);
	__u32 parent;

	if (!p) {
		parent = (__u32)BPF_CORE_READ(task, real_parent, tgid);
		p = bpf_map_lookup_elem(&processes, &parent);
	}
	if (!p || BPF_CORE_READ(task, mm, start_code) != p->start_code || BPF_CORE_READ(task, mm, end_code) != p->end_code)
		return NULL;
	return p;
}

/*
 * Sends the frames of the current thread, with the thread and a time, by which the recorder finds the sample. @time is that of the
 * sample; 0: the time after all reads. Only one program at a time runs on a CPU, so it has the CPU's scratch for itself.
 */
static __always_inline void send_frames(__u32 kind, __u64 time)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	__u64 id = bpf_get_current_pid_tgid();
	struct thread_key key = { .pid = id >> 32, .tid = (__u32)id };
	const struct python_process *p;
	struct scratch *scratch;
	struct walk w = {0};
	__u32 zero = 0, nr;

	if (!key.pid)
		return;
	p = find_process(task, key.pid);
	scratch = bpf_map_lookup_elem(&scratches, &zero);
	if (!p || !scratch)
		return;
	scratch->sample.kind = kind;
	scratch->sample.pid = key.pid;
	scratch->sample.tid = key.tid;
	scratch->sample.flags = 0;
	scratch->sample.nr = 0;
	w.process = p;
	w.scratch = scratch;
	w.pid = key.pid;
	w.nr = find_states(p, &key, BPF_CORE_READ(task, thread.fsbase), scratch);
	/* The entries of SHIM are steps, too, so there may be twice as many steps as frames. */
	if (w.nr)
		bpf_loop(2 * PYTHON_FRAMES_MAX, frame_step, &w, 0);
	nr = scratch->sample.nr;
	if (nr > PYTHON_FRAMES_MAX)
		return;
	scratch->sample.time = time ? time : bpf_ktime_get_ns();
	bpf_ringbuf_output(&records, &scratch->sample,
			   __builtin_offsetof(struct python_sample, frames) + nr * sizeof(struct python_frame), BPF_RB_NO_WAKEUP);
}

SEC("perf_event")
int python_frames(void *ctx)
{
	struct bpf_perf_event_data_kern *kernel = bpf_cast_to_kern_ctx(ctx);

	send_frames(PYTHON_SAMPLE, kernel->data->time);
	return 1;
}

/* Runs at sched:sched_switch in the thread that leaves the CPU (event_set.h). The sample takes its time after this. */
SEC("tracepoint")
int python_switch(void *ctx)
{
	send_frames(PYTHON_SWITCH, 0);
	return 1;
}
