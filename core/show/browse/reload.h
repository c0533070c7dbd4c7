/* Reloads the browser with a newer profile (prec top): the same functions stay open, chosen and under the cursor. Layer: browse */
#ifndef CORE_SHOW_BROWSE_RELOAD_H
#define CORE_SHOW_BROWSE_RELOAD_H

#include "core/show/browse/browser.h"

/* The numbers of functions change from one profile to the next. */
struct renumbering { const struct model *before, *now; };

/* The function of the new profile that is @function of the old one; PROFILE_NONE: it is in no sample now. */
uint32_t renumbered(const struct renumbering *r, uint32_t function);

/* True if nothing on the screen would be disturbed: a prompt, a menu, a text that is read, a range of time. */
bool browser_may_reload(const struct browser *b);
/* As browser_load(), when it was loaded before: the model before is released. */
void browser_reload(struct browser *b, const struct browse_input *input, const struct model *model);

#endif
