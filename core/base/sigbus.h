/*
 * Reports read errors of mapped files. The kernel sends SIGBUS if a mapped file is truncated or if its disk fails (mmap(2)).
 * prec then prints an error with the name of the file, and exits.
 * Layer: base
 */
#ifndef CORE_BASE_SIGBUS_H
#define CORE_BASE_SIGBUS_H

/*
 * Installs the handler, for all threads: if a page of a mapped file cannot be read, it prints file, offset and reason on stderr
 * and ends the program with status 1. Any other SIGBUS kills the program as before. The hook of log_at_crash() runs first.
 */
void sigbus_means_file_error(void);

#endif
