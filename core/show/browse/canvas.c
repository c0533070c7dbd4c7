/*
 * Writes text and colours into the canvas, the grid of characters that the browser draws before it updates the terminal
 * (canvas.h).
 */
#include "core/show/browse/canvas.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/base/utf8.h"
#include "core/base/util.h"

void canvas_clear(struct canvas *c)
{
	for (size_t i = 0; i < (size_t)c->width * c->height; i++)
		c->cells[i] = (struct cell){ .character = ' ' };
	c->cursor_x = c->cursor_y = -1;
}

void canvas_resize(struct canvas *c, unsigned width, unsigned height)
{
	c->width = MAX(width, 1);
	c->height = MAX(height, 1);
	c->cells = xrealloc(c->cells, (size_t)c->width * c->height * sizeof(*c->cells));
	canvas_clear(c);
}

void canvas_release(struct canvas *c)
{
	free(c->cells);
	*c = (struct canvas){0};
}

/* Sets *n to the character's bytes. Returns '?' for a character that cannot be shown. */
static uint32_t decode(const struct canvas *c, const char *text, size_t len, size_t *n)
{
	const uint8_t *s = (const uint8_t *)text;
	uint32_t value = s[0];

	*n = utf8_length(text, len);
	if (!*n) {
		*n = 1;
		return '?';
	}
	if (*n > 1)
		value = s[0] & (0x7fu >> *n);
	for (size_t i = 1; i < *n; i++)
		value = value << 6 | (s[i] & 0x3f);
	return value < ' ' || (value >= 0x7f && (!c->utf8 || wcwidth((wchar_t)value) < 0)) ? '?' : value;
}

static unsigned columns_of(uint32_t character)
{
	return character < 0x7f ? 1 : (unsigned)wcwidth((wchar_t)character);
}

size_t canvas_columns(const struct canvas *c, const char *text, size_t len)
{
	size_t columns = 0, n;

	for (; len; text += n, len -= n)
		columns += columns_of(decode(c, text, len, &n));
	return columns;
}

static void set_cell(struct canvas *c, unsigned y, unsigned x, uint32_t character, unsigned look)
{
	if (y < c->height && x < c->width)
		c->cells[(size_t)y * c->width + x] = (struct cell){ .character = character, .look = (uint8_t)look };
}

/* A character of two columns is drawn whole, or as a blank for each half that fits. */
static void set_character(struct canvas *c, unsigned y, unsigned x, uint32_t character, unsigned columns, unsigned look)
{
	set_cell(c, y, x, columns == 2 && x + 1 >= c->width ? ' ' : character, look);
	if (columns == 2)
		set_cell(c, y, x + 1, 0, look);
}

unsigned canvas_put(struct canvas *c, unsigned y, unsigned x, unsigned room, unsigned skip, unsigned look, const char *text,
		    size_t len)
{
	unsigned used = 0, passed = 0;
	size_t n;

	for (; len && used < room; text += n, len -= n) {
		uint32_t character = decode(c, text, len, &n);
		unsigned columns = columns_of(character);

		if (!columns)		/* combining characters are left out */
			continue;
		passed += columns;
		if (passed <= skip)
			continue;
		if (passed - columns < skip || used + columns > room) {	/* only half of it fits */
			set_cell(c, y, x + used++, ' ', look);
			continue;
		}
		set_character(c, y, x + used, character, columns, look);
		used += columns;
	}
	return used;
}

unsigned canvas_puts(struct canvas *c, unsigned y, unsigned x, unsigned look, const char *text)
{
	return x >= c->width ? 0 : canvas_put(c, y, x, c->width - x, 0, look, text, strlen(text));
}

void canvas_fill(struct canvas *c, unsigned y, unsigned x, unsigned n, unsigned look, uint32_t character)
{
	for (; n && x < c->width; n--, x++)
		set_cell(c, y, x, character, look);
}

void canvas_add_look(struct canvas *c, unsigned y, unsigned x, unsigned n, unsigned look)
{
	if (y >= c->height)
		return;
	for (; n && x < c->width; n--, x++)
		c->cells[(size_t)y * c->width + x].look |= (uint8_t)look;
}
