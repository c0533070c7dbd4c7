/*
 * Recognizes interpreters and JIT compilers by their file names. For each of them, the table below has the option that makes it
 * write a perf map (/tmp/perf-PID.map).
 */
#include "core/model/interpreter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/machine_state.h"
#include "core/model/python.h"

#define PYTHON_TELLS	12	/* Python 3.12 is the first that has -X perf */

static const char older_python[] = "run it by Python 3.12 or later, with python -X perf";
static const char node_help[] = "node --perf-basic-prof --interpreted-frames-native-stack";

/* An interpreter is recognized by the start of its file name. After this start the name ends, or a version follows. */
static const struct interpreter {
	const char *file;
	bool interprets;	/* it also interprets code, besides compiling it */
	const char *help;
} interpreters[] = {
	{ "libpython", true, "python -X perf (or PYTHONPERFSUPPORT=1)" },
	{ "python", true, "python -X perf (or PYTHONPERFSUPPORT=1)" },
	{ "libruby", true, "ruby --yjit --yjit-perf=map (3.3 and later)" },
	{ "ruby", true, "ruby --yjit --yjit-perf=map (3.3 and later)" },
	{ "libnode.so", false, node_help },
	{ "nodejs", false, node_help },
	{ "node", false, node_help },
	{ "libjvm.so", false, "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (17 and later)" },
	{ "libcoreclr.so", false, "DOTNET_PerfMapEnabled=1" },
};

/* "3.12", "-3.1.so", or nothing. */
static bool is_version(const char *rest)
{
	rest += *rest == '-';
	return isdigit((unsigned char)*rest) || (*rest == '.' && rest[-1] != '-') || !*rest;
}

/* The part of @name after the prefix; NULL: another prefix. Called for each bucket; usually the first letter decides. */
static const char *after(const char *name, const char *prefix)
{
	for (; *prefix; name++, prefix++)
		if (*name != *prefix)
			return NULL;
	return name;
}

static const struct interpreter *interpreter_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(interpreters); i++) {
		const char *version = after(name, interpreters[i].file);

		if (version && is_version(version))
			return &interpreters[i];
	}
	return NULL;
}

bool is_nodejs(const char *path)
{
	const char *slash = strrchr(path, '/');
	const struct interpreter *found = interpreter_named(slash ? slash + 1 : path);

	return found && found->help == node_help;
}

static const struct interpreter *interpreter_of(const struct dso *dso)
{
	return dso->kind == DSO_USER ? interpreter_named(dso->name) : NULL;
}

bool is_interpreter(const struct dso *dso)
{
	const struct interpreter *found = interpreter_of(dso);

	return found && found->interprets;
}

bool is_made_at_run_time(const struct dso *dso)
{
	return (dso->kind == DSO_JIT && !is_python_dso(dso)) || (dso->kind == DSO_ANON && str_starts(dso->path, "/tmp/perf-"));
}

const char *interpreter_switch(const struct dso *dso)
{
	const struct interpreter *found = interpreter_of(dso);
	const char *version = found ? dso->name + strlen(found->file) : NULL;

	if (!found)
		return NULL;
	if (strstr(found->file, "python") && (*version == '2' || (str_starts(version, "3.") && atoi(version + 2) < PYTHON_TELLS)))
		return older_python;
	return found->help;
}

const char *interpreter_switch_of(const struct machine *m, uint32_t pid)
{
	for (uint32_t i = 0; i < machine_nr_dsos(m); i++) {
		const struct dso *dso = machine_dso(m, i);
		const char *found = dso->pid == pid ? interpreter_switch(dso) : NULL;

		if (found)
			return found;
	}
	return NULL;
}

bool has_jit_names(const struct machine *m)
{
	for (uint32_t i = 0; i < machine_nr_dsos(m); i++) {
		struct dso *dso = machine_dso(m, i);

		/* Load the perf map even if no sample used it: without frame pointers none does. */
		if (dso->kind == DSO_ANON && str_starts(dso->path, "/tmp/perf-"))
			dso_load((struct machine *)(uintptr_t)m, dso);
		if (((dso->kind == DSO_ANON || dso->kind == DSO_JIT) && dso->symbols_from) || is_python_dso(dso))
			return true;
	}
	return false;
}
