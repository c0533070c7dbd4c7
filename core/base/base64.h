/*
 * Encodes bytes as Base64 text, with padding and without line breaks (RFC 4648, section 4), for the data in HTML pages
 * (core/show/export/html/html.c) and for the terminal's clipboard.
 * Layer: base
 */
#ifndef CORE_BASE_BASE64_H
#define CORE_BASE_BASE64_H

#include "core/base/buf.h"

/* Append the @n bytes at @p as base64. */
void buf_put_base64(struct buf *out, const void *p, size_t n);

#endif
