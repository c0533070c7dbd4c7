/*
 * Sets breakpoints at symbols of the recorded program (-e mem:NAME). recorder.c looks up the symbols before it opens the events, or
 * after the exec if prec starts the program.
 */
#ifndef CORE_RECORD_TRIGGER_SYMBOL_BREAK_H
#define CORE_RECORD_TRIGGER_SYMBOL_BREAK_H

#include "core/record/open/event_set.h"

/* True if any of the events is a breakpoint at a symbol. */
bool symbol_breaks_any(const struct event_requests *events);
/* Looks up the symbols in the running process @pid, before the breakpoints are opened. Prints errors; returns 0 or -1. */
int symbol_breaks_locate(struct event_requests *events, pid_t pid);
/*
 * Moves the opened breakpoints to their addresses in @pid, which has just executed the program. @set was opened for @events.
 * With @enable the breakpoints are enabled. Prints errors; returns 0 or -1.
 */
int symbol_breaks_place(struct event_set *set, struct event_requests *events, pid_t pid, bool enable);

#endif
