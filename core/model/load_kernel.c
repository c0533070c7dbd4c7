/*
 * Loads the symbols of the kernel and its modules, from vmlinux, kallsyms or the files of the modules, for load.c. guest.c does
 * the same for the kernels of virtual machines.
 */
#include "core/model/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/binary/build_id_cache.h"
#include "core/binary/elf_module.h"

bool is_running_kernel(const struct machine *m, const struct dso *kernel)
{
	struct build_id id;

	if (kernel && kernel->build_id.size && !build_id_of_kernel(&id))
		return same_build_id(&kernel->build_id, &id);
	return m->opts.this_host;
}

/* Reads kallsyms from @path (taken over; NULL: nothing to try) for the machine. Returns false if it has no addresses. */
static bool try_kallsyms(struct machine *m, char *path)
{
	struct kallsyms k;

	if (!path)
		return false;
	if (kallsyms_read(&k, path)) {
		free(path);
		return false;
	}
	if (k.hidden) {
		free(m->kallsyms.hidden);
		m->kallsyms.hidden = path;
		kallsyms_release(&k);
		return false;
	}
	m->kallsyms.all = k;
	m->kallsyms.path = path;
	return true;
}

/* ~/.debug/@kind/ID@leaf, perf's cache for kernel files; NULL without an id or a home. */
static char *kernel_cache_path(const char *kind, const struct build_id *id, const char *leaf)
{
	const char *home = getenv("HOME");
	char text[BUILD_ID_TEXT];

	return id->size && home ? xasprintf("%s/.debug/%s/%s%s", home, kind, build_id_text(id, text), leaf) : NULL;
}

char *kcore_cache_path(const struct build_id *id)
{
	return kernel_cache_path("[kernel.kcore]", id, "");
}

struct dso *machine_kernel(const struct machine *m)
{
	vec_for(dso, &m->dsos.list)
		if ((*dso)->kind == DSO_KERNEL)
			return *dso;
	return NULL;
}

static bool has_module(const struct kallsyms *k, const char *name, uint64_t from, uint64_t size)
{
	size_t n = strlen(name);

	vec_for(line, &k->lines)
		if (line->module && line->addr - from < size && !strncmp(line->module + 1, name, n) && line->module[n + 1] == ']')
			return true;
	return false;
}

/* True if kallsyms has symbols of all modules of /proc/modules: "NAME SIZE REFERENCES USERS STATE ADDRESS". */
static bool has_modules_of_now(const struct kallsyms *k)
{
	struct buf text = {0};
	char *save = NULL;
	bool all = true;

	read_file("/proc/modules", &text);	/* some kernels have none */
	buf_str(&text);
	for (char *line = strtok_r(text.data, "\n", &save); line && all; line = strtok_r(NULL, "\n", &save)) {
		unsigned long long size, addr;
		char name[64];

		all = sscanf(line, "%63s %llu %*s %*s %*s %llx", name, &size, &addr) == 3 && has_module(k, name, addr, size);
	}
	buf_release(&text);
	return all;
}

/*
 * Reads the copy of kallsyms that record made since this boot, as the kernel needs six times as long to print kallsyms. The copy is
 * not used if it is cut (the end of the code is missing), or older than a module (the module's symbols are missing).
 */
static bool try_kept_kallsyms(struct machine *m)
{
	struct build_id_cache c;
	struct build_id id;
	uint64_t end;
	bool kept;

	if (build_id_of_kernel(&id) || build_id_cache_open(&c, false))
		return false;
	kept = build_id_cache_has_leaf(&c, KERNEL_NAME, "kallsyms", &id, boot_seconds());
	build_id_cache_close(&c);
	if (!kept || !try_kallsyms(m, kernel_cache_path(KERNEL_NAME, &id, "/kallsyms")))
		return false;
	if (!kallsyms_value(&m->kallsyms.all, "_etext", &end) && has_modules_of_now(&m->kallsyms.all))
		return true;
	kallsyms_release(&m->kallsyms.all);
	free(m->kallsyms.path);
	m->kallsyms.path = NULL;
	return false;
}

static void read_kallsyms(struct machine *m)
{
	const struct dso *kernel = machine_kernel(m);
	uint64_t value;
	bool found;

	if (m->opts.kallsyms) {
		found = try_kallsyms(m, xstrdup(m->opts.kallsyms));
		m->kallsyms.unusable = !found;
	} else {
		found = (m->kcore_dir && try_kallsyms(m, xasprintf("%s/kallsyms", m->kcore_dir))) ||
			(is_running_kernel(m, kernel) && (try_kept_kallsyms(m) || try_kallsyms(m, xstrdup("/proc/kallsyms")))) ||
			(kernel && try_kallsyms(m, kernel_cache_path(KERNEL_NAME, &kernel->build_id, "/kallsyms")));
	}
	if (found && kernel && kernel->reference && !kallsyms_value(&m->kallsyms.all, kernel->reference, &value))
		m->kallsyms.relocation = kernel->reference_addr - value;
}

const struct kallsyms *use_kallsyms(struct machine *m)
{
	pthread_mutex_lock(&m->kallsyms.lock);
	if (!m->kallsyms.tried)
		read_kallsyms(m);
	m->kallsyms.tried = true;
	pthread_mutex_unlock(&m->kallsyms.lock);
	return m->kallsyms.path ? &m->kallsyms.all : NULL;
}

/* The recorded address of one symbol (dso.reference) shows how far the kernel was relocated (KASLR). */
uint64_t vmlinux_relocation(const struct elf_file *vmlinux, const struct dso *kernel)
{
	uint64_t value;

	return kernel->reference && !elf_file_value(vmlinux, kernel->reference, &value) ? kernel->reference_addr - value : 0;
}

/* Takes over @e and its @path, which may be NULL. */
static bool load_vmlinux(struct dso *dso, struct elf_file *e, const char *path)
{
	if (!e || !elf_file_symbols(e, ".symtab", NULL, &dso->symbols)) {
		drop_candidate(e, &path);
		return false;
	}
	dso->relocation = vmlinux_relocation(e, dso);
	elf_file_segments(e, &dso->segments);
	dso->elf_class = elf_file_class(e);
	dso->state = DSO_LOADED;
	dso->symbols_from = path;
	dso->file = xstrdup(path);
	dso->dwarf_file = has_dwarf(e) ? xstrdup(path) : NULL;
	elf_file_close(e);
	return true;
}

const char *load_vmlinux_of(const struct machine *m, struct dso *dso, const char *path)
{
	const char *used = NULL;
	struct elf_file *e = open_candidate(dso, below_symfs(m, path), &used);

	if (load_vmlinux(dso, e, used))
		return NULL;
	return dso->state == DSO_CHANGED ? " is not the kernel of the recording" : " cannot be used as vmlinux";
}

static bool load_given_vmlinux(struct machine *m, struct dso *dso)
{
	if (!m->opts.vmlinux)
		return false;
	m->unusable_vmlinux = load_vmlinux_of(m, dso, m->opts.vmlinux);
	return !m->unusable_vmlinux;
}

struct elf_file *open_installed_vmlinux(const struct machine *m, struct dso *kernel, const char **used)
{
	static const char *const places[] = {
		"/boot/vmlinux-%s", DEBUG_DIR "/boot/vmlinux-%s", "/lib/modules/%s/build/vmlinux",
		DEBUG_DIR "/lib/modules/%s/vmlinux", DEBUG_DIR "/boot/vmlinux-%s.debug",
	};
	struct elf_file *e = open_with_symbols(kernel, cache_path(&kernel->build_id, "elf"), used);
	const char *release = m->release;
	struct utsname host;

	/* Without a build id only this host's own can be trusted. */
	if (e || (!kernel->build_id.size && !m->opts.this_host))
		return e;
	if (!release)
		release = uname(&host) ? "" : host.release;
	for (size_t i = 0; i < ARRAY_SIZE(places) && !e; i++) {
		const char *end = strstr(places[i], "%s");

		e = open_with_symbols(kernel, xasprintf("%s%.*s%s%s", m->opts.symfs ? m->opts.symfs : "",
						  (int)(end - places[i]), places[i], release, end + 2), used);
	}
	return e;
}

static bool load_installed_vmlinux(const struct machine *m, struct dso *dso)
{
	const char *used = NULL;
	struct elf_file *e = open_installed_vmlinux(m, dso, &used);

	return load_vmlinux(dso, e, used);
}

static bool load_from_kallsyms(struct machine *m, struct dso *dso, const char *module)
{
	const struct kallsyms *k = use_kallsyms(m);

	/* In another boot of the same kernel, the kernel moved as a whole, but each module separately. */
	if (!k || (module && m->kallsyms.relocation))
		return false;
	if (!kallsyms_symbols(k, module, module ? 0 : m->kallsyms.relocation, &dso->symbols))
		return false;
	dso->state = DSO_LOADED;
	dso->symbols_from = xstrdup(m->kallsyms.path);
	dso->elf_class = 64;
	return true;
}

/*
 * A vmlinux that the user has named comes first. Next comes kallsyms (of the running kernel, or a copy), which has names as good as
 * those of an installed vmlinux and is faster to read. An installed vmlinux comes last.
 */
void load_kernel(struct machine *m, struct dso *dso)
{
	if (load_given_vmlinux(m, dso) || load_from_kallsyms(m, dso, NULL) || load_installed_vmlinux(m, dso))
		return;
	if (m->kallsyms.hidden)
		dso->state = DSO_HIDDEN;
	else
		debug(1, "no kallsyms or vmlinux here is the recorded kernel's");
}

void load_module(struct machine *m, struct dso *dso)
{
	struct elf_file *e;
	uint64_t *layout;

	if (load_from_kallsyms(m, dso, dso->name))
		return;
	e = open_image(m, dso, &dso->file);
	layout = e ? elf_file_module_layout(e) : NULL;
	if (layout && elf_file_symbols(e, ".symtab", layout, &dso->symbols)) {
		dso->relative = true;
		dso->state = DSO_LOADED;
		dso->elf_class = elf_file_class(e);
		dso->symbols_from = xstrdup(dso->file);
	}
	free(layout);
	elf_file_close(e);
}
