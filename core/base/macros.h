/* Defines macros that every file may use, such as ARRAY_SIZE(), MIN() and MAX(). */
#ifndef CORE_BASE_MACROS_H
#define CORE_BASE_MACROS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)	((a) < (b) ? (a) : (b))
#define MAX(a, b)	((a) > (b) ? (a) : (b))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

#endif
