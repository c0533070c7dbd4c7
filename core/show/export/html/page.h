/*
 * Declares the template of the exported HTML page. The script "assemble" builds the template, and html.c replaces @ENCODING@ and
 * @DATA@ in it.
 * Layer: export
 */
#ifndef CORE_SHOW_EXPORT_HTML_PAGE_H
#define CORE_SHOW_EXPORT_HTML_PAGE_H

extern const char html_page[];	/* ends with NUL */

#endif
