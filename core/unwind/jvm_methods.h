/*
 * Finds which Java methods are inlined at an address of code that HotSpot compiled, and the names of methods. All data are read
 * from the memory of the process. Data that make no sense are treated as unknown.
 */
#ifndef CORE_UNWIND_JVM_METHODS_H
#define CORE_UNWIND_JVM_METHODS_H

#include "core/unwind/jvm_structs.h"

struct buf;

#define JVM_SCOPES_MAX	200	/* maximum number of methods at one address, inlined into each other */

struct jvm_nmethod {		/* addresses of a compiled method and its tables */
	uint64_t method;	/* the Method */
	uint64_t metadata;	/* the table of methods; up to .scopes */
	uint64_t scopes;	/* scopes: each is a place in a method, with the scope of its caller; up to .pcs */
	uint64_t pcs, pcs_end;	/* PcDescs: descriptors of code addresses, which refer to scopes */
};

struct jvm_scopes { uint32_t nr; uint64_t methods[JVM_SCOPES_MAX]; };	/* the innermost first; the last is the compiled method */

/* Reads a compiled method from the @size bytes at its @address; false: they are invalid. */
bool jvm_nmethod_read(const struct jvm_structs *v, uint64_t address, const uint8_t *bytes, size_t size, struct jvm_nmethod *out);
/*
 * Finds the methods at @offset of the code. HotSpot describes an offset if a call returns there. With @next, takes the next offset
 * that is described; with -XX:+DebugNonSafepoints that is the description of the instruction at @offset. False: unknown.
 */
bool jvm_nmethod_scopes(const struct jvm_structs *v, const struct jvm_nmethod *n, uint32_t offset, bool next,
			struct jvm_scopes *out);
/* True if other methods are inlined in @n. False also if that is unknown. */
bool jvm_nmethod_inlines(const struct jvm_structs *v, const struct jvm_nmethod *n);

struct jvm_bytecode { uint64_t begin, end; bool is_native; };	/* addresses of a method's bytecode; a native method has none */
bool jvm_method_bytecode(const struct jvm_structs *v, uint64_t method, struct jvm_bytecode *out);
/* Appends a method's name as the JVM writes it: "int java.lang.String.indexOf(int, int)". False: unknown; appends nothing. */
bool jvm_method_name(const struct jvm_structs *v, uint64_t method, struct buf *out);

#endif
