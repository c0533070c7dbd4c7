/* Loads shared libraries with dlopen(3) and finds their functions with dlsym(3). */
#include "core/base/library.h"

#include <dlfcn.h>

#include "core/base/log.h"

int library_load(const char *soname, const char *const *names, size_t nr, void **out)
{
	void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		debug(1, "cannot load a library: %s", dlerror());
		return -1;
	}
	for (size_t i = 0; i < nr; i++) {
		out[i] = dlsym(library, names[i]);
		if (!out[i]) {
			debug(1, "'%s' has no function '%s'", soname, names[i]);
			return -1;
		}
	}
	return 0;
}
