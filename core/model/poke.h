/*
 * Keeps the changes that the kernel made to its own code during the recording (TEXT_POKE records), so that prec can decode the
 * code of any moment. side_band.c adds the changes. code.c applies them to kernel code from a file.
 */
#ifndef CORE_MODEL_POKE_H
#define CORE_MODEL_POKE_H

#include "core/base/buf.h"
#include "core/base/vec.h"

struct record_text_poke;

struct poke {
	uint64_t addr, time;	/* .time: the time of the change, ns */
	uint32_t number;	/* in order of time */
	uint16_t old_size, new_size;
	size_t bytes;		/* offset in pokes.bytes: the old bytes, followed by the new bytes */
};

struct pokes {
	VEC(struct poke) list;	/* by address, then in order of time, once sealed */
	struct buf bytes;
	uint16_t longest;
};

/* Adds a change. Call it in order of time. */
void pokes_add(struct pokes *p, const struct record_text_poke *poke, uint64_t time);
void pokes_seal(struct pokes *p);
/*
 * Changes the code at @addr to that of @time. @out has @n bytes, of which the first @known are filled. Returns how many are known
 * afterwards, from the first on. Safe from any thread.
 *
 * A copy of the kernel's code (kcore) has the code as it was at one moment. For a place that changed, the bytes at @time come from
 * the changes and not from the copy: they are the new bytes of the last change before @time, or, if no change came before it, the
 * old bytes of the first change after it.
 */
size_t pokes_apply(const struct pokes *p, uint64_t time, uint64_t addr, uint8_t *out, size_t known, size_t n);
void pokes_release(struct pokes *p);

#endif
