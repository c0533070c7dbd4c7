/*
 * Declares the template of the exported HTML page, which is part of the prec binary. The script "assemble" builds the template,
 * page.c embeds it, and html.c replaces @ENCODING@ and @DATA@ in it.
 * Layer: export
 */
#ifndef CORE_SHOW_EXPORT_HTML_PAGE_H
#define CORE_SHOW_EXPORT_HTML_PAGE_H

extern const char html_page[];	/* ends with NUL */

#endif
