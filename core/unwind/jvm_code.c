/* x86-64; JDK 17. Layer: unwind */
#include "core/unwind/jvm_code.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "core/base/util.h"
#include "core/base/vec.h"
#include "core/binary/elf.h"

#define JVMS_MAX	256
#define ENTRIES_MAX	2048		/* of the table of fields */
#define NAME_MAX_SIZE	64
#define HEAPS_MAX	8
#define STEPS_MAX	512		/* from an address to the beginning of its block */
#define HEAP_SIZE	512		/* bytes of a CodeHeap in which its fields are */
#define BLOCK_HEADER	16		/* bytes of a HeapBlock, before the blob */
#define BLOB_SIZE	256		/* the same of a CodeBlob */
#define CODE_BEFORE	1		/* bytes of code that tell of a frame: before an address, */
#define CODE_AFTER	16		/* and from it on */
#define FRAME_MAX	(1 << 20)
#define WORD		8

enum field {
	HEAPS, ARRAY_LEN, ARRAY_DATA, HEAP_MEMORY, HEAP_SEGMAP, HEAP_LOG2, SPACE_LOW, SPACE_HIGH, BLOCK_USED,
	BLOB_NAME, BLOB_FRAME, BLOB_COMPLETE, BLOB_BEGIN, BLOB_END, NR_FIELDS
};

static const struct { const char *type, *field; } fields[NR_FIELDS] = {
	[HEAPS] = { "CodeCache", "_heaps" },
	[ARRAY_LEN] = { "GrowableArrayBase", "_len" },
	[ARRAY_DATA] = { "GrowableArray<int>", "_data" },
	[HEAP_MEMORY] = { "CodeHeap", "_memory" },
	[HEAP_SEGMAP] = { "CodeHeap", "_segmap" },
	[HEAP_LOG2] = { "CodeHeap", "_log2_segment_size" },
	[SPACE_LOW] = { "VirtualSpace", "_low" },
	[SPACE_HIGH] = { "VirtualSpace", "_high" },
	[BLOCK_USED] = { "HeapBlock::Header", "_used" },
	[BLOB_NAME] = { "CodeBlob", "_name" },
	[BLOB_FRAME] = { "CodeBlob", "_frame_size" },
	[BLOB_COMPLETE] = { "CodeBlob", "_frame_complete_offset" },
	[BLOB_BEGIN] = { "CodeBlob", "_code_begin" },
	[BLOB_END] = { "CodeBlob", "_code_end" },
};

/* Of the table: its variables in libjvm.so, gHotSpotVMStruct... */
enum variable { TABLE, STRIDE, TYPE_AT, FIELD_AT, OFFSET_AT, ADDRESS_AT, NR_VARIABLES };
static const char *const variables[NR_VARIABLES] = {
	"gHotSpotVMStructs", "gHotSpotVMStructEntryArrayStride", "gHotSpotVMStructEntryTypeNameOffset",
	"gHotSpotVMStructEntryFieldNameOffset", "gHotSpotVMStructEntryOffsetOffset", "gHotSpotVMStructEntryAddressOffset",
};

struct heap { uint64_t low, high, segmap, segmap_high; int32_t log2; };

struct jvm {
	uint32_t pid;
	uint64_t bias;
	bool is_known;			/* all fields were found */
	uint64_t places[NR_FIELDS];	/* offset in the type; of HEAPS the address */
};

struct jvm_code { VEC(struct jvm) list; size_t next; };

struct jvm_code *jvm_code_new(void)
{
	return xcalloc(1, sizeof(struct jvm_code));
}

void jvm_code_free(struct jvm_code *j)
{
	vec_free(&j->list);
	free(j);
}

/* ---- the process's memory ---- */

static size_t read_some(uint32_t pid, uint64_t addr, void *out, size_t n)
{
	struct iovec here = { out, n }, there = { (void *)(uintptr_t)addr, n };
	ssize_t got = process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0);

	return (size_t)MAX(got, 0);
}

static bool read_all(uint32_t pid, uint64_t addr, void *out, size_t n)
{
	return read_some(pid, addr, out, n) == n;
}

/* A string may end at the end of what can be read. */
static void read_name(uint32_t pid, uint64_t addr, char out[NAME_MAX_SIZE])
{
	out[addr ? MIN(read_some(pid, addr, out, NAME_MAX_SIZE), NAME_MAX_SIZE - 1) : 0] = '\0';
}

/* ---- its structures ---- */

static bool find_variables(const char *file, uint64_t bias, uint64_t addrs[NR_VARIABLES])
{
	struct symbols symbols = {0};
	struct elf_file *e;
	bool all = true;

	if (elf_file_open(&e, file))
		return false;
	elf_file_symbols(e, ".dynsym", NULL, &symbols);
	vec_for(s, &symbols.list)
		for (size_t i = 0; i < NR_VARIABLES; i++)
			if (str_eq(s->name, variables[i]))
				addrs[i] = s->start + bias;
	symbols_release(&symbols);
	elf_file_close(e);
	for (size_t i = 0; i < NR_VARIABLES; i++)
		all = all && addrs[i];
	return all;
}

/* 0: it is outside. @size is at least a word. */
static uint64_t word_in(const uint8_t *bytes, uint64_t at, uint64_t size)
{
	uint64_t v = 0;

	if (at <= size - sizeof(v))
		memcpy(&v, bytes + at, sizeof(v));
	return v;
}

/* Takes the entry if it is of a field that is wanted. Returns false at the end of the table. */
static bool read_entry(struct jvm *v, const uint64_t vars[NR_VARIABLES], const uint8_t *entry, uint64_t size, unsigned *found)
{
	char type[NAME_MAX_SIZE], field[NAME_MAX_SIZE];

	read_name(v->pid, word_in(entry, vars[TYPE_AT], size), type);
	if (!type[0])
		return false;
	read_name(v->pid, word_in(entry, vars[FIELD_AT], size), field);
	for (size_t i = 0; i < NR_FIELDS; i++) {
		if (!str_eq(fields[i].type, type) || !str_eq(fields[i].field, field))
			continue;
		v->places[i] = word_in(entry, vars[i == HEAPS ? ADDRESS_AT : OFFSET_AT], size);
		*found |= 1u << i;
	}
	return true;
}

static void read_structs(struct jvm *v, const char *file)
{
	uint64_t addrs[NR_VARIABLES] = {0}, vars[NR_VARIABLES];
	uint8_t entry[128];
	unsigned found = 0;

	if (!find_variables(file, v->bias, addrs))
		return;
	for (size_t i = 0; i < NR_VARIABLES; i++)
		if (!read_all(v->pid, addrs[i], &vars[i], sizeof(vars[i])))
			return;
	if (vars[STRIDE] < WORD || vars[STRIDE] > sizeof(entry))
		return;
	for (unsigned i = 0; i < ENTRIES_MAX; i++)
		if (!read_all(v->pid, vars[TABLE] + i * vars[STRIDE], entry, vars[STRIDE]) ||
		    !read_entry(v, vars, entry, vars[STRIDE], &found))
			break;
	v->is_known = found == (1u << NR_FIELDS) - 1;
}

static const struct jvm *jvm_of(struct jvm_code *j, uint32_t pid, const char *file, uint64_t bias)
{
	struct jvm *v;

	vec_for(known, &j->list)
		if (known->pid == pid && known->bias == bias)
			return known;
	if (j->list.nr < JVMS_MAX)
		vec_push(&j->list, (struct jvm){0});
	v = &j->list.v[j->next++ % JVMS_MAX];
	*v = (struct jvm){ .pid = pid, .bias = bias };
	read_structs(v, file);
	return v;
}

/* ---- its code ---- */

static bool read_heap(const struct jvm *v, uint64_t heap, struct heap *out)
{
	const uint64_t *at = v->places;
	uint8_t bytes[HEAP_SIZE];

	if (!read_all(v->pid, heap, bytes, sizeof(bytes)))
		return false;
	out->low = word_in(bytes, at[HEAP_MEMORY] + at[SPACE_LOW], sizeof(bytes));
	out->high = word_in(bytes, at[HEAP_MEMORY] + at[SPACE_HIGH], sizeof(bytes));
	out->segmap = word_in(bytes, at[HEAP_SEGMAP] + at[SPACE_LOW], sizeof(bytes));
	out->segmap_high = word_in(bytes, at[HEAP_SEGMAP] + at[SPACE_HIGH], sizeof(bytes));
	out->log2 = (int32_t)word_in(bytes, at[HEAP_LOG2], sizeof(bytes));
	return out->log2 > 0 && out->log2 < 32;
}

static bool find_heap(const struct jvm *v, uint64_t pc, struct heap *out)
{
	uint64_t array, data, heap;
	int32_t nr;

	if (!read_all(v->pid, v->places[HEAPS], &array, WORD) ||
	    !read_all(v->pid, array + v->places[ARRAY_LEN], &nr, sizeof(nr)) ||
	    !read_all(v->pid, array + v->places[ARRAY_DATA], &data, WORD))
		return false;
	for (int32_t i = 0; i < MIN(nr, HEAPS_MAX); i++)
		if (read_all(v->pid, data + (uint64_t)i * WORD, &heap, WORD) && read_heap(v, heap, out) && out->low <= pc &&
		    pc < out->high)
			return true;
	return false;
}

/* Each segment has a byte: how many to go back, to the first or to one that says more; 0: it is the first; 255: it is free. */
static uint64_t find_block(const struct jvm *v, const struct heap *h, uint64_t pc)
{
	uint64_t segment = (pc - h->low) >> h->log2;
	uint8_t back;

	for (unsigned i = 0; i < STEPS_MAX && segment < h->segmap_high - h->segmap; i++) {
		if (!read_all(v->pid, h->segmap + segment, &back, 1) || back == 0xff || back > segment)
			return 0;
		if (!back)
			return h->low + (segment << h->log2);
		segment -= back;
	}
	return 0;
}

/* ---- frames ---- */

/* [cmp n(%r15), %rsp; ja place]; ret */
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
 * Where the frame is made (mov %eax, -N(%rsp); push %rbp; sub N, %rsp) or left (add N, %rsp; pop %rbp; and as above), as
 * HotSpot's compilers write it. @code: CODE_BEFORE bytes after the first one that may be looked at.
 */
static struct jvm_frame interrupted_frame(const uint8_t *code, bool is_first, bool is_complete, struct jvm_frame whole)
{
	static const uint8_t touch[] = { 0x89, 0x84, 0x24 }, push = 0x55, pop = 0x5d;
	static const struct jvm_frame none = { JVM_FRAME, 0, false }, pushed = { JVM_FRAME, WORD, true };

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

/* Without a size: the interpreter; StubRoutines, which keep frame pointers; stubs of virtual calls, which have no frame. */
static struct jvm_frame other_frame(const struct jvm *v, uint64_t name_at, bool interrupted)
{
	char name[NAME_MAX_SIZE];

	read_name(v->pid, name_at, name);
	if (str_eq(name, "Interpreter"))
		return (struct jvm_frame){ .kind = JVM_INTERPRETER };
	if (str_starts(name, "StubRoutines"))
		return (struct jvm_frame){ .kind = JVM_NONE };
	return (struct jvm_frame){ .kind = interrupted && str_starts(name, "vtable") ? JVM_FRAME : JVM_UNKNOWN };
}

static struct jvm_frame frame_in(const struct jvm *v, const uint8_t *blob, uint64_t pc, bool interrupted)
{
	uint64_t begin = word_in(blob, v->places[BLOB_BEGIN], BLOB_SIZE);
	int32_t size = (int32_t)word_in(blob, v->places[BLOB_FRAME], BLOB_SIZE);
	int32_t complete = (int32_t)word_in(blob, v->places[BLOB_COMPLETE], BLOB_SIZE);
	struct jvm_frame whole = { JVM_FRAME, (uint32_t)(size - 1) * WORD, true };
	uint8_t code[CODE_BEFORE + CODE_AFTER];

	if (pc < begin || pc > word_in(blob, v->places[BLOB_END], BLOB_SIZE))
		return (struct jvm_frame){ .kind = JVM_UNKNOWN };
	if (size < 2 || size > FRAME_MAX)
		return other_frame(v, word_in(blob, v->places[BLOB_NAME], BLOB_SIZE), interrupted);
	if (!interrupted)
		return whole;
	if (!read_all(v->pid, pc - CODE_BEFORE, code, sizeof(code)))
		return (struct jvm_frame){ .kind = JVM_UNKNOWN };
	return interrupted_frame(code + CODE_BEFORE, pc == begin, complete >= 0 && pc - begin >= (uint64_t)complete, whole);
}

void jvm_code_find(struct jvm_code *j, uint32_t pid, const char *file, uint64_t bias, uint64_t pc, bool interrupted,
		   struct jvm_frame *out)
{
	const struct jvm *v = jvm_of(j, pid, file, bias);
	uint64_t at = pc - !interrupted, block;
	uint8_t blob[BLOB_SIZE], used;
	struct heap heap;

	*out = (struct jvm_frame){0};
	if (!v->is_known || !find_heap(v, at, &heap))
		return;
	out->kind = JVM_UNKNOWN;
	block = find_block(v, &heap, at);
	if (!block || !read_all(pid, block + v->places[BLOCK_USED], &used, 1) || !used ||
	    !read_all(pid, block + BLOCK_HEADER, blob, sizeof(blob)))
		return;
	*out = frame_in(v, blob, pc, interrupted);
}
