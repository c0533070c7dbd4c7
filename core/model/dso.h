/*
 * A dso: a file that is mapped - program, library, kernel, module, vdso - or something that stands for one
 * ([heap], //anon, [unknown]). Made in the side-band pass, shared by all processes, owned by the machine.
 * Layer: model
 */
#ifndef CORE_MODEL_DSO_H
#define CORE_MODEL_DSO_H

#include <pthread.h>

#include "core/format/build_id.h"
#include "core/model/symbol.h"

enum dso_kind { DSO_USER, DSO_KERNEL, DSO_MODULE, DSO_VDSO, DSO_BPF, DSO_ANON, DSO_UNKNOWN };

struct dso {
	const char *path;		/* long name, as recorded: "/usr/bin/ls", "[kernel.kallsyms]"; interned */
	const char *name;		/* short name: "ls"; interned */
	struct build_id build_id;	/* as recorded; size 0: unknown */
	enum dso_kind kind;
	uint32_t number;		/* in order of first sight */
	uint32_t elf_class;		/* 32 or 64 once loaded, else 0 */
	/* Loaded on first use, under the lock; read-only from then on. */
	pthread_mutex_t lock;
	bool loaded;
	const char *symbols_from;	/* the file that was read; NULL: none found. Owned */
	struct symbols symbols;
	void *lines;			/* core/model/srcline.c's index */
};

#endif
