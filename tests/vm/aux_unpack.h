/*
 * The records of a perf.data's data section, as they were before they were compressed.
 *
 */
#ifndef TESTS_VM_AUX_UNPACK_H
#define TESTS_VM_AUX_UNPACK_H

#include <stddef.h>
#include <stdint.h>

struct unpacked {
	uint8_t *bytes;		/* whole records, owned */
	size_t size, room;
	int cut;		/* the section ended within a record, which is left out */
};

/* 0, or -1 and a message on stderr. */
int aux_unpack(struct unpacked *out, const uint8_t *data, size_t size);
/* How many bytes a record of at least eight, with what follows it, takes; 0: it is impossible. */
uint64_t record_extent(const uint8_t *rec, size_t size);

#endif
