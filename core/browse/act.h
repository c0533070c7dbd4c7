/*
 * What a key makes of the browser's state.
 * Layer: browse
 */
#ifndef CORE_BROWSE_ACT_H
#define CORE_BROWSE_ACT_H

struct browser;

/* @key: a character, or of enum browse_key; other numbers are ignored. What is to be done outside is in b->wish. */
void browser_key(struct browser *b, int key);

#endif
