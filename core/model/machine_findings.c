/*
 * Adds findings (messages to the user, core/ui/finding.h): one for each file whose symbols or code were needed and are missing or
 * wrong, one for jitdumps whose times are of another clock, and one for failures of debuginfod.
 */
#include "core/ui/finding.h"
#include "core/binary/debuginfod.h"
#include "core/model/jitdump.h"
#include "core/model/machine_state.h"
#include "core/model/python.h"

static void add_path(struct findings *out, enum finding_code code, const char *path, const char *why)
{
	char *where = xasprintf("'%s'%s", path, why);

	findings_add(out, code, 1, 0, where);
	free(where);
}

static void add_unproven(struct findings *out, const struct dso *dso)
{
	char *why = xasprintf(": %s", dso->why ? dso->why : "it may be another");

	add_path(out, FINDING_UNPROVEN_FILE, dso->path, why);
	free(why);
}

static void add_code(const struct dso *dso, struct findings *out)
{
	enum finding_code code = FINDING_NO_RUN_TIME_CODE;
	const char *why = "";

	if (dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE || dso->kind == DSO_BPF)
		code = FINDING_NO_KERNEL_CODE;
	else if (dso->kind == DSO_USER)
		code = FINDING_NO_CODE;
	if (code == FINDING_NO_CODE)
		why = dso->state == DSO_CHANGED || dso->state == DSO_UNPROVEN ? ": it has changed since the recording" :
		      ": it is not here";
	add_path(out, code, dso->name, why);
}

/* Symbols read early but never looked up are no finding: it would depend on the number of threads. */
static void add_kernel(const struct machine *m, struct findings *out)
{
	bool requested = false;

	vec_for(dso, &m->dsos.list)
		requested |= (*dso)->requested && ((*dso)->kind == DSO_KERNEL || (*dso)->kind == DSO_MODULE);
	if (!requested)
		return;
	if (m->kallsyms.hidden)
		add_path(out, FINDING_KERNEL_HIDDEN, m->kallsyms.hidden, "");
	if (m->kallsyms.unusable)
		add_path(out, FINDING_UNUSABLE_KALLSYMS, m->opts.kallsyms, "");
	if (m->unusable_vmlinux)
		add_path(out, FINDING_UNUSABLE_VMLINUX, m->opts.vmlinux, m->unusable_vmlinux);
}

static void add_guests(const struct machine *m, struct findings *out)
{
	vec_for(it, &m->guests) {
		const struct guest *g = *it;
		char *mounted = g->pid ? xasprintf("%s/%u/proc/kallsyms", m->opts.guest.mount, g->pid) : NULL;
		const char *path = mounted ? mounted : m->opts.guest.kallsyms;

		if (path && !g->kallsyms)
			add_path(out, FINDING_UNUSABLE_KALLSYMS, path, "");
		free(mounted);
	}
	if (m->unusable_guest_vmlinux)
		add_path(out, FINDING_UNUSABLE_VMLINUX, m->opts.guest.vmlinux, m->unusable_guest_vmlinux);
}

void machine_findings(struct machine *m, struct findings *out)
{
	machine_join_early(m);
	add_kernel(m, out);
	add_guests(m, out);
	debuginfod_findings(m->debuginfod, out);
	vec_for(j, &m->jitdumps)
		if (jitdump_is_mixed(*j))
			add_path(out, FINDING_JIT_CLOCK, (*j)->dso->path, "");
	vec_for(dso, &m->dsos.list) {
		if ((*dso)->kind == DSO_USER && (*dso)->state == DSO_CHANGED)
			add_path(out, FINDING_CHANGED_FILE, (*dso)->path, "");
		if ((*dso)->state == DSO_UNPROVEN && ((*dso)->kind != DSO_KERNEL || (*dso)->requested))
			add_unproven(out, *dso);
		if (!is_python_dso(*dso) && __atomic_load_n(&(*dso)->code_missed, __ATOMIC_RELAXED) &&
		    !__atomic_load_n(&(*dso)->code_read, __ATOMIC_RELAXED))
			add_code(*dso, out);
	}
}
