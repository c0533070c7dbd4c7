/*
 * Finds the struct arch of a recording's machine by the name that uname -m printed there. arch/x86/arch.c and arch/arm64/arch.c
 * define the structs.
 * Layer: arch
 */
#include "core/arch.h"

#include "core/base/util.h"

static const struct arch *const archs[] = { &arch_x86_64, &arch_i386, &arch_arm64, &arch_arm };

const struct arch *arch_find(const char *uname_machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++) {
		if (str_eq(archs[i]->name, uname_machine))
			return archs[i];
		for (const char *const *a = archs[i]->aliases; a && *a; a++)
			if (str_eq(*a, uname_machine))
				return archs[i];
	}
	return NULL;
}

const struct arch_call *arch_call_find(const struct arch *arch, uint64_t number)
{
	for (unsigned i = 0; arch && i < arch->nr_calls; i++)
		if (arch->calls[i].number == number)
			return &arch->calls[i];
	return NULL;
}
