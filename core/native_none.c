/*
 * Defines the table of core/native.h for hosts that no arch/NAME/native.c describes. All members of the table are NULL or 0. prec
 * can record on such a host, but knows nothing about its processor.
 */
#include "core/native.h"

#include <stddef.h>

const struct native native = { .arch = NULL };
