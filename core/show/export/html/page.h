/*
 * The HTML template that the script "assemble" builds. The export replaces @ENCODING@ and @DATA@ by the profile.
 * Layer: export
 */
#ifndef CORE_SHOW_EXPORT_HTML_PAGE_H
#define CORE_SHOW_EXPORT_HTML_PAGE_H

extern const char html_page[];	/* ends with NUL */

#endif
