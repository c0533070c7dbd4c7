/* A program's memory for trace tests: what a .maps file (in the form of /proc/PID/maps) names, read from the files. */
#ifndef TESTS_TRACE_IMAGE_H
#define TESTS_TRACE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct image;

/* Owned by the caller: image_free(). NULL, and a message, where a file cannot be read. */
struct image *image_load(const char *maps);
void image_free(struct image *image);

/* A read_code_fn: @ctx is the image. */
size_t image_read(void *ctx, uint32_t space, uint64_t ip, void *buf, size_t n);

/* The whole file; owned by the caller: free(). NULL, and a message, if it cannot be read. */
uint8_t *load_file(const char *path, size_t *size);

#endif
