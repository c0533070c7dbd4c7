/*
 * Methods of HotSpot (Java): finds which methods are inlined at an address of compiled code, and the names of methods. All of it
 * is read from the memory of the process; data that make no sense are treated as unknown.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_JVM_METHODS_H
#define CORE_UNWIND_JVM_METHODS_H

#include "core/unwind/jvm_structs.h"

struct buf;

#define JVM_SCOPES_MAX	200	/* methods at an address */

struct jvm_nmethod {		/* a compiled method; addresses */
	uint64_t method;
	uint64_t metadata;	/* of its tables, one after the other: of methods, */
	uint64_t scopes;	/* of places in them, */
	uint64_t pcs, pcs_end;	/* and of addresses of code, which have places */
};

struct jvm_scopes { uint32_t nr; uint64_t methods[JVM_SCOPES_MAX]; };	/* the innermost first; the last is the compiled method */

/* Out of the @size bytes at its @address; false: they make no sense. */
bool jvm_nmethod_read(const struct jvm_structs *v, uint64_t address, const uint8_t *bytes, size_t size, struct jvm_nmethod *out);
/*
 * The methods at @offset of its code: those of that very address, where a call returns to; with @next those of the next one that
 * is described, which with -XX:+DebugNonSafepoints are those of the instruction. False: not known.
 */
bool jvm_nmethod_scopes(const struct jvm_structs *v, const struct jvm_nmethod *n, uint32_t offset, bool next,
			struct jvm_scopes *out);
/* True if other methods are inlined in it, as far as is known. */
bool jvm_nmethod_inlines(const struct jvm_structs *v, const struct jvm_nmethod *n);

struct jvm_bytecode { uint64_t begin, end; bool is_native; };	/* of a method, addresses; a native one has none */
bool jvm_method_bytecode(const struct jvm_structs *v, uint64_t method, struct jvm_bytecode *out);
/* Append its name as the JVM writes it: "int java.lang.String.indexOf(int, int)". False: it is not known; @out is as it was. */
bool jvm_method_name(const struct jvm_structs *v, uint64_t method, struct buf *out);

#endif
