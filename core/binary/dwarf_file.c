/*
 * Opens the DWARF debug information of an ELF file with libdw. core/model/srcline.c reads source lines and inlined functions
 * from it. dwp.c reads packages of split units.
 */
#include "core/binary/dwarf_file.h"

#include <dwarf.h>
#include <errno.h>
#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/base/util.h"
#include "core/binary/elf_internal.h"

#define PACKAGE ".dwp"
#define BY_BUILD_ID "/usr/lib/debug/.build-id"

/* Writes the path of file @name into @out; a relative name is in the directory of the file @path. False: unknown or too long. */
static bool in_directory_of(const char *path, const char *name, char out[PATH_MAX])
{
	const char *slash = *name == '/' ? path : strrchr(path, '/');

	return slash && snprintf(out, PATH_MAX, "%.*s%s", (int)(slash - path + (*name != '/')), path, name) < PATH_MAX;
}

/* Writes the path of the open file, with all links resolved, into @out. False: unknown. */
static bool path_of(const struct elf_file *e, char out[PATH_MAX])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", e->fd);
	n = readlink(link, out, PATH_MAX - 1);
	out[MAX(n, 0)] = '\0';
	return n > 0;
}

static bool find_in_directory_of(const struct elf_file *e, const char *name, char out[PATH_MAX])
{
	char path[PATH_MAX];

	return path_of(e, path) && in_directory_of(path, name, out);
}

static void begin(struct dwarf_file *d, const char *path)
{
	if (elf_sections_are_valid(d->file)) {
		d->dwarf = dwarf_begin_elf(d->file->elf, DWARF_C_READ, NULL);
		return;
	}
	warning("'%s': no lines: its compressed sections claim to be more than %u MiB, or %u MiB of line tables, "
		"which they are too small for", path, ELF_UNPACKED_MAX >> 20, ELF_LINES_UNPACKED_MAX >> 20);
}

/* ---- dwz's alternate file ---- */

static bool has_id(const struct elf_file *e, const struct build_id *want)
{
	struct build_id id;

	elf_file_build_id(e, &id);
	return build_id_equal(&id, want);
}

static bool is_other_kind(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

/* Opens the file at @path if it is the alternate file. False: libdw would open the file, but it is another one, or unusable. */
static bool try_alternate(struct dwarf_file *d, const struct build_id *want, const char *path)
{
	struct elf_file *e;
	bool usable;

	if (elf_file_open(&e, path))
		return !is_other_kind(path);
	usable = has_id(e, want) && elf_sections_are_valid(e);
	if (usable)
		d->alternate = dwarf_begin_elf(e->elf, DWARF_C_READ, NULL);
	if (d->alternate) {
		d->alternate_file = e;
		d->alternate_path = xstrdup(path);
	} else {
		elf_file_close(e);
	}
	return usable;
}

/* Returns false if the debug information must not be used, because libdw would open an unusable file. */
static bool open_alternate(struct dwarf_file *d, const char *recorded)
{
	char path[PATH_MAX], text[BUILD_ID_TEXT];
	struct build_id want = {0};
	const char *name;
	const void *bytes;
	ssize_t n = dwelf_dwarf_gnu_debugaltlink(d->dwarf, &name, &bytes);
	bool fine;

	if (n <= 0)
		return true;
	want.size = (uint8_t)MIN(n, BUILD_ID_MAX);
	memcpy(want.data, bytes, want.size);
	build_id_text(&want, text);
	/* The places where libdw would look, in its order. */
	snprintf(path, sizeof(path), BY_BUILD_ID "/%.2s/%s.debug", text, text + 2);
	fine = try_alternate(d, &want, path);
	if (fine && !d->alternate)
		fine = find_in_directory_of(d->file, name, path) && try_alternate(d, &want, path);
	if (!d->alternate && in_directory_of(recorded, name, path))
		fine |= try_alternate(d, &want, path) && d->alternate != NULL;
	d->alternate_missing = !d->alternate;
	if (!d->alternate)
		debug(1, "there is no '%s' of build id %s, which lines and names refer to", name, text);
	else
		dwarf_setalt(d->dwarf, d->alternate);
	return fine;
}

/* Opens the package "NAME.dwp" next to the program NAME; for a copy of a program, next to the original. NULL: there is none. */
static struct dwp *find_package(const struct dwarf_file *d, const char *recorded)
{
	struct dwp *package = NULL;
	char path[PATH_MAX];
	const char *places[] = { path_of(d->file, path) ? path : NULL, recorded };

	for (size_t i = 0; i < ARRAY_SIZE(places) && !package; i++) {
		char *name = places[i] ? xasprintf("%s" PACKAGE, places[i]) : NULL;

		if (name && !access(name, R_OK))
			package = dwp_open(name, d->file, d->dwarf);
		free(name);
	}
	return package;
}

void dwarf_file_open(struct dwarf_file *d, const char *path, const char *recorded)
{
	*d = (struct dwarf_file){0};
	if (elf_file_open(&d->file, path))
		return;
	begin(d, path);
	if (d->dwarf && !open_alternate(d, recorded)) {
		dwarf_end(d->dwarf);
		d->dwarf = NULL;
	}
	if (d->dwarf)
		d->package = find_package(d, recorded);
}

void dwarf_file_close(struct dwarf_file *d)
{
	dwp_close(d->package);
	dwarf_end(d->dwarf);
	dwarf_end(d->alternate);
	elf_file_close(d->file);
	elf_file_close(d->alternate_file);
	free(d->alternate_path);
	*d = (struct dwarf_file){0};
}

/* ---- split units ---- */

/* True if there is no file at @path, or one that libdw may open. */
static bool may_open(const char *path)
{
	struct elf_file *e;
	bool is_valid;

	if (elf_file_open(&e, path))
		return !is_other_kind(path);
	is_valid = elf_sections_are_valid(e);
	elf_file_close(e);
	return is_valid;
}

static const char *text_of(Dwarf_Die *die, unsigned name, unsigned old_name)
{
	Dwarf_Attribute attr;
	const char *text = dwarf_formstring(dwarf_attr(die, name, &attr));

	return text || !old_name ? text : dwarf_formstring(dwarf_attr(die, old_name, &attr));
}

static Dwarf_Die find_split(const struct dwarf_file *d, Dwarf_Die *skeleton)
{
	const char *name = text_of(skeleton, DW_AT_dwo_name, DW_AT_GNU_dwo_name), *dir = text_of(skeleton, DW_AT_comp_dir, 0);
	char path[PATH_MAX], whole[PATH_MAX];
	Dwarf_Die split = {0};

	if (!name)
		return split;
	/* The places where libdw looks, in its order. */
	if (!find_in_directory_of(d->file, name, path) || !may_open(path))
		return split;
	if (dir && *name != '/' && (snprintf(whole, sizeof(whole), "%s/%s", dir, name) >= (int)sizeof(whole) ||
				    !find_in_directory_of(d->file, whole, path) || !may_open(path)))
		return split;
	dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL);
	return split;
}

Dwarf_Die dwarf_file_split(struct dwarf_file *d, Dwarf_Die *skeleton)
{
	Dwarf_Die split = find_split(d, skeleton);

	return split.addr || !d->package ? split : dwp_unit(d->package, skeleton);
}
