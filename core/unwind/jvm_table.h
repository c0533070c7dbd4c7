/*
 * Collects the code of HotSpot (Java) that samples are in, to be stored in the recording (core/model/java.h): when it was first
 * seen at which address, its name, and the methods inlined in it. Its size is bounded. Safe from any thread.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_JVM_TABLE_H
#define CORE_UNWIND_JVM_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define JVM_NO_CODE	UINT32_MAX

struct buf;
struct jvm_table;

/* That makes two pieces of code at one address different, as one is freed and another comes in its place. */
struct jvm_identity {
	uint64_t begin, end;		/* addresses */
	uint64_t name, method;		/* of its kind's name; of the compiled method, 0: it is none */
	uint32_t id;			/* of its compilation, which is never used again */
	int32_t frame;			/* words */
};

struct jvm_table *jvm_table_new(void);
void jvm_table_free(struct jvm_table *t);

/* The number of a piece of code of process @pid, which is added if it is new; JVM_NO_CODE: there is no room. */
uint32_t jvm_table_code(struct jvm_table *t, uint32_t pid, const struct jvm_identity *id, const char *name, uint64_t time);
/* It was there at @time, before all that is known. */
void jvm_table_earlier(struct jvm_table *t, uint32_t code, uint64_t time);
/* At the @size bytes at @offset of its code these @nr methods are inlined, the innermost first. */
void jvm_table_inlined(struct jvm_table *t, uint32_t code, uint32_t offset, uint32_t size, const char *const *names, size_t nr);
/* The address of the interpreted method of this name in a recorded chain; 0: there is no room. */
uint64_t jvm_table_method(struct jvm_table *t, const char *name);
/* Appends all as the recording keeps it; nothing if there is none. */
void jvm_table_write(struct jvm_table *t, struct buf *out);
/* About the bytes of that. */
uint64_t jvm_table_bytes(struct jvm_table *t);

#endif
