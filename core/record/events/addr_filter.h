/*
 * Translates address filters (--filter) to the kernel's syntax. An address filter chooses the code that a hardware trace such as
 * Intel PT records. auxtrace/aux_events.c calls it. Filters of samples are in sample_filter.h.
 *
 * The user's syntax is
 *
 *	filter|start|stop|tracestop PLACE[/SIZE][@FILE]		blanks or commas separate several filters
 *
 * PLACE is a number, "*" for all functions, or a function's name that ends at a blank. "name #2" means the second function of that
 * name, "name #g" the global one. SIZE is a number of bytes, or the name of the function at whose end the range ends. Without FILE,
 * PLACE is in the kernel.
 */
#ifndef CORE_RECORD_EVENTS_ADDR_FILTER_H
#define CORE_RECORD_EVENTS_ADDR_FILTER_H

/*
 * Translates @text, the filters of the event @event in the user's syntax, to the kernel's syntax (PERF_EVENT_IOC_SET_FILTER) in
 * *out, which the caller frees. The kernel's syntax has only numbers, a "stop" with a size instead of "tracestop", and the
 * absolute path of the file. The PMU accepts at most @max filters. Prints errors; returns 0 or -1.
 */
int addr_filter_resolve(char **out, const char *text, const char *event, unsigned max);

#endif
