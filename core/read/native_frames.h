/*
 * Chooses whether call chains with Python or Java functions also show native frames, which are C functions such as the
 * interpreter's (--native). item_reader.c calls it for samples.
 */
#ifndef CORE_READ_NATIVE_FRAMES_H
#define CORE_READ_NATIVE_FRAMES_H

#include <stdint.h>

#include "core/base/vec.h"

struct item;
struct sample;

enum native_frames {
	NATIVE_MERGED,		/* interpreted frames replace the interpreter's frame that runs them; other native frames stay */
	NATIVE_ALL,		/* interpreted and all native frames */
	NATIVE_NONE,		/* only interpreted frames, or else the outermost frame; Java: as NATIVE_MERGED */
};

struct frame_words { VEC(uint64_t) v; };

/*
 * In a recorded chain, Python frames follow the frame of the interpreter's loop that runs them (core/model/python.h), and Java
 * frames follow the frame of the JVM's interpreter.
 *
 * Reduces the chain of @s, @item's sample, to the @wanted frames. Sets s->ip to the innermost. @room holds the new chain.
 */
void native_frames_choose(enum native_frames wanted, struct item *item, struct sample *s, struct frame_words *room);

#endif
