/*
 * The page without a profile, as core/show/export/html/assemble makes it; @ENCODING@ and @DATA@ stand where one belongs.
 * Layer: export
 */
#ifndef CORE_SHOW_EXPORT_HTML_PAGE_H
#define CORE_SHOW_EXPORT_HTML_PAGE_H

extern const char html_page[];	/* ends with NUL */

#endif
