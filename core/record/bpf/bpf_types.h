/*
 * Classifies the types in the BTF of a BPF object, and reads integers from the values of its maps. The files that print maps
 * (bpf_maps.h) and set variables (bpf_variables.h) use it.
 */
#ifndef CORE_RECORD_BPF_BPF_TYPES_H
#define CORE_RECORD_BPF_BPF_TYPES_H

#include <bpf/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Skips typedefs and qualifiers. Returns the type, and its number in *id, or NULL if there is no such type. */
const struct btf_type *bpf_type_resolve(const struct btf *btf, uint32_t *id);
/* True for an integer of 1 byte that is a character. */
bool bpf_is_char(const struct btf *btf, const struct btf_type *t);
/* True for an integer of a whole number of bytes that is not a bool. */
bool bpf_is_plain_integer(const struct btf_type *t);
bool bpf_is_signed(const struct btf_type *t);
/* Returns the name of a value of an enum, borrowed from the BTF, or NULL if the value has no name. */
const char *bpf_enum_name(const struct btf *btf, const struct btf_type *t, uint64_t value);

/* True for an integer, a bool or an enum. */
bool bpf_is_number(const struct btf_type *t);
/* True for an enum or an integer whose values may be negative. */
bool bpf_may_be_negative(const struct btf_type *t);

/* True for 1, 2, 4 and 8 bytes. */
bool bpf_is_integer_size(uint32_t size);
/* Reads an unsigned integer of @size bytes, up to 8, in the byte order of this machine. */
uint64_t bpf_integer_of(const uint8_t *p, uint32_t size);
/* Reads a signed integer of @size bytes, up to 8, in the byte order of this machine. */
int64_t bpf_signed_of(const uint8_t *p, uint32_t size);
/* Returns the lowest @bits of @v, up to 64, as a signed integer. */
int64_t bpf_sign_extend(uint64_t v, unsigned bits);
/* Reads @bits bits, up to 64, from bit @at of the @size bytes, in which the lowest bits come first. Bits after the end are 0. */
uint64_t bpf_bits_of(const uint8_t *data, size_t size, uint32_t at, uint32_t bits);

#endif
