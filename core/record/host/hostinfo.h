/*
 * Fills the header sections of a recording that describe the machine and the command line, such as HOSTNAME and CPUDESC.
 * preamble.c adds the sections that depend on the events.
 */
#ifndef CORE_RECORD_HOST_HOSTINFO_H
#define CORE_RECORD_HOST_HOSTINFO_H

struct features;

/*
 * Fills @out with data about this machine, and marks the sections in has[]. Sections whose data are not available stay absent.
 * @version and @argv (NULL-terminated) are those of the program.
 */
void hostinfo_read(struct features *out, const char *version, char *const argv[]);
/* Fills only the names of the machine and the kernel, the program's version and the command line, which take no time to read. */
void hostinfo_read_names(struct features *out, const char *version, char *const argv[]);

#endif
