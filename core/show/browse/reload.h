/*
 * Replaces the profile that the browser shows with a newer one (prec top). Open rows, the zoom of the flame graph and the function
 * of the sandwich view are kept, and the cursor stays on its function.
 */
#ifndef CORE_SHOW_BROWSE_RELOAD_H
#define CORE_SHOW_BROWSE_RELOAD_H

#include "core/show/browse/browser.h"

struct renumbering { const struct model *before, *now; };

/* The new profile's number of @function of the old one; PROFILE_NONE: it has no samples now. */
uint32_t renumbered(const struct renumbering *r, uint32_t function);

/* True if a reload would not disturb the user: no prompt, menu, text or time range is on the screen. */
bool browser_may_reload(const struct browser *b);
/* Like browser_load(), but for a browser that already shows a profile. Releases the old model. */
void browser_reload(struct browser *b, const struct browse_input *input, const struct model *model);

#endif
