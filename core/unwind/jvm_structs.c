/*
 * Reads the layout of HotSpot's structures from the tables that libjvm.so exports for debuggers. Source: OpenJDK 17,
 * src/hotspot/share/runtime/vmStructs.cpp.
 */
#include "core/unwind/jvm_structs.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "core/base/util.h"
#include "core/binary/elf.h"

#define ENTRIES_MAX	4096		/* maximum number of entries of a table */
#define NAME_SIZE	64
#define PAGE		4096
#define PAGES		128
#define ENTRY_MAX	128		/* maximum bytes of an entry */
#define FLAGS_MAX	8192
#define KNOWN_VERSION	17		/* only in this version of the JDK can compiled methods be read */

#define CODE_FIELDS	((1ull << JVM_VERSION) - 1)
#define METHOD_FIELDS	(((1ull << JVM_FLAGS) - 1) & ~CODE_FIELDS)
#define FLAG_FIELDS	(((1ull << NR_JVM_FIELDS) - 1) & ~((1ull << JVM_FLAGS) - 1))

static const struct { const char *type, *field; bool is_static; } fields[NR_JVM_FIELDS] = {
	[JVM_HEAPS] = { "CodeCache", "_heaps", true },
	[JVM_ARRAY_LEN] = { "GrowableArrayBase", "_len", false },
	[JVM_ARRAY_DATA] = { "GrowableArray<int>", "_data", false },
	[JVM_HEAP_MEMORY] = { "CodeHeap", "_memory", false },
	[JVM_HEAP_SEGMAP] = { "CodeHeap", "_segmap", false },
	[JVM_HEAP_LOG2] = { "CodeHeap", "_log2_segment_size", false },
	[JVM_SPACE_LOW] = { "VirtualSpace", "_low", false },
	[JVM_SPACE_HIGH] = { "VirtualSpace", "_high", false },
	[JVM_BLOCK_USED] = { "HeapBlock::Header", "_used", false },
	[JVM_BLOB_NAME] = { "CodeBlob", "_name", false },
	[JVM_BLOB_FRAME] = { "CodeBlob", "_frame_size", false },
	[JVM_BLOB_COMPLETE] = { "CodeBlob", "_frame_complete_offset", false },
	[JVM_BLOB_BEGIN] = { "CodeBlob", "_code_begin", false },
	[JVM_BLOB_END] = { "CodeBlob", "_code_end", false },
	[JVM_VERSION] = { "Abstract_VM_Version", "_vm_major_version", true },
	[JVM_NM_METHOD] = { "CompiledMethod", "_method", false },
	[JVM_NM_SCOPES] = { "CompiledMethod", "_scopes_data_begin", false },
	[JVM_NM_METADATA] = { "nmethod", "_metadata_offset", false },
	[JVM_NM_PCS] = { "nmethod", "_scopes_pcs_offset", false },
	[JVM_NM_PCS_END] = { "nmethod", "_dependencies_offset", false },
	[JVM_NM_END] = { "nmethod", "_nmethod_end_offset", false },
	[JVM_NM_ID] = { "nmethod", "_compile_id", false },
	[JVM_PC_OFFSET] = { "PcDesc", "_pc_offset", false },
	[JVM_PC_SCOPE] = { "PcDesc", "_scope_decode_offset", false },
	[JVM_METHOD_CONST] = { "Method", "_constMethod", false },
	[JVM_CONST_POOL] = { "ConstMethod", "_constants", false },
	[JVM_CONST_NAME] = { "ConstMethod", "_name_index", false },
	[JVM_CONST_SIGNATURE] = { "ConstMethod", "_signature_index", false },
	[JVM_POOL_HOLDER] = { "ConstantPool", "_pool_holder", false },
	[JVM_POOL_LENGTH] = { "ConstantPool", "_length", false },
	[JVM_METHOD_ACCESS] = { "Method", "_access_flags", false },
	[JVM_CONST_CODE] = { "ConstMethod", "_code_size", false },
	[JVM_KLASS_NAME] = { "Klass", "_name", false },
	[JVM_SYMBOL_LENGTH] = { "Symbol", "_length", false },
	[JVM_SYMBOL_BODY] = { "Symbol", "_body", false },
	[JVM_NM_DEOPT] = { "CompiledMethod", "_deopt_handler_begin", false },
	[JVM_NM_DEOPT_MH] = { "CompiledMethod", "_deopt_mh_handler_begin", false },
	[JVM_NM_ORIGINAL] = { "nmethod", "_orig_pc_offset", false },
	[JVM_FLAGS] = { "JVMFlag", "flags", true },
	[JVM_NR_FLAGS] = { "JVMFlag", "numFlags", true },
	[JVM_FLAG_NAME] = { "JVMFlag", "_name", false },
	[JVM_FLAG_ADDR] = { "JVMFlag", "_addr", false },
};

static const char *const types[NR_JVM_TYPES] = { [JVM_PC_DESC] = "PcDesc", [JVM_POOL] = "ConstantPool", [JVM_CONST] = "ConstMethod",
						 [JVM_FLAG] = "JVMFlag" };

/* Variables in libjvm.so that describe the tables. */
enum variable {
	TABLE, STRIDE, TYPE_AT, FIELD_AT, OFFSET_AT, ADDRESS_AT, TYPES, TYPES_STRIDE, TYPES_NAME_AT, SIZE_AT, NR_VARIABLES
};
static const char *const variables[NR_VARIABLES] = {
	"gHotSpotVMStructs", "gHotSpotVMStructEntryArrayStride", "gHotSpotVMStructEntryTypeNameOffset",
	"gHotSpotVMStructEntryFieldNameOffset", "gHotSpotVMStructEntryOffsetOffset", "gHotSpotVMStructEntryAddressOffset",
	"gHotSpotVMTypes", "gHotSpotVMTypeEntryArrayStride", "gHotSpotVMTypeEntryTypeNameOffset", "gHotSpotVMTypeEntrySizeOffset",
};
#define NR_OF_FIELDS	TYPES		/* number of variables of the table of fields, which come first */

/* ---- the process's memory ---- */

/*
 * HotSpot's structures are small and refer to each other, so nearly all reads are of a page that was just read. An element is found
 * by the page's address; the page of another process or address replaces it.
 */
struct jvm_pages {
	uint64_t round;			/* pages of earlier rounds are invalid */
	struct page {
		uint32_t pid;
		uint64_t addr, round;
		uint8_t bytes[PAGE];
	} list[PAGES];
};

struct jvm_pages *jvm_pages_new(void)
{
	struct jvm_pages *p = xcalloc(1, sizeof(*p));

	p->round = 1;
	return p;
}

void jvm_pages_free(struct jvm_pages *p)
{
	free(p);
}

void jvm_pages_forget(struct jvm_pages *p)
{
	p->round++;
}

/* Returns the page at @addr; NULL: it cannot be read. */
static const struct page *page_at(struct jvm_pages *p, uint32_t pid, uint64_t addr)
{
	struct page *page = &p->list[addr / PAGE % PAGES];
	struct iovec here = { page->bytes, PAGE }, there = { (void *)(uintptr_t)addr, PAGE };

	if (page->round == p->round && page->pid == pid && page->addr == addr)
		return page;
	page->round = 0;
	if (process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0) != PAGE)
		return NULL;
	page->pid = pid;
	page->addr = addr;
	page->round = p->round;
	return page;
}

size_t jvm_read_some(const struct jvm_structs *v, uint64_t addr, void *out, size_t n)
{
	size_t got = 0;

	while (got < n) {
		uint64_t at = addr + got, in_page = at % PAGE;
		const struct page *page = page_at(v->pages, v->pid, at - in_page);
		size_t size = MIN(n - got, PAGE - in_page);

		if (!page)
			break;
		memcpy((uint8_t *)out + got, page->bytes + in_page, size);
		got += size;
	}
	return got;
}

bool jvm_read(const struct jvm_structs *v, uint64_t addr, void *out, size_t n)
{
	return jvm_read_some(v, addr, out, n) == n;
}

bool jvm_has_ended(uint32_t pid)
{
	uint8_t byte;
	struct iovec here = { &byte, 1 }, nowhere = { NULL, 1 };

	return process_vm_readv((pid_t)pid, &here, 1, &nowhere, 1, 0) < 0 && errno == ESRCH;
}

/* Reads up to the end of the memory that can be read, because the string may be shorter than @size. */
void jvm_read_text(const struct jvm_structs *v, uint64_t addr, char *out, size_t size)
{
	out[addr ? MIN(jvm_read_some(v, addr, out, size), size - 1) : 0] = '\0';
}

uint64_t jvm_word(const uint8_t *bytes, uint64_t at, uint64_t size)
{
	uint64_t v = 0;

	if (at <= size - sizeof(v))
		memcpy(&v, bytes + at, sizeof(v));
	return v;
}

/* ---- its tables ---- */

static void find_variables(const char *file, uint64_t bias, uint64_t addrs[NR_VARIABLES])
{
	struct symbols symbols = {0};
	struct elf_file *e;

	if (elf_file_open(&e, file))
		return;
	elf_file_symbols(e, ".dynsym", NULL, &symbols);
	vec_for(s, &symbols.list)
		for (size_t i = 0; i < NR_VARIABLES; i++)
			if (str_eq(s->name, variables[i]))
				addrs[i] = s->start + bias;
	symbols_release(&symbols);
	elf_file_close(e);
}

/* Reads the entry if it is of a field that is wanted. Returns false at the end of the table. */
static bool read_field(struct jvm_structs *v, const uint64_t vars[NR_VARIABLES], const uint8_t *entry, uint64_t *found)
{
	char type[NAME_SIZE], field[NAME_SIZE];

	jvm_read_text(v, jvm_word(entry, vars[TYPE_AT], vars[STRIDE]), type, sizeof(type));
	if (!type[0])
		return false;
	jvm_read_text(v, jvm_word(entry, vars[FIELD_AT], vars[STRIDE]), field, sizeof(field));
	for (size_t i = 0; i < NR_JVM_FIELDS; i++) {
		if (!str_eq(fields[i].type, type) || !str_eq(fields[i].field, field))
			continue;
		v->at[i] = jvm_word(entry, vars[fields[i].is_static ? ADDRESS_AT : OFFSET_AT], vars[STRIDE]);
		*found |= 1ull << i;
	}
	return true;
}

static bool read_type(struct jvm_structs *v, const uint64_t vars[NR_VARIABLES], const uint8_t *entry, uint64_t *found)
{
	char type[NAME_SIZE];

	jvm_read_text(v, jvm_word(entry, vars[TYPES_NAME_AT], vars[TYPES_STRIDE]), type, sizeof(type));
	for (size_t i = 0; i < NR_JVM_TYPES; i++) {
		if (!str_eq(types[i], type))
			continue;
		v->size[i] = jvm_word(entry, vars[SIZE_AT], vars[TYPES_STRIDE]);
		*found |= 1ull << i;
	}
	return type[0];
}

typedef bool read_fn(struct jvm_structs *v, const uint64_t vars[NR_VARIABLES], const uint8_t *entry, uint64_t *found);

/* Reads a table. Returns a bit mask of the fields or types that were found. */
static uint64_t read_table(struct jvm_structs *v, const uint64_t vars[NR_VARIABLES], uint64_t table, uint64_t stride, read_fn *read)
{
	uint8_t entry[ENTRY_MAX];
	uint64_t found = 0;

	if (stride < JVM_WORD || stride > sizeof(entry))
		return 0;
	for (unsigned i = 0; i < ENTRIES_MAX; i++)
		if (!jvm_read(v, table + i * stride, entry, stride) || !read(v, vars, entry, &found))
			break;
	return found;
}

/* ---- its options ---- */

static bool flag_is_set(const struct jvm_structs *v, const char *wanted)
{
	uint64_t list, nr, size = v->size[JVM_FLAG];
	uint8_t flag[ENTRY_MAX], value;
	char name[NAME_SIZE];

	if (size < JVM_WORD || size > sizeof(flag) || !jvm_read(v, v->at[JVM_FLAGS], &list, sizeof(list)) ||
	    !jvm_read(v, v->at[JVM_NR_FLAGS], &nr, sizeof(nr)))
		return false;
	for (uint64_t i = 0; i < MIN(nr, FLAGS_MAX); i++) {
		if (!jvm_read(v, list + i * size, flag, size))
			return false;
		jvm_read_text(v, jvm_word(flag, v->at[JVM_FLAG_NAME], size), name, sizeof(name));
		if (str_eq(name, wanted))
			return jvm_read(v, jvm_word(flag, v->at[JVM_FLAG_ADDR], size), &value, 1) && value;
	}
	return false;
}

static bool knows_version(const struct jvm_structs *v)
{
	int32_t version;

	return jvm_read(v, v->at[JVM_VERSION], &version, sizeof(version)) && version == KNOWN_VERSION;
}

void jvm_structs_read(struct jvm_structs *v, const char *file)
{
	uint64_t addrs[NR_VARIABLES] = {0}, vars[NR_VARIABLES] = {0}, found, sizes;

	find_variables(file, v->bias, addrs);
	for (size_t i = 0; i < NR_VARIABLES; i++)
		if ((!addrs[i] || !jvm_read(v, addrs[i], &vars[i], sizeof(vars[i]))) && i < NR_OF_FIELDS)
			return;
	found = read_table(v, vars, vars[TABLE], vars[STRIDE], read_field);
	sizes = read_table(v, vars, vars[TYPES], vars[TYPES_STRIDE], read_type);
	v->has_code = (found & CODE_FIELDS) == CODE_FIELDS;
	v->has_methods = v->has_code && (found & METHOD_FIELDS) == METHOD_FIELDS && sizes == (1ull << NR_JVM_TYPES) - 1 &&
			 knows_version(v);
	v->all_places = v->has_methods && (found & FLAG_FIELDS) == FLAG_FIELDS && flag_is_set(v, "DebugNonSafepoints");
}
