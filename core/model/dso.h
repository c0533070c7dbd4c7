/*
 * Defines struct dso: a mapped file (program, library, kernel, module, vdso), or a name for memory without a file. side_band.c
 * makes dsos from MMAP records, and load.c loads their symbols.
 */
#ifndef CORE_MODEL_DSO_H
#define CORE_MODEL_DSO_H

#include <pthread.h>

#include "core/binary/build_id.h"
#include "core/binary/elf.h"
#include "core/binary/symbol.h"

struct archive;
struct archive_dso;
struct dso_code;
struct guest;
struct jitdump;

/*
 * Kinds of dsos. As in perf, reports show the name of a dso, and `prec script` shows its path:
 *
 *	kind		path				name
 *	DSO_USER	/usr/bin/ls			ls
 *	DSO_KERNEL	[kernel.kallsyms]		[kernel.kallsyms]
 *	DSO_MODULE	/lib/modules/.../ext4.ko	[ext4]
 *	DSO_VDSO	[vdso]				[vdso]
 *	DSO_BPF		bpf_prog_..._name		bpf_prog_..._name
 *	DSO_ANON	//anon, [heap]; /tmp/perf-PID.map	//anon, [heap]; [JIT] tid PID (where code was mapped)
 *	DSO_JIT		/tmp/x/jit-42.dump		jit-42.dump
 *	DSO_UNKNOWN	[vsyscall], [uprobes]		the same
 *	DSO_GUEST	[guest.kernel.kallsyms]		the same; a guest's kernel, or a module of it: [ext4]
 */
enum dso_kind { DSO_USER, DSO_KERNEL, DSO_MODULE, DSO_VDSO, DSO_BPF, DSO_ANON, DSO_JIT, DSO_UNKNOWN, DSO_GUEST };

/* The result of loading the symbols of a dso. */
enum dso_state {
	DSO_UNLOADED,		/* not requested yet */
	DSO_LOADED,		/* .symbols_from says from where */
	DSO_NOT_FOUND,		/* no file of that name, or none that can be read */
	DSO_CHANGED,		/* the file has another build id: it was replaced after the recording */
	DSO_UNPROVEN,		/* no build id was recorded, and the file may be another than the mapped one: .why */
	DSO_NO_SYMBOLS,		/* the file was found; it is stripped */
	DSO_HIDDEN,		/* the kernel hides its addresses: kptr_restrict */
};

/* Facts from the maps of a file, to recognize the file if no build id was recorded (core/model/recorded_file.h). */
struct mapped_file {
	bool seen;
	bool injected;			/* perf inject --jit made the file, after the recording */
	uint32_t maj, min;
	uint64_t ino, generation;	/* 0: not recorded */
	uint64_t since;			/* the time of the first map, by the recording's clock; 0: before the start */
	uint64_t code_at, code_size;	/* the largest part of the file that was mapped as code; size 0: none */
};

/* All processes share a dso. The machine (machine.h) owns it. */
struct dso {
	const char *path;		/* long name, as recorded: "/usr/bin/ls", "[kernel.kallsyms]"; interned */
	const char *name;		/* short name: "ls"; interned */
	struct build_id build_id;	/* as recorded; size 0: unknown */
	bool id_by_path;		/* .build_id is not from a map, but from a record or section that gives it for a path */
	struct mapped_file mapped;
	enum dso_kind kind;
	uint32_t number;		/* in order of first appearance */
	uint32_t pid;			/* the process that mapped it last; 0: none did */
	uint32_t elf_class;		/* 32 or 64 once loaded, else 0 */
	const struct guest *guest;	/* DSO_GUEST: the guest whose kernel or module this is; borrowed from the machine */
	/* DSO_KERNEL, DSO_GUEST: a symbol (NULL: unknown; interned), and its recorded address, which gives .relocation. */
	const char *reference;
	uint64_t reference_addr;
	/* Loaded on first use, under the lock; read-only from then on. */
	pthread_mutex_t lock;
	bool loaded;
	bool requested;			/* its symbols were requested, not only by machine_load_kernel_early() */
	enum dso_state state;
	bool is_stripped;		/* it has only exported symbols, or those that a distribution packed into it */
	char *why;			/* more about .state; NULL: nothing. Owned */
	const char *symbols_from;	/* the file that was read; NULL: none found. Owned */
	const char *file;		/* the mapped file as found here, to read its code; NULL: none found. Owned */
	bool file_has_code;		/* .file has the code, and not only split-off debug information */
	int image_fd;			/* descriptor of a file without a path (the vdso), which .file names. Owned; 0: none */
	const char *dwarf_file;		/* the file with the source lines and inlined functions; NULL: none. Owned */
	struct symbols symbols;
	bool mangled;			/* names of symbols are demangled before they are shown */
	struct elf_segments segments;	/* from the program headers of the file: file offset <-> address */
	uint64_t relocation;		/* of the kernel: recorded address - address in .symbols */
	bool relative;			/* symbols count from the start of the map (a module's .ko) */
	struct jitdump *jitdump;	/* DSO_JIT: its contents (core/model/jitdump.h), owned; NULL: not read */
	void *lines;			/* the index of core/model/srcline.c */
	/* The entry in an archive in the recording, both borrowed; NULL: none (core/model/machine_archive.h). */
	const struct archive *archive;
	const struct archive_dso *archived;
	struct dso_code *code;		/* list of core/model/code.c, which only grows, under the lock */
	bool code_missed, code_read;	/* .code_missed: some code that was looked up is missing; .code_read: some was found */
};

#endif
