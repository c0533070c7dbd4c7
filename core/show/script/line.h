/*
 * Prints the lines of prec script, one for each sample and for each other record, such as mmap and fork. Several threads format
 * the lines, and each caches the symbol names of addresses (address_text.h).
 * Layer: script
 */
#ifndef CORE_SHOW_SCRIPT_LINE_H
#define CORE_SHOW_SCRIPT_LINE_H

struct buf;
struct item;
struct line;
struct line_plan;

/* @p is borrowed for the line's life. */
void line_init(struct line *l, const struct line_plan *p);
/* Clears the caches, because addresses and threads may have changed their meaning. */
void line_forget(struct line *l);
void line_release(struct line *l);

/* Looks up the addresses in the lines of @items (NULL: none) together, ahead of printing. */
void line_expect(struct line *l, const struct item *const *items, unsigned nr);
/* The line of a sample, or nothing if a filter drops it. */
void line_print_sample(struct line *l, const struct item *item, struct buf *out);
/* Prints the line of another record: task, time, contents. */
void line_print_record(struct line *l, const struct item *item, struct buf *out);

#endif
