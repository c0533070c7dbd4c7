/*
 * Header sections that describe the machine and the command line, and do not depend on the events.
 * Layer: host
 */
#ifndef CORE_HOST_HOSTINFO_H
#define CORE_HOST_HOSTINFO_H

struct features;

/*
 * Fill what this machine tells into @out and mark it in has[]; what it does not tell stays absent. @version and
 * @argv (NULL-terminated) are the program's.
 */
void hostinfo_read(struct features *out, const char *version, char *const argv[]);
/* Only which machine, kernel, program and command line these are: what is known at once. */
void hostinfo_read_names(struct features *out, const char *version, char *const argv[]);

#endif
