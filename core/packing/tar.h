/*
 * The regular files of a tar archive, read once from the front: POSIX.1-2008 pax and ustar, and GNU's long names. Other
 * entries - links, devices, directories - are skipped. An archive is hostile: the caller must check its names.
 * Layer: packing
 */
#ifndef CORE_PACKING_TAR_H
#define CORE_PACKING_TAR_H

#include <stdint.h>

#include "core/base/buf.h"

struct tar {			/* = { .fd = ... } */
	int fd;			/* borrowed */
	uint64_t left;		/* of the current file, and the padding after it: */
	unsigned padding;
	struct buf name, link;	/* of the current file; the next one's, if an entry before it said so */
};

/* Go on to the next regular file: 1, with its name and size; 0: there is none; -EINVAL: it is no tar archive, or cut; or -errno. */
int tar_next(struct tar *t, const char **name, uint64_t *size);
/* Copy all of the current file to @to. Returns 0 or -errno. */
int tar_copy(struct tar *t, int to);
void tar_release(struct tar *t);

#endif
