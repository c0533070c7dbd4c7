/*
 * Embeds the template of the exported HTML page in the prec binary with .incbin. The Makefile defines HTML_PAGE as the path of the
 * template that it has assembled.
 * Layer: export
 */
#include "core/show/export/html/page.h"

#ifndef HTML_PAGE
#define HTML_PAGE "core/show/export/html/page.html"	/* for tools that only look at this file: the page before it is assembled */
#endif

__asm__(".pushsection .rodata\n"
	".global html_page\n"
	"html_page:\n"
	".incbin \"" HTML_PAGE "\"\n"
	".byte 0\n"
	".popsection\n");
