/*
 * Declares the functions that print the columns of prec script (SCRIPT_PRINTERS in field_list.h). line.c also uses some of them
 * for lines of records that are not samples.
 */
#ifndef CORE_SHOW_SCRIPT_COLUMN_H
#define CORE_SHOW_SCRIPT_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/show/script/field_list.h"

struct buf;
struct item;
struct line;
struct line_owner;

/* Each function appends its column to the line. column_address.c and column_blocks.c have the functions that look up addresses. */
#define PRINT(function) void function(struct line *l);
SCRIPT_PRINTERS(PRINT)
#undef PRINT

/* Appends comm, pid, tid and CPU, as far as @shown has their FIELD_BIT. */
void put_task(struct buf *out, uint64_t shown, const struct line_owner *task, bool narrow);
/* Calls address_text_want() for each address that column_ip() will print for @item. */
void column_want_ip(struct line *l, const struct item *item);
/* The address space of an address for which no cpumode was recorded: kernel or user, by the value. */
uint32_t column_space(const struct line *l, uint64_t addr);
/* Like column_source() for the address @ip: the source line between @before and @after. */
void put_source(struct line *l, uint32_t space, uint64_t ip, const char *before, const char *after);

#endif
