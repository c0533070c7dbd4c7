/*
 * The words that the test PMU writes; pmu/pmu.h has their layout.
 *
 */
#ifndef TESTS_VM_AUX_WORDS_H
#define TESTS_VM_AUX_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* Numbers of this machine's byte order, at any address: so are files and the words in them. */
uint64_t u64_at(const uint8_t *p);
uint32_t u32_at(const uint8_t *p);
int is_word(uint64_t w);
unsigned word_stream(uint64_t w);
unsigned word_cpu(uint64_t w);
/* The offset of the first whole word in a run; -1: none, so it is no such run. */
int first_word(const uint8_t *p, size_t size);
/* True if byte @at of @stream, written on @cpu (-1: on any), can be @got. */
int is_byte(unsigned stream, int cpu, uint64_t at, uint8_t got);

#endif
