/*
 * Changes the browser's state (browser.h) according to a pressed key. browse.c reads the keys, and act.c performs their actions.
 * Layer: browse
 */
#ifndef CORE_SHOW_BROWSE_ACT_H
#define CORE_SHOW_BROWSE_ACT_H

struct browser;

/* @key: a character or an enum browse_key; other numbers are ignored. b->request holds the action that the loop must do. */
void browser_key(struct browser *b, int key);

#endif
