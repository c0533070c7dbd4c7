/* Matches a function by a short form of its name, as users type it, for prec annotate and prec summary --of. */
#ifndef CORE_CODE_FUNCTION_NAME_H
#define CORE_CODE_FUNCTION_NAME_H

#include <stdbool.h>

/* How the user named the function: by its whole name, or only by the last parts, without leading namespaces or classes. */
enum name_given { NAME_WHOLE, NAME_PART };

/*
 * With NAME_WHOLE, true if @wanted is @name, or its part before "(", " (", "@" or "<". With NAME_PART, "Foo.bar" and "bar" match
 * "void com.x.Foo.bar(int)". @wanted may end in " (inlined)", as views print it.
 */
bool function_is_named(const char *name, const char *wanted, enum name_given given);

#endif
