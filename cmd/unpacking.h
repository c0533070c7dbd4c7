/*
 * For prec archive --unpack: takes the binaries out of a tar archive that `perf archive` has made, and adds them to perf's cache
 * ~/.debug (core/binary/build_id_cache.h).
 * Layer: cmd
 */
#ifndef CMD_UNPACKING_H
#define CMD_UNPACKING_H

/*
 * Add the binaries of the tar archive @path, compressed or not, to ~/.debug by their build ids; "-": standard input. Nothing else
 * is written. Prints what is wrong; 0 or -1.
 */
int unpack_archive(const char *path);

#endif
