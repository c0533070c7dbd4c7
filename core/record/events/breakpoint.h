/*
 * Parses events that are hardware breakpoints, mem:PLACE[/LENGTH][:ACCESS]. PLACE is an address or a symbol. The parser
 * only stores a symbol. Later, core/record/trigger/symbol_break.c calls breakpoint_locate() to find the symbol's address in the
 * recorded process.
 */
#ifndef CORE_RECORD_EVENTS_BREAKPOINT_H
#define CORE_RECORD_EVENTS_BREAKPOINT_H

#include "core/record/events/event_request.h"
#include "core/record/events/event_grammar.h"

/* Parses a place: "0x1f", "31", "name" or "name+0x8". For a number *symbol is NULL; else it is a name owned by the caller. */
int probe_point_parse(struct word w, char **symbol, uint64_t *offset);

/* Appends the request of a NODE_MEM. An invalid access is parsed as modifiers. Returns 0, or -EINVAL with @err filled. */
int breakpoint_resolve(struct event_requests *out, struct event_node *n, struct event_error *err);

/*
 * Finds the address of a breakpoint's symbol in process @pid, whose program is loaded. Returns 0, -errno if the process cannot
 * be read, or -ENOENT if its program has no such symbol.
 */
int breakpoint_locate(const struct event_request *r, int pid, uint64_t *addr);

#endif
