/*
 * Reports errors of mapped files. If a file is truncated while it is mapped, or its disk fails, the kernel sends SIGBUS
 * (mmap(2)); prec prints an error that names the file instead.
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
