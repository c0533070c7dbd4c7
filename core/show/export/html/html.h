/*
 * Writes a profile as one HTML page: a program in the page (page.html, page.css, *.js) shows the numbers that the page holds in
 * compressed form. data.js describes their layout, model.js reads them.
 * Layer: export
 */
#ifndef CORE_SHOW_EXPORT_HTML_HTML_H
#define CORE_SHOW_EXPORT_HTML_HTML_H

struct export_opts;
struct findings;
struct outfile;
struct profile;

/* More samples than this are summed up, and the page says how: see thin.h. */
#define HTML_MAX_ROWS 2000000u

/* Write the page. @findings may be NULL. */
void html_put(const struct profile *p, const struct findings *findings, const struct export_opts *opts, struct outfile *out);

#endif
