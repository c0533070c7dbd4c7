/*
 * Writes JSON, with commas where they are needed.
 *
 *	struct json j = { .out = &buf };
 *
 *	json_open(&j, '{');
 *	json_key(&j, "names");
 *	json_open(&j, '[');
 *	json_string(&j, "main");
 *	json_close(&j, ']');
 *	json_close(&j, '}');
 *
 * Strings become valid UTF-8: bytes that are not are replaced by U+FFFD. <, > and & are escaped, so the text can stand in an HTML
 * page.
 * Layer: base
 */
#ifndef CORE_BASE_JSON_H
#define CORE_BASE_JSON_H

#include <stdbool.h>

#include "core/base/buf.h"

struct json {
	struct buf *out;	/* borrowed; the caller may empty it between two calls */
	bool comma;		/* a comma is needed before the next value or key */
};

void json_open(struct json *j, char bracket);
void json_close(struct json *j, char bracket);
void json_key(struct json *j, const char *name);
void json_string(struct json *j, const char *s);
void json_string_n(struct json *j, const char *s, size_t n);
void json_u64(struct json *j, uint64_t v);
void json_i64(struct json *j, int64_t v);
/* Writes @v with @digits digits after the point. */
void json_fixed(struct json *j, double v, int digits);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);

/* Append only a string with its quotes, without a comma. */
void buf_json_string(struct buf *out, const char *s, size_t n);

#endif
