/*
 * Finds the layout of the structures in which HotSpot (Java) describes its code, and reads such structures from a process's
 * memory. The JVM exports the layout for debuggers (gHotSpotVMStructs, gHotSpotVMTypes; OpenJDK,
 * src/hotspot/share/runtime/vmStructs.hpp). No value that is read is trusted.
 */
#ifndef CORE_UNWIND_JVM_STRUCTS_H
#define CORE_UNWIND_JVM_STRUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JVM_WORD	8

enum jvm_field {
	/* Members of all code that frames need. */
	JVM_HEAPS, JVM_ARRAY_LEN, JVM_ARRAY_DATA, JVM_HEAP_MEMORY, JVM_HEAP_SEGMAP, JVM_HEAP_LOG2, JVM_SPACE_LOW, JVM_SPACE_HIGH,
	JVM_BLOCK_USED, JVM_BLOB_NAME, JVM_BLOB_FRAME, JVM_BLOB_COMPLETE, JVM_BLOB_BEGIN, JVM_BLOB_END,
	/* Members of compiled methods that names and inlined methods need. */
	JVM_VERSION, JVM_NM_METHOD, JVM_NM_SCOPES, JVM_NM_METADATA, JVM_NM_PCS, JVM_NM_PCS_END, JVM_NM_END, JVM_NM_ID,
	JVM_PC_OFFSET, JVM_PC_SCOPE, JVM_METHOD_CONST, JVM_CONST_POOL, JVM_CONST_NAME, JVM_CONST_SIGNATURE, JVM_POOL_HOLDER,
	JVM_POOL_LENGTH, JVM_METHOD_ACCESS, JVM_CONST_CODE, JVM_KLASS_NAME, JVM_SYMBOL_LENGTH, JVM_SYMBOL_BODY,
	JVM_NM_DEOPT, JVM_NM_DEOPT_MH, JVM_NM_ORIGINAL,
	/* The JVM's options. */
	JVM_FLAGS, JVM_NR_FLAGS, JVM_FLAG_NAME, JVM_FLAG_ADDR,
	NR_JVM_FIELDS
};

enum jvm_type { JVM_PC_DESC, JVM_POOL, JVM_CONST, JVM_FLAG, NR_JVM_TYPES };

struct jvm_pages;				/* the pages of processes' memory that were read */

struct jvm_structs {
	uint32_t pid;
	struct jvm_pages *pages;		/* borrowed */
	uint64_t bias;				/* address in the process - address in libjvm.so */
	bool has_code;				/* all fields that frames need are known */
	bool has_methods;			/* all fields that names and inlined methods need are known, too */
	bool all_places;			/* the JVM describes all instructions (-XX:+DebugNonSafepoints) */
	uint64_t at[NR_JVM_FIELDS];		/* offset of a field in its structure; for a static field, the address */
	uint64_t size[NR_JVM_TYPES];		/* bytes of a structure */
};

/* Reads the layout for process @v->pid; @file: its libjvm.so. Sets .has_code and .has_methods. Slow, so call it once a process. */
void jvm_structs_read(struct jvm_structs *v, const char *file);

/* A page of a process is read at most once between two calls of jvm_pages_forget(), until other pages replace it. */
struct jvm_pages *jvm_pages_new(void);
void jvm_pages_free(struct jvm_pages *p);
void jvm_pages_forget(struct jvm_pages *p);

/* Returns how many of the @n bytes at @addr of process @v->pid could be read. */
size_t jvm_read_some(const struct jvm_structs *v, uint64_t addr, void *out, size_t n);
/* True if all @n bytes could be read. */
bool jvm_read(const struct jvm_structs *v, uint64_t addr, void *out, size_t n);
/* True if the process has ended, so that its memory can no longer be read. */
bool jvm_has_ended(uint32_t pid);
/* Reads a string, of at most @size - 1 bytes. */
void jvm_read_text(const struct jvm_structs *v, uint64_t addr, char *out, size_t size);

/* Read a number at offset @at of the @size bytes (at least JVM_WORD). Returns 0 if the word at @at is not within them. */
uint64_t jvm_word(const uint8_t *bytes, uint64_t at, uint64_t size);
static inline uint32_t jvm_u32(const uint8_t *bytes, uint64_t at, uint64_t size)
{
	return (uint32_t)jvm_word(bytes, at, size);
}

#endif
