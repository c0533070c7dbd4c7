/*
 * Declares the functions that print the columns of prec script. The table in field_list.h assigns these functions to the
 * columns, and line.c also uses some of them for lines of records that are not samples.
 */
#ifndef CORE_SHOW_SCRIPT_COLUMN_H
#define CORE_SHOW_SCRIPT_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct item;
struct line;
struct line_owner;

/* Appends comm, pid, tid and CPU, as far as @shown has their FIELD_BIT. */
void put_task(struct buf *out, uint64_t shown, const struct line_owner *task, bool narrow);

void column_task(struct line *l);
/* These three print any record's. */
void column_misc(struct line *l);
void column_tod(struct line *l);
void column_time(struct line *l);
void column_runqlen(struct line *l);
void column_period(struct line *l);
void column_event(struct line *l);
void column_flags(struct line *l);
void column_synth(struct line *l);
void column_data_src(struct line *l);
void column_weight(struct line *l);
void column_ins_lat(struct line *l);
void column_retire_lat(struct line *l);
void column_cgroup(struct line *l);
void column_iregs(struct line *l);
void column_uregs(struct line *l);
void column_bpf_output(struct line *l);
void column_phys_addr(struct line *l);
void column_data_page_size(struct line *l);
void column_code_page_size(struct line *l);
void column_ipc(struct line *l);
/* The column ipc of branch events if their line has no address column, which would print it. */
void column_branch_ipc(struct line *l);
/* The tracepoint's own fields. */
void column_trace(struct line *l);

/* core/show/script/column_address.c: columns that look up addresses */
void column_addr(struct line *l);
void column_ip(struct line *l);
/* Calls address_text_want() for each address that column_ip() will print for @item. */
void column_want_ip(struct line *l, const struct item *item);
/* For waits: the stack of the thread that ended the wait, a line per frame. */
void column_waker(struct line *l);
void column_branches(struct line *l);
void column_insn(struct line *l);
/* The address space of an address for which no cpumode was recorded: kernel or user, by the value. */
uint32_t column_space(const struct line *l, uint64_t addr);
/* core/show/script/column_blocks.c */
void column_blocks(struct line *l);
/* The source line of the sample, on a line of its own, unless the thread's last sample had the same. */
void column_source(struct line *l);
/* Like column_source() for the address @ip: the source line between @before and @after. */
void put_source(struct line *l, uint32_t space, uint64_t ip, const char *before, const char *after);
/* For branch events: the function, indented by call depth. */
void column_callindent(struct line *l);
/* For branch events: "from => to" instead of the address columns. */
void column_branch_line(struct line *l);

#endif
