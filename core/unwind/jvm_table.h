/*
 * Collects the code of HotSpot (Java) that samples are in, to be stored in the recording (core/model/java.h). The table has the
 * address of each piece of code, the time at which the code was first seen there, its name, and the methods inlined in it. The
 * size of the table is bounded. Any thread may call these functions.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_JVM_TABLE_H
#define CORE_UNWIND_JVM_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define JVM_NO_CODE	UINT32_MAX

struct buf;
struct jvm_table;

/* Distinguishes pieces of code that are at one address, one after the other. */
struct jvm_identity {
	uint64_t begin, end;		/* addresses */
	uint64_t name, method;		/* of the name of its kind; of the compiled method, 0: none */
	uint32_t id;			/* of its compilation; never reused */
	int32_t frame;			/* words */
};

struct jvm_table *jvm_table_new(void);
void jvm_table_free(struct jvm_table *t);

/* The number of a piece of code of process @pid, added if new; JVM_NO_CODE: there is no room. */
uint32_t jvm_table_code(struct jvm_table *t, uint32_t pid, const struct jvm_identity *id, const char *name, uint64_t time);
/* Says that @code was there at @time, if that is earlier than known. */
void jvm_table_earlier(struct jvm_table *t, uint32_t code, uint64_t time);
/* Adds @nr methods, the innermost first, that are inlined in the @size bytes at @offset of the code. */
void jvm_table_inlined(struct jvm_table *t, uint32_t code, uint32_t offset, uint32_t size, const char *const *names, size_t nr);
/* The address for recorded chains of the interpreted method @name; 0: there is no room. */
uint64_t jvm_table_method(struct jvm_table *t, const char *name);
/* Appends the table as the recording stores it; nothing if it is empty. */
void jvm_table_write(struct jvm_table *t, struct buf *out);
/* The approximate size of that in bytes. */
uint64_t jvm_table_bytes(struct jvm_table *t);

#endif
