/* A host without a table of its own: it records, but has no facts about its processor. Layer: arch */
#include "core/native.h"

#include <stddef.h>

const struct native native = { .arch = NULL };
