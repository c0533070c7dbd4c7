/*
 * Chooses which frames are shown in chains with interpreted functions. In a recorded chain, Python frames follow the frame of the
 * interpreter's loop that runs them (core/model/python.h), and Java frames follow the frame of the JVM's interpreter.
 * Layer: read
 */
#ifndef CORE_READ_NATIVE_FRAMES_H
#define CORE_READ_NATIVE_FRAMES_H

#include <stdint.h>

#include "core/base/vec.h"

struct item;
struct sample;

enum native_frames {
	NATIVE_MERGED,		/* Python's in place of the loop's */
	NATIVE_ALL,		/* both */
	NATIVE_NONE,		/* interpreted ones alone; of a chain without any the outermost; of Java as merged */
};

struct frame_words { VEC(uint64_t) v; };

/* Lets @s, @item's sample, have the @wanted frames in its chain, and the address of the innermost. @room holds the chain. */
void native_frames_choose(enum native_frames wanted, struct item *item, struct sample *s, struct frame_words *room);

#endif
