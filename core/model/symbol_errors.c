/*
 * Finds the reason why addresses in a dso (a mapped file) have no symbols: for example, the file is missing, changed or stripped.
 * A table in this file has the remedy for each reason.
 */
#include "core/model/symbol_errors.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/perfdata/archive.h"
#include "core/model/interpreter.h"
#include "core/model/jitdump.h"
#include "core/model/load.h"

enum reason {
	STRIPPED, EXPORTS, BETWEEN, GONE, DELETED, CHANGED, UNPROVEN, UNREADABLE, ANOTHERS, NO_ELF, NO_MAP, BETWEEN_MAP,
	OTHER_CLOCK, DATA, HIDDEN, HIDDEN_FROM_USERS, HIDDEN_BY_PERF, NO_KERNEL, NO_MODULE, NO_VDSO, UNMAPPED, NO_MAPS, NO_GUEST
};

static const struct { const char *why, *help; } reasons[] = {
	[STRIPPED] = { "stripped", "install its debug symbols (a package -dbgsym, -dbg or -debuginfo), or ask --debuginfod=URL" },
	[EXPORTS] = { "stripped: only what it exports has a name",
		      "install its debug symbols (a package -dbgsym, -dbg or -debuginfo), or ask --debuginfod=URL" },
	[BETWEEN] = { "none of its functions is there", "it is code or data without a symbol: an assembler's, or a table's" },
	[GONE] = { "not here", "copy it here and name the directory with --symfs; record without -N keeps copies of the files that "
			       "run" },
	[DELETED] = { "deleted while it ran", "record without -N keeps copies of the files that run" },
	[CHANGED] = { NULL, "keep the files that were recorded, as record does without -N, and name the directory with --symfs" },
	[UNPROVEN] = { NULL, "--symfs DIR (/ for the files that are here) takes it all the same; or link it with --build-id" },
	[UNREADABLE] = { NULL, "report as its owner or root, or make it readable" },
	[ANOTHERS] = { NULL, "--symfs / takes it all the same" },
	[NO_ELF] = { "no ELF file", "what maps it as code knows its names: only that program can tell them" },
	[NO_MAP] = { NULL, "run it so that it writes one: node --perf-basic-prof --interpreted-frames-native-stack, "
			   "python -X perf, java (see prec-record)" },
	[BETWEEN_MAP] = { NULL, "the file was written before the code was made: stop the program, or let it write again" },
	[OTHER_CLOCK] = { NULL, "record with -k mono, the clock of JIT compilers" },
	[DATA] = { "memory without a file", "nothing tells what was there" },
	[HIDDEN] = { NULL, "sysctl kernel.kptr_restrict=0 shows them, to root 1 does; or give the kernel's vmlinux with -k" },
	[HIDDEN_FROM_USERS] = { NULL, "do it as root (CAP_SYSLOG), or sysctl kernel.kptr_restrict=0; or give its vmlinux with -k" },
	[HIDDEN_BY_PERF] = { NULL, "do it as root (CAP_SYSLOG), or sysctl kernel.perf_event_paranoid=1; or with its vmlinux (-k)" },
	[NO_KERNEL] = { "no kallsyms or vmlinux of that kernel is here", "give the kernel's vmlinux with -k, or --kallsyms FILE" },
	[NO_MODULE] = { "no kallsyms of that kernel, nor the module's file",
			"give --kallsyms FILE, or the file's place with --symfs" },
	[NO_VDSO] = { "it is of another kernel", "report on the machine of the recording" },
	[UNMAPPED] = { "outside of all that was mapped", "a jump astray, or a record of the map was lost" },
	[NO_GUEST] = { "run by a virtual machine",
		       "--guestkallsyms takes a copy of its /proc/kallsyms; its programs have no names" },
	[NO_MAPS] = { "nothing tells what the process had mapped",
		      "record may not read its /proc/PID/maps: record as root; or its records were lost" },
};

/* "root", or the number of a user without a name. */
static char *user_name(uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	return user ? xstrdup(user->pw_name) : xasprintf("user %u", (unsigned)uid);
}

static enum reason why_unreadable(struct symbol_error *out, const char *path)
{
	struct stat st;
	char *owner;

	if (stat(path, &st)) {
		out->why = xasprintf("its directory is not readable");
		return UNREADABLE;
	}
	owner = user_name(st.st_uid);
	out->why = xasprintf("not readable: its owner is %s, its mode %04o", owner, (unsigned)(st.st_mode & 07777));
	free(owner);
	return UNREADABLE;
}

static enum reason why_changed(struct symbol_error *out, const struct dso *dso, const char *path)
{
	char now[BUILD_ID_TEXT], then[BUILD_ID_TEXT];
	struct build_id id;

	build_id_text(&dso->build_id, then);
	if (build_id_of_file(&id, path))
		out->why = xasprintf("changed since: it has no build id now, %.12s... was recorded", then);
	else
		out->why = xasprintf("changed since: its build id is %.12s..., %.12s... was recorded",
				     build_id_text(&id, now), then);
	return CHANGED;
}

static enum reason why_not_found(const struct machine *m, struct symbol_error *out, const struct dso *dso)
{
	char *path = below_symfs(m, dso->path);
	struct elf_file *e = NULL;
	int err = elf_file_open(&e, path);
	enum reason reason = str_starts(dso->path, "/memfd:") || strstr(dso->path, " (deleted)") ? DELETED : GONE;

	elf_file_close(e);
	if (err == -EACCES || err == -EPERM)
		reason = why_unreadable(out, path);
	else if (err == -ENOEXEC)
		reason = NO_ELF;
	free(path);
	return reason;
}

static enum reason why_user(const struct machine *m, struct symbol_error *out, const struct dso *dso)
{
	enum reason reason = STRIPPED;
	char *path;

	switch (dso->state) {
	case DSO_LOADED:
		return dso->is_stripped ? EXPORTS : BETWEEN;
	case DSO_CHANGED:
		path = below_symfs(m, dso->path);
		reason = why_changed(out, dso, path);
		free(path);
		return reason;
	case DSO_UNPROVEN:
		out->why = xasprintf("not known to be the recorded file: %s", dso->why ? dso->why : "it may be another");
		return UNPROVEN;
	case DSO_NO_SYMBOLS:
		return STRIPPED;
	default:
		return why_not_found(m, out, dso);
	}
}

/* A jitdump of process @pid that could be read; NULL: no jitdump could. */
static const struct dso *dump_of(const struct machine *m, uint32_t pid)
{
	for (uint32_t i = 0; i < machine_nr_dsos(m); i++) {
		const struct dso *dso = machine_dso(m, i);

		if (dso->kind == DSO_JIT && dso->pid == pid && dso->symbols_from)
			return dso;
	}
	return NULL;
}

static enum reason why_anonymous(const struct machine *m, struct symbol_error *out, const struct dso *dso)
{
	const struct dso *dump = dump_of(m, dso->pid);

	if (dump && !dso->symbols_from && dump->jitdump && !dump->jitdump->has_times) {
		out->why = xasprintf("the times of '%s' are of another clock", dump->path);
		return OTHER_CLOCK;
	}
	if (dump && !dso->symbols_from) {
		out->why = xasprintf("'%s' does not list it", dump->path);
		return BETWEEN_MAP;
	}
	if (!str_starts(dso->path, "/tmp/perf-"))
		return str_starts(dso->path, "/memfd:") ? DELETED : DATA;
	if (dso->why) {
		out->why = xasprintf("'%s' is not believed: %s", dso->path, dso->why);
		return ANOTHERS;
	}
	if (!dso->symbols_from)
		out->help = interpreter_switch_of(m, dso->pid);
	out->why = xasprintf(dso->symbols_from ? "'%s' does not list it" : "no '%s'", dso->path);
	return dso->symbols_from ? BETWEEN_MAP : NO_MAP;
}

/* The kernel's checks before it shows addresses: Linux, kernel/ksyms_common.c, kallsyms_show_value(). */
static enum reason why_hidden(struct symbol_error *out)
{
	long long restricted = 0, paranoid = 0;

	read_int_of("/proc/sys/kernel/kptr_restrict", &restricted);
	read_int_of("/proc/sys/kernel/perf_event_paranoid", &paranoid);
	if (!restricted && paranoid > 1) {
		out->why = xasprintf("its addresses are hidden from users (kernel.perf_event_paranoid is %lld)", paranoid);
		return HIDDEN_BY_PERF;
	}
	out->why = xasprintf("its addresses are hidden%s (kernel.kptr_restrict is %lld)", restricted == 1 ? " from users" : "",
			     restricted);
	return restricted == 1 ? HIDDEN_FROM_USERS : HIDDEN;
}

static enum reason why(const struct machine *m, struct symbol_error *out, const struct dso *dso)
{
	switch (dso->kind) {
	case DSO_USER:
		return why_user(m, out, dso);
	case DSO_KERNEL:
		return dso->state == DSO_LOADED ? BETWEEN : dso->state == DSO_HIDDEN ? why_hidden(out) : NO_KERNEL;
	case DSO_MODULE:
		return dso->state == DSO_LOADED ? BETWEEN : NO_MODULE;
	case DSO_VDSO:
		return dso->state == DSO_LOADED ? BETWEEN : NO_VDSO;
	case DSO_GUEST:
		return dso->state == DSO_LOADED ? BETWEEN : NO_GUEST;
	case DSO_ANON:
		return why_anonymous(m, out, dso);
	default:
		return BETWEEN;
	}
}

void symbol_error_find(struct symbol_error *out, const struct machine *m, const struct dso *dso, enum unmapped unmapped)
{
	static const enum reason reason_of[] = {
		[UNMAPPED_HERE] = UNMAPPED, [UNMAPPED_PROCESS] = NO_MAPS, [UNMAPPED_GUEST] = NO_GUEST,
	};
	enum reason reason;

	*out = (struct symbol_error){0};
	if (dso && dso->archived && archive_text(dso->archive, dso->archived->missing_why)) {
		const char *help = archive_text(dso->archive, dso->archived->missing_help);

		out->why = xstrdup(archive_text(dso->archive, dso->archived->missing_why));
		out->help = help ? help : "";
		return;
	}
	reason = dso ? why(m, out, dso) : reason_of[unmapped];
	if (!out->why)
		out->why = (reason == STRIPPED || reason == EXPORTS) && dso->why ?
			   xasprintf("%s; %s", reasons[reason].why, dso->why) : xstrdup(reasons[reason].why);
	if (!out->help)
		out->help = reasons[reason].help;
}

void symbol_error_place(const struct dso *dso, const char *quote, struct buf *out)
{
	unsigned pid;

	if (dso && dso->kind == DSO_ANON && sscanf(dso->path, "/tmp/perf-%u.map", &pid) == 1)
		buf_printf(out, "code made at run time by process %u", pid);
	else
		buf_printf(out, "%s%s%s", quote, dso ? dso->path : "[unknown]", quote);
}

void symbol_error_release(struct symbol_error *missing)
{
	free(missing->why);
	missing->why = NULL;
}
