/*
 * Detects CPython in a process by the names and symbols of mapped files, and describes its structures for the BPF program
 * python.bpf.c. python.c calls it.
 */
#include "core/record/live/python_process.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/util.h"
#include "core/binary/elf.h"
#include "core/record/live/kernel_records.h"
#include "core/record/live/open_map.h"

#define FILES_MAX	4096
#define LOOP	"_PyEval_EvalFrameDefault"

/* The offsets of the fields in CPython's structures, from CPython's headers, for x86-64 builds without debugging. */
static const struct python_offsets versions[] = {
	{ .version = 0x308, .heads = 32, .interp_next = 0, .threads = 8, .tstate_next = 8, .thread_id = 176, .tstate_frame = 24,
	  .back = 24, .code = 32, .instr = 104, .frame_size = 112, .name = 112, .file = 104, .lines = 120, .first = 40,
	  .bytes = 48, .ascii = 48, .compact = 72, .entries = PYTHON_ENTRY_EACH },
	{ .version = 0x309, .heads = 32, .interp_next = 0, .threads = 8, .tstate_next = 8, .thread_id = 176, .tstate_frame = 24,
	  .back = 24, .code = 32, .instr = 104, .frame_size = 112, .name = 112, .file = 104, .lines = 120, .first = 40,
	  .bytes = 48, .ascii = 48, .compact = 72, .entries = PYTHON_ENTRY_EACH },
	{ .version = 0x30a, .heads = 32, .interp_next = 0, .threads = 8, .tstate_next = 8, .thread_id = 176, .tstate_frame = 24,
	  .back = 24, .code = 32, .instr = 96, .frame_size = 104, .name = 112, .file = 104, .lines = 120, .first = 40,
	  .bytes = 48, .ascii = 48, .compact = 72, .entries = PYTHON_ENTRY_EACH },
	{ .version = 0x30b, .heads = 40, .interp_next = 0, .threads = 16, .tstate_next = 8, .thread_id = 152, .cframe = 56,
	  .cframe_frame = 8, .back = 48, .code = 32, .instr = 56, .owner = 69, .entry = 68, .frame_size = 72, .name = 128,
	  .file = 112, .lines = 136, .first = 72, .bytes = 184, .ascii = 48, .compact = 72, .entries = PYTHON_ENTRY_FLAG },
	{ .version = 0x30c, .heads = 40, .interp_next = 0, .threads = 72, .tstate_next = 8, .thread_id = 136, .cframe = 56,
	  .cframe_frame = 0, .back = 8, .code = 0, .instr = 56, .owner = 70, .frame_size = 72, .name = 128, .file = 112,
	  .lines = 136, .first = 68, .bytes = 192, .ascii = 40, .compact = 56, .entries = PYTHON_ENTRY_SHIM },
	{ .version = 0x30d, .heads = 632, .interp_next = 7264, .threads = 7344, .tstate_next = 8, .thread_id = 152,
	  .tstate_frame = 72, .back = 8, .code = 0, .instr = 56, .owner = 70, .frame_size = 72, .name = 128, .file = 112,
	  .lines = 136, .first = 68, .bytes = 200, .ascii = 40, .compact = 56, .entries = PYTHON_ENTRY_SHIM },
};

struct python_file {
	dev_t dev;			/* identity of the file when it was read; another file may get its name, or later its inode
					 * number */
	ino_t ino;
	struct timespec changed;
	const struct python_offsets *offsets;	/* NULL: no CPython of a known version */
	unsigned version;
	uint64_t runtime, code_type;	/* ELF addresses of _PyRuntime and PyCode_Type */
	struct python_ranges loop;
	struct elf_segments segments;
};

/*
 * Functions that were new in a version. A file that has one is of this version or a later one, whatever its name is. Sources:
 * "What's New" and the C API of each version. A build with free threading has other structures, so it counts as unknown.
 */
static const struct { const char *name; unsigned version; } novelties[] = {
	{ "PyCode_NewWithPosOnlyArgs", 0x308 }, { "PyObject_CallNoArgs", 0x309 }, { "PyIter_Send", 0x30a }, { "Py_Version", 0x30b },
	{ "PyType_FromMetaclass", 0x30c }, { "PyList_GetItemRef", 0x30d }, { "PyUnicodeWriter_Create", 0x30e },
	{ "_Py_DecRefShared", UINT_MAX },
};

/* ---- files ---- */

/* Returns the version in "python3.11" and "libpython3.11.so.1.0", or 0, also for "python3.13t", with other structures. */
static unsigned version_in(const char *path)
{
	const char *base = strrchr(path, '/');
	unsigned major, minor;
	int end = 0;

	base = base ? base + 1 : path;
	base += str_starts(base, "lib") ? 3 : 0;
	if (sscanf(base, "python%u.%u%n", &major, &minor, &end) != 2 || major > 255 || minor > 255)
		return 0;
	return !base[end] || str_starts(base + end, ".so") ? major << 8 | minor : 0;
}

bool is_python_file(const char *path)
{
	return version_in(path) != 0;
}

static const struct python_offsets *offsets_of(unsigned version)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		if (versions[i].version == version)
			return &versions[i];
	return NULL;
}

static void see_version(struct python_file *f, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(novelties); i++)
		if (str_eq(novelties[i].name, name))
			f->version = MAX(f->version, novelties[i].version);
}

/* "NAME", or "NAME.cold", "NAME.part.0" */
static bool is_of_loop(const char *name)
{
	return str_starts(name, LOOP) && (!name[strlen(LOOP)] || name[strlen(LOOP)] == '.');
}

static void find_symbols(struct python_file *f, const struct elf_file *e, const char *section)
{
	struct symbols symbols = {0};

	elf_file_symbols(e, section, NULL, &symbols);
	symbols_finish(&symbols);
	vec_for(s, &symbols.list) {
		see_version(f, s->name);
		if (str_eq(s->name, "_PyRuntime"))
			f->runtime = s->start;
		else if (str_eq(s->name, "PyCode_Type"))
			f->code_type = s->start;
		else if (is_of_loop(s->name))
			vec_push(&f->loop.list, (struct python_range){ s->start, s->end });
	}
	symbols_release(&symbols);
}

static void read_binary(struct python_file *f, int fd)
{
	struct elf_file *e;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (elf_file_open(&e, path))
		return;
	find_symbols(f, e, ".symtab");
	if (!f->runtime) {
		f->loop.list.nr = 0;
		find_symbols(f, e, ".dynsym");
	}
	elf_file_segments(e, &f->segments);
	if (f->runtime && f->code_type && f->loop.list.nr)
		f->offsets = offsets_of(f->version);
	elf_file_close(e);
}

static const struct python_file *find_file(const struct python_files *files, const struct stat *st)
{
	vec_for(it, &files->list) {
		const struct python_file *f = *it;

		if (f->dev == st->st_dev && f->ino == st->st_ino && f->changed.tv_sec == st->st_ctim.tv_sec &&
		    f->changed.tv_nsec == st->st_ctim.tv_nsec)
			return f;
	}
	return NULL;
}

/* Returns the file that is open as @fd, reading it if it is new. NULL: it cannot be read, or there are too many files. */
static const struct python_file *need_file(struct python_files *files, int fd)
{
	const struct python_file *known;
	struct python_file *f;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return NULL;
	known = find_file(files, &st);
	if (known || files->list.nr == FILES_MAX)
		return known;
	f = xcalloc(1, sizeof(*f));
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	f->changed = st.st_ctim;
	read_binary(f, fd);
	vec_push(&files->list, f);
	return f;
}

/* Returns the mapped file itself or, if it cannot be opened, the file that now has its name in the process's root directory. */
static const struct python_file *file_of(struct python_files *files, const struct mmap2_record *r, const char *name)
{
	int fd = open_map(r);
	const struct python_file *f;

	if (fd < 0)
		fd = open_seen(r->pid, name);
	f = need_file(files, fd);
	if (fd >= 0)
		close(fd);
	return f;
}

void python_files_release(struct python_files *files)
{
	vec_for(it, &files->list) {
		struct python_file *f = *it;

		vec_free(&f->loop.list);
		vec_free(&f->segments.list);
		free(f);
	}
	vec_free(&files->list);
}

/* ---- processes ---- */

/* Reads fields 26 and 27 of /proc/PID/stat (proc_pid_stat(5)). Field 2, in parentheses, may contain any bytes. */
static int read_code_range(uint32_t pid, struct python_process *process)
{
	char path[32];
	struct buf b = {0};
	const char *p;
	int err;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	err = read_file(path, &b);
	p = err ? NULL : strrchr(buf_str(&b), ')');
	for (int field = 2; p && field < 26; field++) {
		p = strchr(p, ' ');
		p += p != NULL;
	}
	err = p && sscanf(p, "%llu %llu", &process->start_code, &process->end_code) == 2 ? 0 : -ENOENT;
	buf_release(&b);
	return err;
}

int python_process_of(struct python_files *files, const struct mmap2_record *r, const char *name, struct python_process *process,
		      struct python_ranges *loop)
{
	const struct python_file *f = file_of(files, r, name);
	uint64_t bias;

	loop->list.nr = 0;
	if (!f || !f->offsets)
		return -ENOENT;
	bias = r->addr - elf_segments_addr(&f->segments, r->pgoff);
	*process = (struct python_process){
		.runtime = f->runtime + bias, .code_type = f->code_type + bias, .offsets = *f->offsets,
	};
	vec_for(range, &f->loop.list)
		vec_push(&loop->list, (struct python_range){ range->from + bias, range->to + bias });
	return read_code_range(r->pid, process);
}

/* ---- which are worth it ---- */

bool process_has_python(uint32_t pid)
{
	char path[32], *line = NULL;
	bool found = false;
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	f = fopen(path, "re");
	while (f && !found && getline(&line, &room, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		found = strchr(line, '/') && is_python_file(strchr(line, '/'));
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

/* "#!/usr/bin/env python3" */
static bool is_script(const char *path)
{
	char line[128] = "";
	int fd = open_regular(path);

	if (fd < 0)
		return false;
	if (read_at(fd, line, sizeof(line) - 1, 0) < 0)
		line[0] = '\0';
	close(fd);
	line[strcspn(line, "\n")] = '\0';
	return str_starts(line, "#!") && strstr(line, "python");
}

static bool file_is_python(const char *path)
{
	char *real = realpath(path, NULL);
	bool found = real && !access(real, X_OK) && (is_python_file(real) || is_script(real));

	free(real);
	return found;
}

bool command_is_python(const char *word)
{
	const char *dirs = getenv("PATH"), *base = strrchr(word, '/');
	bool found = false, over = false;

	if (str_starts(base ? base + 1 : word, "python") || base)
		return str_starts(base ? base + 1 : word, "python") || file_is_python(word);
	while (dirs && *dirs && !over) {
		size_t n = strcspn(dirs, ":");
		char *path = xasprintf("%.*s/%s", (int)n, dirs, word);

		over = !access(path, X_OK);
		found = over && file_is_python(path);
		dirs += n + (dirs[n] == ':');
		free(path);
	}
	return found;
}
