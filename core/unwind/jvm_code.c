/*
 * Finds the return address in frames of code that HotSpot (the JVM of JDK 17, on x86-64) has compiled or generated. jvm_structs.c
 * finds the layout of HotSpot's structures, and jvm_methods.c reads names and inlined methods.
 */
#include "core/unwind/jvm_code.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/util.h"
#include "core/base/vec.h"
#include "core/model/java.h"
#include "core/unwind/jvm_methods.h"
#include "core/unwind/jvm_table.h"

#define JVMS_MAX	256
#define METHODS_MAX	(1u << 16)	/* maximum number of known interpreted methods */
#define CODES_MAX	(1u << 16)	/* maximum number of known blobs; then all are forgotten */
#define NAME_MAX_SIZE	64
#define HEAPS_MAX	8
#define STEPS_MAX	512		/* maximum number of steps in the segment map from an address to the start of its block */
#define HEAP_SIZE	512		/* bytes to read of a CodeHeap, which include all needed fields */
#define BLOCK_HEADER	16		/* bytes of a HeapBlock's header, before the CodeBlob */
#define BLOB_SIZE	512		/* bytes to read of a CodeBlob or nmethod, which include all needed fields */
#define BLOB_LEAST	64		/* minimum bytes of a CodeBlob, which may be at the end of the readable memory */
#define CODE_BEFORE	1		/* bytes of code before an address that are read to see if the frame is complete */
#define CODE_AFTER	16		/* the same for the bytes from the address on */
#define CALL_BYTES	2		/* size of the shortest call instruction */
#define FRAME_MAX	(1 << 20)
#define ROUND_NS	10000000	/* code is compared with the JVM's memory at most once in this time */

/* A CodeHeap of HotSpot in the memory of the process. It contains the blocks of code (CodeBlob). */
struct heap { uint64_t low, high, segmap, segmap_high; int32_t log2; };

struct known_name { uint64_t method; char *name; };	/* .name is owned; "": there is none */

struct known_place { uint64_t key; bool known; };	/* .known: the methods that are inlined at this place are known */

/* A CodeBlob: a compiled method, or other code of the JVM. */
struct blob {
	uint32_t pid, number;
	const struct jvm_structs *jvm;	/* borrowed */
	uint64_t address;
	struct jvm_identity id;
	int32_t complete;		/* offset in the code from which on the frame is complete */
	bool is_nmethod, hides;		/* .hides: methods are inlined in it, and HotSpot describes only some of its addresses */
	bool looked;			/* .hides is valid */
	struct jvm_nmethod nmethod;
	uint64_t handlers[2];		/* addresses that callees return to after the method was deoptimized */
	uint32_t original;		/* offset in the frame of the return address that a handler replaced */
	uint64_t round;			/* jvm_code.round when the blob was last compared with the JVM's memory */
	uint64_t first;			/* time of the earliest sample in it */
	uint32_t in_table;		/* number in the table; JVM_NO_CODE: not there */
	VEC(struct known_name) names;	/* names of the methods inlined in it */
	VEC(struct known_place) places;
	struct index by_place;
};

struct known_method {			/* a method that was interpreted */
	uint64_t method, address;	/* .method: of the Method; .address: jvm_table_method(), 0: it has no name */
	struct jvm_bytecode code;
	uint64_t round;
	uint32_t pid;
};

struct jvm_code {
	struct jvm_table *table;
	struct jvm_pages *pages;
	VEC(struct known_method) methods;
	struct index by_method;
	VEC(struct jvm_structs *) jvms;	/* owned, as the blobs are */
	size_t next;			/* index in .jvms of the next one to replace */
	VEC(struct blob *) blobs;	/* by number, from .first on */
	uint32_t first;			/* number of the first blob; lower numbers belong to forgotten blobs */
	VEC(struct blob *) by_address;	/* the same blobs, sorted by pid and address */
	uint64_t round, begun;		/* number of the round, from 1 on; its start, in ns of CLOCK_MONOTONIC */
	uint64_t retried;		/* the last round in which pages were read again because there was no code at an address */
};

struct jvm_code *jvm_code_new(struct jvm_table *table)
{
	struct jvm_code *j = xcalloc(1, sizeof(*j));

	j->table = table;
	j->pages = jvm_pages_new();
	j->first = j->round = 1;
	return j;
}

static void forget_blobs(struct jvm_code *j)
{
	vec_for(it, &j->blobs) {
		vec_for(known, &(*it)->names)
			free(known->name);
		vec_free(&(*it)->names);
		vec_free(&(*it)->places);
		index_release(&(*it)->by_place);
		free(*it);
	}
	j->first += (uint32_t)j->blobs.nr;
	j->blobs.nr = j->by_address.nr = 0;
}

void jvm_code_free(struct jvm_code *j)
{
	forget_blobs(j);
	vec_for(v, &j->jvms)
		free(*v);
	vec_free(&j->jvms);
	vec_free(&j->blobs);
	vec_free(&j->by_address);
	vec_free(&j->methods);
	index_release(&j->by_method);
	jvm_pages_free(j->pages);
	free(j);
}

static const struct jvm_structs *jvm_of(struct jvm_code *j, const struct jvm_place *p)
{
	struct jvm_structs *v;

	vec_for(known, &j->jvms)
		if ((*known)->pid == p->pid && (*known)->bias == p->bias)
			return *known;
	if (j->jvms.nr < JVMS_MAX) {
		vec_push(&j->jvms, xcalloc(1, sizeof(*v)));
	} else {
		forget_blobs(j);
	}
	v = j->jvms.v[j->next++ % JVMS_MAX];
	*v = (struct jvm_structs){ .pid = p->pid, .pages = j->pages, .bias = p->bias };
	jvm_structs_read(v, p->file);
	return v;
}

/* ---- the heaps of code ---- */

static bool read_heap(const struct jvm_structs *v, uint64_t heap, struct heap *out)
{
	const uint64_t *at = v->at;
	uint8_t bytes[HEAP_SIZE];

	if (!jvm_read(v, heap, bytes, sizeof(bytes)))
		return false;
	out->low = jvm_word(bytes, at[JVM_HEAP_MEMORY] + at[JVM_SPACE_LOW], sizeof(bytes));
	out->high = jvm_word(bytes, at[JVM_HEAP_MEMORY] + at[JVM_SPACE_HIGH], sizeof(bytes));
	out->segmap = jvm_word(bytes, at[JVM_HEAP_SEGMAP] + at[JVM_SPACE_LOW], sizeof(bytes));
	out->segmap_high = jvm_word(bytes, at[JVM_HEAP_SEGMAP] + at[JVM_SPACE_HIGH], sizeof(bytes));
	out->log2 = (int32_t)jvm_word(bytes, at[JVM_HEAP_LOG2], sizeof(bytes));
	return out->log2 > 0 && out->log2 < 32;
}

static bool find_heap(const struct jvm_structs *v, uint64_t pc, struct heap *out)
{
	uint64_t array, data, heap;
	int32_t nr;

	if (!jvm_read(v, v->at[JVM_HEAPS], &array, JVM_WORD) ||
	    !jvm_read(v, array + v->at[JVM_ARRAY_LEN], &nr, sizeof(nr)) ||
	    !jvm_read(v, array + v->at[JVM_ARRAY_DATA], &data, JVM_WORD))
		return false;
	for (int32_t i = 0; i < MIN(nr, HEAPS_MAX); i++)
		if (jvm_read(v, data + (uint64_t)i * JVM_WORD, &heap, JVM_WORD) && read_heap(v, heap, out) && out->low <= pc &&
		    pc < out->high)
			return true;
	return false;
}

/*
 * Finds the start of the block that contains @pc; 0: there is none. The segment map has a byte for each segment of the heap: the
 * number of segments to go back towards the first one of the block, 0 for the first one, 255 for a free segment.
 */
static uint64_t find_block(const struct jvm_structs *v, const struct heap *h, uint64_t pc)
{
	uint64_t segment = (pc - h->low) >> h->log2;
	uint8_t back;

	for (unsigned i = 0; i < STEPS_MAX && segment < h->segmap_high - h->segmap; i++) {
		if (!jvm_read(v, h->segmap + segment, &back, 1) || back == 0xff || back > segment)
			return 0;
		if (!back)
			return h->low + (segment << h->log2);
		segment -= back;
	}
	return 0;
}

/* ---- frames ---- */

/* True if the code is "ret", or "cmp n(%r15), %rsp; ja ADDRESS; ret", or begins within that. */
static bool is_return(const uint8_t *code)
{
	if (code[0] == 0x49 && code[1] == 0x3b && (code[2] == 0x67 || code[2] == 0xa7))
		code += code[2] == 0x67 ? 4 : 7;
	if (code[0] == 0x0f && code[1] == 0x87)
		code += 6;
	return code[0] == 0xc3;
}

static bool is_sub_sp(const uint8_t *code)
{
	return code[0] == 0x48 && (code[1] == 0x83 || code[1] == 0x81) && code[2] == 0xec;
}

/*
 * Finds the frame in a prologue (mov %eax, -N(%rsp); push %rbp; sub N, %rsp) or an epilogue (add N, %rsp; pop %rbp; is_return())
 * of HotSpot's compilers. @code may be read from CODE_BEFORE bytes before it on.
 */
static struct jvm_frame interrupted_frame(const uint8_t *code, bool is_first, bool is_complete, struct jvm_frame whole)
{
	static const uint8_t touch[] = { 0x89, 0x84, 0x24 }, push = 0x55, pop = 0x5d;
	static const struct jvm_frame none = { .kind = JVM_FRAME };
	static const struct jvm_frame pushed = { .kind = JVM_FRAME, .depth = JVM_WORD, .has_fp = true };

	if (is_return(code))
		return none;
	if (code[0] == pop && is_return(code + 1))
		return pushed;
	if (is_complete)
		return whole;
	if (is_sub_sp(code) && code[-1] == push)
		return pushed;
	if (is_first || is_sub_sp(code) || (code[0] == push && is_sub_sp(code + 1)) || !memcmp(code, touch, sizeof(touch)))
		return none;
	return (struct jvm_frame){ .kind = JVM_UNKNOWN };
}

/* ---- pieces of code ---- */

static void read_identity(const struct jvm_structs *v, const uint8_t *bytes, struct jvm_identity *out)
{
	*out = (struct jvm_identity){
		.begin = jvm_word(bytes, v->at[JVM_BLOB_BEGIN], BLOB_SIZE), .end = jvm_word(bytes, v->at[JVM_BLOB_END], BLOB_SIZE),
		.name = jvm_word(bytes, v->at[JVM_BLOB_NAME], BLOB_SIZE),
		.frame = (int32_t)jvm_u32(bytes, v->at[JVM_BLOB_FRAME], BLOB_SIZE),
	};
}

/* Reads the additional members that the identity of a compiled method has. */
static void read_method_identity(const struct jvm_structs *v, const uint8_t *bytes, struct jvm_identity *out)
{
	out->method = jvm_word(bytes, v->at[JVM_NM_METHOD], BLOB_SIZE);
	out->id = jvm_u32(bytes, v->at[JVM_NM_ID], BLOB_SIZE);
}

static void read_handlers(const struct jvm_structs *v, const uint8_t *bytes, struct blob *b)
{
	b->handlers[0] = jvm_word(bytes, v->at[JVM_NM_DEOPT], BLOB_SIZE);
	b->handlers[1] = jvm_word(bytes, v->at[JVM_NM_DEOPT_MH], BLOB_SIZE);
	b->original = jvm_u32(bytes, v->at[JVM_NM_ORIGINAL], BLOB_SIZE);
}

/* Reads the header of the CodeBlob at @address. Bytes that cannot be read become zeros. False: too few can be read. */
static bool read_blob(const struct jvm_structs *v, uint64_t address, uint8_t bytes[BLOB_SIZE])
{
	memset(bytes, 0, BLOB_SIZE);
	return jvm_read_some(v, address, bytes, BLOB_SIZE) >= BLOB_LEAST;
}

static bool is_compiled(const char *kind)
{
	return str_eq(kind, "nmethod") || str_eq(kind, "native nmethod");
}

/* Adds the code to the table, if its name is known. @time is the time of the sample that it was found for. */
static void name_blob(struct jvm_code *j, struct blob *b, const char *kind, uint64_t time)
{
	struct buf name = {0};

	if (b->is_nmethod)
		jvm_method_name(b->jvm, b->id.method, &name);
	else if (!is_compiled(kind))
		buf_puts(&name, kind);
	if (j->table && b->jvm->has_methods && time && name.len >= JAVA_NAME_LEAST && b->id.end - b->id.begin <= UINT32_MAX)
		b->in_table = jvm_table_code(j->table, b->pid, &b->id, buf_str(&name), time);
	buf_release(&name);
}

static int compare_blobs(const struct blob *b, uint32_t pid, uint64_t pc)
{
	return b->pid != pid ? (b->pid < pid ? -1 : 1) : b->id.end <= pc ? -1 : b->id.begin > pc;
}

/* Returns the index in .by_address of the code of @pid that contains @pc; if there is none, the index to insert it at. */
static size_t place_of(const struct jvm_code *j, uint32_t pid, uint64_t pc)
{
	return bisect(i, 0, j->by_address.nr, compare_blobs(j->by_address.v[i], pid, pc) < 0);
}

static struct blob *known_blob(const struct jvm_code *j, uint32_t pid, uint64_t pc)
{
	size_t at = place_of(j, pid, pc);

	return at < j->by_address.nr && !compare_blobs(j->by_address.v[at], pid, pc) ? j->by_address.v[at] : NULL;
}

static struct blob *keep_blob(struct jvm_code *j, const struct blob *b)
{
	size_t at = place_of(j, b->pid, b->id.begin);
	const struct blob *next = at < j->by_address.nr ? j->by_address.v[at] : NULL;
	struct blob *kept = xmalloc(sizeof(*kept));

	/* If known code overlaps the new code, the JVM has freed it. */
	if (j->blobs.nr == CODES_MAX || (next && next->pid == b->pid && next->id.begin < b->id.end)) {
		forget_blobs(j);
		at = 0;
	}
	*kept = *b;
	kept->number = j->first + (uint32_t)j->blobs.nr;
	vec_push(&j->blobs, kept);
	vec_push(&j->by_address, kept);
	memmove(j->by_address.v + at + 1, j->by_address.v + at, (j->by_address.nr - 1 - at) * sizeof(*j->by_address.v));
	j->by_address.v[at] = kept;
	return kept;
}

/* Reads the code that contains @pc from @heap, and keeps it. NULL: there is no valid code. */
static struct blob *find_blob(struct jvm_code *j, const struct jvm_structs *v, const struct heap *heap, uint64_t pc, uint64_t time)
{
	struct blob b = { .pid = v->pid, .jvm = v, .round = j->round, .first = time, .in_table = JVM_NO_CODE };
	uint64_t block = find_block(v, heap, pc);
	uint8_t bytes[BLOB_SIZE], used;
	char kind[NAME_MAX_SIZE];
	struct blob *kept;

	b.address = block + BLOCK_HEADER;
	if (!block || !jvm_read(v, block + v->at[JVM_BLOCK_USED], &used, 1) || !used || !read_blob(v, b.address, bytes))
		return NULL;
	read_identity(v, bytes, &b.id);
	b.complete = (int32_t)jvm_u32(bytes, v->at[JVM_BLOB_COMPLETE], BLOB_SIZE);
	if (pc < b.id.begin || pc >= b.id.end)
		return NULL;
	jvm_read_text(v, b.id.name, kind, sizeof(kind));
	b.is_nmethod = v->has_methods && is_compiled(kind) && jvm_nmethod_read(v, b.address, bytes, BLOB_SIZE, &b.nmethod);
	if (b.is_nmethod) {
		read_method_identity(v, bytes, &b.id);
		read_handlers(v, bytes, &b);
	}
	kept = keep_blob(j, &b);
	name_blob(j, kept, kind, time);
	return kept;
}

/* True if the JVM has not replaced the code since it was read. For a process that has ended, the last known state is valid. */
static bool is_unchanged(const struct blob *b)
{
	uint8_t bytes[BLOB_SIZE];
	struct jvm_identity id;

	if (!read_blob(b->jvm, b->address, bytes))
		return jvm_has_ended(b->pid);
	read_identity(b->jvm, bytes, &id);
	if (b->is_nmethod)
		read_method_identity(b->jvm, bytes, &id);
	return !memcmp(&id, &b->id, sizeof(id));
}

void jvm_code_begin(struct jvm_code *j)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now - j->begun < ROUND_NS)
		return;
	j->begun = now;
	j->round++;
	jvm_pages_forget(j->pages);
}

static bool blob_holds(struct jvm_code *j, struct blob *b, uint64_t time)
{
	if (b->round != j->round && !is_unchanged(b))
		return false;
	b->round = j->round;
	if (time < b->first && b->in_table != JVM_NO_CODE)
		jvm_table_earlier(j->table, b->in_table, time);
	b->first = MIN(b->first, time);
	return true;
}

bool jvm_code_holds(struct jvm_code *j, uint32_t code, uint64_t time)
{
	uint32_t at = code - j->first;

	if (code < j->first || at >= j->blobs.nr)
		return false;
	if (blob_holds(j, j->blobs.v[at], time))
		return true;
	forget_blobs(j);
	return false;
}

/* ---- inlined methods ---- */

static const char *name_of(struct blob *b, uint64_t method)
{
	struct buf name = {0};

	vec_for(known, &b->names)
		if (known->method == method)
			return known->name;
	jvm_method_name(b->jvm, method, &name);
	vec_push(&b->names, (struct known_name){ method, xstrdup(buf_str(&name)) });
	buf_release(&name);
	return b->names.v[b->names.nr - 1].name;
}

static void keep_inlined(struct jvm_code *j, struct blob *b, uint32_t offset, bool interrupted, const struct jvm_scopes *s)
{
	const char *names[JVM_SCOPES_MAX];
	uint32_t back = interrupted ? 0 : MIN(offset, CALL_BYTES);

	for (uint32_t i = 0; i + 1 < s->nr; i++) {
		names[i] = name_of(b, s->methods[i]);
		if (!*names[i])
			return;
	}
	if (s->nr > 1 && b->in_table != JVM_NO_CODE)
		jvm_table_inlined(j->table, b->in_table, offset - back, MAX(back, 1), names, s->nr - 1);
}

/*
 * Finds the methods inlined at @offset; false: unknown. HotSpot describes them for the return address of each call. For other
 * instructions they are known only if HotSpot describes all instructions (-XX:+DebugNonSafepoints). Otherwise the nearest described
 * address does not help, because compilers move code, and code between two described addresses may be of yet another method.
 */
static bool find_inlined(struct jvm_code *j, struct blob *b, uint32_t offset, bool interrupted)
{
	struct jvm_scopes s;

	if ((interrupted && !b->jvm->all_places) || !jvm_nmethod_scopes(b->jvm, &b->nmethod, offset, interrupted, &s))
		return false;
	keep_inlined(j, b, offset, interrupted, &s);
	return true;
}

static bool knows_inlined(struct jvm_code *j, struct blob *b, uint32_t offset, bool interrupted)
{
	struct known_place place = { (uint64_t)offset << 1 | interrupted, false };
	uint64_t h = hash_u64(place.key);

	index_for(pos, &b->by_place, h)
		if (b->places.v[pos].key == place.key)
			return b->places.v[pos].known;
	place.known = find_inlined(j, b, offset, interrupted);
	index_add(&b->by_place, h, (uint32_t)b->places.nr);
	vec_push(&b->places, place);
	return place.known;
}

/* Looks for the methods inlined at @pc. True: there may be some, but they are unknown. */
static bool hides_inlined(struct jvm_code *j, struct blob *b, uint64_t pc, bool interrupted)
{
	if (!b->is_nmethod || knows_inlined(j, b, (uint32_t)(pc - b->id.begin), interrupted))
		return false;
	if (!b->looked)
		b->hides = jvm_nmethod_inlines(b->jvm, &b->nmethod);
	b->looked = true;
	return b->hides;
}

/* ---- interpreted methods ---- */

static void read_method(struct jvm_code *j, const struct jvm_structs *v, struct known_method *m)
{
	struct buf name = {0};

	m->address = 0;
	if (jvm_method_bytecode(v, m->method, &m->code) && jvm_method_name(v, m->method, &name))
		m->address = jvm_table_method(j->table, buf_str(&name));
	buf_release(&name);
}

/* False if another method is now at the address. The JVM may unload a class and put another at its place, with other bytecode. */
static bool method_holds(const struct jvm_structs *v, const struct known_method *m)
{
	struct jvm_bytecode now = {0};

	if (!jvm_method_bytecode(v, m->method, &now))
		return jvm_has_ended(m->pid);
	return now.begin == m->code.begin && now.end == m->code.end;
}

static const struct known_method *method_of(struct jvm_code *j, const struct jvm_structs *v, uint64_t method)
{
	struct known_method *m = NULL;
	uint64_t h = hash_pair(v->pid, method);

	index_for(pos, &j->by_method, h)
		if (j->methods.v[pos].pid == v->pid && j->methods.v[pos].method == method)
			m = &j->methods.v[pos];
	if (!m && j->methods.nr == METHODS_MAX)
		return NULL;
	if (!m) {
		index_add(&j->by_method, h, (uint32_t)j->methods.nr);
		vec_push(&j->methods, (struct known_method){ .method = method, .pid = v->pid });
		m = &j->methods.v[j->methods.nr - 1];
	}
	if (m->round != j->round && !(m->round && method_holds(v, m)))
		read_method(j, v, m);
	m->round = j->round;
	return m;
}

/* Checks that @at is in the bytecode of @method, because in an incomplete frame both are arbitrary words. */
uint64_t jvm_code_method(struct jvm_code *j, uint32_t code, uint64_t method, uint64_t at)
{
	uint32_t number = code - j->first;
	const struct jvm_structs *v = code >= j->first && number < j->blobs.nr ? j->blobs.v[number]->jvm : NULL;
	const struct known_method *m = v && v->has_methods && j->table && method ? method_of(j, v, method) : NULL;

	if (!m || (at ? at < m->code.begin || at >= m->code.end : !m->code.is_native))
		return 0;
	return m->address;
}

/* ---- frames of code ---- */

/* For code without a frame size: the interpreter, StubRoutines with frame pointers, and stubs of virtual calls without a frame. */
static struct jvm_frame other_frame(const struct blob *b, bool interrupted)
{
	char name[NAME_MAX_SIZE];

	jvm_read_text(b->jvm, b->id.name, name, sizeof(name));
	if (str_eq(name, "Interpreter"))
		return (struct jvm_frame){ .kind = JVM_INTERPRETER };
	if (str_starts(name, "StubRoutines"))
		return (struct jvm_frame){ .kind = JVM_NONE };
	return (struct jvm_frame){ .kind = interrupted && str_starts(name, "vtable") ? JVM_FRAME : JVM_UNKNOWN };
}

static struct jvm_frame frame_in(const struct blob *b, uint64_t pc, bool interrupted)
{
	struct jvm_frame whole = { .kind = JVM_FRAME, .depth = (uint32_t)(b->id.frame - 1) * JVM_WORD, .has_fp = true };
	uint8_t code[CODE_BEFORE + CODE_AFTER];

	if (b->id.frame < 2 || b->id.frame > FRAME_MAX)
		return other_frame(b, interrupted);
	if (!interrupted && b->is_nmethod && (pc == b->handlers[0] || pc == b->handlers[1]))
		return (struct jvm_frame){ .kind = JVM_DEOPTIMIZED, .depth = MIN(b->original, whole.depth) };
	if (!interrupted)
		return whole;
	if (!jvm_read(b->jvm, pc - CODE_BEFORE, code, sizeof(code)))
		return (struct jvm_frame){ .kind = JVM_UNKNOWN };
	return interrupted_frame(code + CODE_BEFORE, pc == b->id.begin,
				 b->complete >= 0 && pc - b->id.begin >= (uint64_t)b->complete, whole);
}

/* Looks for code at @pc that is not known yet. Sets out->kind if @pc is within a heap. NULL: there is no valid code. */
static struct blob *new_blob(struct jvm_code *j, const struct jvm_structs *v, uint64_t pc, uint64_t time, struct jvm_frame *out)
{
	struct heap heap;

	if (!find_heap(v, pc, &heap))
		return NULL;
	out->kind = JVM_UNKNOWN;
	return find_blob(j, v, &heap, pc, time);
}

void jvm_code_find(struct jvm_code *j, const struct jvm_place *p, struct jvm_frame *out)
{
	const struct jvm_structs *v = jvm_of(j, p);
	uint64_t at = p->pc - !p->interrupted;
	struct blob *b;

	*out = (struct jvm_frame){0};
	if (!v->has_code)
		return;
	b = known_blob(j, p->pid, at);
	if (b && !blob_holds(j, b, p->time)) {
		forget_blobs(j);
		b = NULL;
	}
	if (!b)
		b = new_blob(j, v, at, p->time, out);
	/* The pages may be older than the code. */
	if (!b && j->retried != j->round) {
		j->retried = j->round;
		jvm_pages_forget(j->pages);
		b = new_blob(j, v, at, p->time, out);
	}
	if (!b)
		return;
	*out = frame_in(b, p->pc, p->interrupted);
	out->hides_inlined = hides_inlined(j, b, p->pc, p->interrupted);
	out->code = b->number;
}
