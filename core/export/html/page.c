/* The assembled page, as bytes of the program. HTML_PAGE is its path, see the Makefile. Layer: export */
#include "core/export/html/page.h"

__asm__(".pushsection .rodata\n"
	".global html_page\n"
	"html_page:\n"
	".incbin \"" HTML_PAGE "\"\n"
	".byte 0\n"
	".popsection\n");
