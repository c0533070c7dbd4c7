/*
 * Decides if a file is the one that was mapped, if no build id was recorded. It compares:
 *
 *	inode	its number and generation, as MMAP2 records have them: on the machine of the recording they must be equal
 *	times	neither contents nor inode changed after the file was first mapped; if the recording was copied here with its
 *		files, only the contents count
 *	layout	the code mapping is a segment of the file, or all of it; if the inode differs, all of a segment or of the file
 *
 * Files in a directory given by --symfs are trusted.
 * Layer: model
 */
#ifndef CORE_MODEL_RECORDED_FILE_H
#define CORE_MODEL_RECORDED_FILE_H

#include "core/model/machine_state.h"

struct elf_file;

/* Remembers from @map what later identifies @dso's file. */
void recorded_file_note(struct dso *dso, const struct map *map, bool executable);
/*
 * True if names of @dso, which has no build id, may come from @e; else dso->state and dso->why give the reason. Also true for
 * a file that was accepted when the dso was loaded.
 */
bool is_recorded_file(const struct machine *m, struct dso *dso, const struct elf_file *e);
/* The same for a file at @path that is not ELF. It has no symbols, so the inode is enough. */
bool is_recorded_bytes(const struct machine *m, const struct dso *dso, const char *path);

#endif
