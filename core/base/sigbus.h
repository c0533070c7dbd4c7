/*
 * Files are read through mappings. If one is truncated meanwhile, or its disk fails, the kernel sends SIGBUS (mmap(2)). It
 * becomes an error of the file here.
 * Layer: base
 */
#ifndef CORE_BASE_SIGBUS_H
#define CORE_BASE_SIGBUS_H

/*
 * From now on, in every thread: reading past the end of a mapped file, or if it cannot be read, prints the file, the
 * offset and the reason on stderr and ends the program with status 1. Every other SIGBUS kills as before. The hook of
 * log_at_crash() runs first.
 */
void sigbus_means_file_error(void);

#endif
