/* Bytes as text (RFC 4648, section 4). Layer: base */
#ifndef CORE_BASE_BASE64_H
#define CORE_BASE_BASE64_H

#include "core/base/buf.h"

void buf_base64(struct buf *out, const void *p, size_t n);

#endif
