/* Fills the header sections that describe the machine and the command line; they do not depend on the events. Layer: host */
#ifndef CORE_RECORD_HOST_HOSTINFO_H
#define CORE_RECORD_HOST_HOSTINFO_H

struct features;

/*
 * Fills @out with data about this machine and marks it in has[]; unavailable data stay absent. @version and @argv
 * (NULL-terminated) are the program's.
 */
void hostinfo_read(struct features *out, const char *version, char *const argv[]);
/* Only the machine, kernel, program and command line: available at once. */
void hostinfo_read_names(struct features *out, const char *version, char *const argv[]);

#endif
