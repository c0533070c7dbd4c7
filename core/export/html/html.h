/*
 * A profile as one page: a program in the page (page.html, page.css, *.js) shows the numbers that stand in it, compressed.
 * data.js says how they are laid out, model.js reads the columns.
 * Layer: export
 */
#ifndef CORE_EXPORT_HTML_HTML_H
#define CORE_EXPORT_HTML_HTML_H

#include <stdint.h>

struct buf;
struct findings;
struct profile;

/* A page with more samples than this has them summed up by stretches of time, and says so. */
#define HTML_MAX_SAMPLES 2000000u

/* Append the page. @findings may be NULL. */
void html_put(const struct profile *p, const struct findings *findings, uint64_t max_samples, struct buf *out);

#endif
