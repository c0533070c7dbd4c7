/*
 * Decides whether a file is the one that was mapped, if no build id was recorded. candidate.c calls it before it uses an ELF
 * file. side_band.c notes the inode of each mapping.
 */
#ifndef CORE_MODEL_RECORDED_FILE_H
#define CORE_MODEL_RECORDED_FILE_H

#include "core/model/machine_state.h"

struct elf_file;

/* Remembers from @map what later identifies @dso's file. */
void recorded_file_note(struct dso *dso, const struct map *map, bool executable);
/*
 * True if symbols of @dso, which has no build id, may come from @e. Otherwise sets dso->state and dso->why to the reason, unless
 * the dso is loaded. Three things must fit:
 *
 *	inode	On the machine of the recording, the number and generation of the inode must be those in the MMAP2 record.
 *	times	Neither contents nor inode may have changed after the file was first mapped. If the recording was copied here
 *		together with its files, only a change of the contents counts.
 *	layout	The code mapping must be in an executable segment of the file, or be the whole file. If the inode differs, the
 *		mapping must be a whole segment or the whole file.
 *
 * Files in the directory that --symfs names are trusted.
 */
bool is_recorded_file(const struct machine *m, struct dso *dso, const struct elf_file *e);
/* The same for a file at @path that is not ELF. It has no symbols, so the inode is enough. */
bool is_recorded_bytes(const struct machine *m, const struct dso *dso, const char *path);

#endif
