/*
 * Address filters: which code a hardware trace covers. In the user's syntax
 *
 *	filter|start|stop|tracestop PLACE[/SIZE][@FILE]	several with blanks or commas between them
 *
 * PLACE is a number or a function's name between blanks, "name #2" the second of that name, "name #g" the global one, "*"
 * all functions; SIZE may be a name, too: up to its end. In the kernel's syntax (PERF_EVENT_IOC_SET_FILTER) there are only
 * numbers, "tracestop" is a "stop" with a size, and the file's path is absolute. Without a file, PLACE is in the kernel.
 * Layer: events
 */
#ifndef CORE_RECORD_EVENTS_ADDR_FILTER_H
#define CORE_RECORD_EVENTS_ADDR_FILTER_H

/*
 * From the user's words @text for event @event to the kernel's; *out is the caller's. The PMU takes at most @max filters.
 * Prints errors; returns 0 or -1.
 */
int addr_filter_resolve(char **out, const char *text, const char *event, unsigned max);

#endif
