/* Defines the table of the columns of prec script, generated from field_list.h. Layer: script */
#include <stddef.h>

#include "core/perfdata/abi.h"
#include "core/show/script/column.h"
#include "core/show/script/field.h"

#define B(kind)		(1u << KIND_##kind)
#define ALL		((1u << KIND_MAX) - 1)
#define ADDRESSED	(ALL & ~B(TRACEPOINT))

const struct field fields[FIELD_MAX] = {
#define ROW(id, ...) [FIELD_##id] = { __VA_ARGS__ },
	SCRIPT_FIELDS(ROW)
#undef ROW
};
