/*
 * Defines codes for keys that are not characters, such as the arrow keys. screen_key() (screen.h) returns each key as a
 * character or as one of these codes, and keymap.c maps both to actions.
 */
#ifndef CORE_SHOW_BROWSE_KEYS_H
#define CORE_SHOW_BROWSE_KEYS_H

/* Keys such as the cursor keys have codes above the range of Unicode. Tab, Enter and Esc have their ASCII codes. */
enum browse_key {
	KEYS_BEGIN = 0x110000,
	BROWSE_UP = KEYS_BEGIN, BROWSE_DOWN, BROWSE_LEFT, BROWSE_RIGHT, BROWSE_PAGE_UP, BROWSE_PAGE_DOWN, BROWSE_HOME, BROWSE_END,
	BROWSE_BACKSPACE, BROWSE_BACKTAB,
	KEYS_END,
	BROWSE_TAB = '\t', BROWSE_ENTER = '\n', BROWSE_ESCAPE = 27,
};

#endif
