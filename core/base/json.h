/* Writes JSON text, with the commas between values. The text may be part of an HTML page. core/base/buf.h holds the text. */
#ifndef CORE_BASE_JSON_H
#define CORE_BASE_JSON_H

#include <stdbool.h>

#include "core/base/buf.h"

struct json {
	struct buf *out;	/* borrowed; the caller may empty it between two calls */
	bool comma;		/* a comma is needed before the next value or key */
};

/*
 * Begins an object ('{') or an array ('['):
 *
 *	struct json j = { .out = &buf };
 *
 *	json_open(&j, '{');
 *	json_key_open(&j, "names", '[');
 *	json_string(&j, "main");
 *	json_close(&j, ']');
 *	json_close(&j, '}');
 */
void json_open(struct json *j, char bracket);
void json_close(struct json *j, char bracket);
/* Returns @j, for the value: json_u64(json_key(j, "count"), 7). */
struct json *json_key(struct json *j, const char *name);
/* Writes U+FFFD for bytes that are not valid UTF-8, and escapes <, > and &, so the text may be part of an HTML page. */
void json_string(struct json *j, const char *s);
void json_string_n(struct json *j, const char *s, size_t n);
void json_u64(struct json *j, uint64_t v);
void json_i64(struct json *j, int64_t v);
/* Writes @v with @digits digits after the point. */
void json_fixed(struct json *j, double v, int digits);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);

/* Write a key and its value. json_key_open() begins an object or an array as its value. */
static inline void json_key_open(struct json *j, const char *name, char bracket)
{
	json_key(j, name);
	json_open(j, bracket);
}

static inline void json_key_string(struct json *j, const char *name, const char *s)
{
	json_key(j, name);
	json_string(j, s);
}

static inline void json_key_u64(struct json *j, const char *name, uint64_t v)
{
	json_key(j, name);
	json_u64(j, v);
}

static inline void json_key_i64(struct json *j, const char *name, int64_t v)
{
	json_key(j, name);
	json_i64(j, v);
}

static inline void json_key_bool(struct json *j, const char *name, bool v)
{
	json_key(j, name);
	json_bool(j, v);
}

/* Appends only the @n bytes at @s as a string in quotes, without a comma before it. */
void buf_json_string(struct buf *out, const char *s, size_t n);

#endif
