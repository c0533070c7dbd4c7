/*
 * Writes a profile as one HTML page with the data and the scripts that show it, for prec export --format html. data.js in this
 * directory describes the layout of the data, and model.js decodes the data.
 */
#ifndef CORE_SHOW_EXPORT_HTML_HTML_H
#define CORE_SHOW_EXPORT_HTML_HTML_H

struct export_opts;
struct findings;
struct outfile;
struct profile;

/* If a profile has more samples, they are merged, and the page says how: see thin.h. */
#define HTML_MAX_ROWS 2000000u

/* Writes the page: page.html with page.css, the *.js files of this directory and the compressed profile. @findings may be NULL. */
void html_put(const struct profile *p, const struct findings *findings, const struct export_opts *opts, struct outfile *out);

#endif
