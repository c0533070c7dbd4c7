/*
 * Collects the compiled code of HotSpot (Java) in which samples were taken, so that the recording has the names and inlined
 * methods of this code (core/model/java.h). jvm_code.h finds the code and adds it.
 */
#ifndef CORE_UNWIND_JVM_TABLE_H
#define CORE_UNWIND_JVM_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define JVM_NO_CODE	UINT32_MAX

struct buf;
struct jvm_table;

/* Distinguishes blocks of code that are at one address, one after the other. */
struct jvm_identity {
	uint64_t begin, end;		/* addresses of the code */
	uint64_t name, method;		/* addresses of the name of the block's kind ("nmethod"), and of the Method; 0: none */
	uint32_t id;			/* number of the compilation, never reused; 0: not compiled */
	int32_t frame;			/* size of the frame in words */
};

/*
 * An entry of the table is a compiled method or another block of code, with its address, the time at which it was first seen there,
 * its name, and the methods that are inlined in it. The size of the table is bounded. Any thread may call these functions.
 */
struct jvm_table *jvm_table_new(void);
void jvm_table_free(struct jvm_table *t);

/* Returns the number of a block of code of process @pid, which is added if it is new; JVM_NO_CODE: there is no room. */
uint32_t jvm_table_code(struct jvm_table *t, uint32_t pid, const struct jvm_identity *id, const char *name, uint64_t time);
/* Says that @code was there at @time, if that is earlier than known. */
void jvm_table_earlier(struct jvm_table *t, uint32_t code, uint64_t time);
/* Adds @nr methods, the innermost first, that are inlined in the @size bytes at @offset of the code. */
void jvm_table_inlined(struct jvm_table *t, uint32_t code, uint32_t offset, uint32_t size, const char *const *names, size_t nr);
/* Returns the made-up address that stands for the interpreted method @name in recorded chains; 0: there is no room. */
uint64_t jvm_table_method(struct jvm_table *t, const char *name);
/* Appends the table as the recording stores it; nothing if it is empty. */
void jvm_table_write(struct jvm_table *t, struct buf *out);
/* The approximate size in bytes of what jvm_table_write() appends. */
uint64_t jvm_table_bytes(struct jvm_table *t);

#endif
