/*
 * Unpacks the tar archive of `perf archive` for prec archive --unpack, and adds its binaries to perf's cache ~/.debug, where
 * prec and perf find symbols by build id.
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
