/*
 * The bytes of programs, for what prints instructions: read from the files that were mapped, where they are
 * still the same ones.
 * Layer: views
 */
#ifndef CORE_VIEWS_CODE_H
#define CORE_VIEWS_CODE_H

#include <stddef.h>
#include <stdint.h>

struct code_files;
struct dso;

/* Not thread-safe: a worker has its own. @symfs: files are below this directory; NULL: "/". Borrowed. */
struct code_files *code_files_new(const char *symfs);
void code_files_free(struct code_files *c);

/* Up to @n bytes at @file_offset of @dso's file. Returns how many; 0 where the file is gone or another one. */
size_t code_read(struct code_files *c, const struct dso *dso, uint64_t file_offset, void *out, size_t n);

#endif
