/*
 * Chooses which frames of call chains with interpreted functions are shown. In a recorded chain, Python frames follow the frame
 * of the interpreter's loop that runs them (core/model/python.h), and Java frames follow the frame of the JVM's interpreter.
 * Layer: read
 */
#ifndef CORE_READ_NATIVE_FRAMES_H
#define CORE_READ_NATIVE_FRAMES_H

#include <stdint.h>

#include "core/base/vec.h"

struct item;
struct sample;

enum native_frames {
	NATIVE_MERGED,		/* Python frames replace those of the loop */
	NATIVE_ALL,		/* both */
	NATIVE_NONE,		/* only interpreted frames; if there are none, only the outermost; Java as if merged */
};

struct frame_words { VEC(uint64_t) v; };

/* Reduces the chain of @s, @item's sample, to the @wanted frames, and sets its address to the innermost. @room holds the chain. */
void native_frames_choose(enum native_frames wanted, struct item *item, struct sample *s, struct frame_words *room);

#endif
