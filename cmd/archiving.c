/*
 * Copies a recording, together with the symbols, source lines and unwind tables that its samples need, so that prec can read the
 * copy without the binaries. core/profile/session_archive.h finds these data. core/read/copy.h writes the copy.
 */
#include "cmd/archiving.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/read/copy.h"
#include "core/read/session.h"
#include "core/perfdata/archive.h"
#include "core/perfdata/redact.h"
#include "core/profile/session_archive.h"

#define KIND_OF_CPU(kernel)	((kernel) ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER)

/* Build ids that are added to the new recording, because the old one lacks them. */
struct recorded_ids { VEC(struct feature_build_id) list; };

static bool has_recorded_id(const struct session *s, const char *path)
{
	vec_for(b, &session_features(s)->build_ids)
		if (str_eq(b->filename, path))
			return true;
	return false;
}

static bool is_kernels(const struct dso *dso)
{
	return dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE;
}

/* If two files had one path, readers use the last build id. */
static void find_build_ids(const struct session *s, struct recorded_ids *out)
{
	const struct machine *m = session_machine(s);

	for (uint32_t i = 0; i < machine_nr_dsos(m); i++) {
		const struct dso *dso = machine_dso(m, i);
		struct build_id id = dso->build_id;

		if (!dso->requested || (dso->kind != DSO_USER && !is_kernels(dso)) || has_recorded_id(s, dso->path))
			continue;
		if (!id.size && (!dso->file || build_id_of_file(&id, dso->file)))
			continue;
		vec_push(&out->list, ((struct feature_build_id){
			.misc = KIND_OF_CPU(is_kernels(dso)), .pid = -1, .id = id, .filename = (char *)(uintptr_t)dso->path }));
	}
}

static int look_up_and_write(struct session *s, const struct filter *filter, const struct archiving *a, const char *output)
{
	const struct session_archive_opts how = { .filter = filter, .code = a->code, .no_unwind = !a->unwind || a->redact };
	struct archived_sums sums = {0};
	struct copied copied = {0};
	struct archive archive = {0};
	struct buf section = {0};
	struct recorded_ids recorded = {0};
	struct redactor *redactor = a->redact ? redactor_new(a->redact_names) : NULL;
	int err = session_archive(s, &how, &archive, &sums);

	if (redactor)
		archive_redact(&archive, redactor);
	if (!err && archive_pack(&archive, &section))
		err = error("cannot compress the names of '%s'", session_file(s)->path);
	if (!err) {
		find_build_ids(s, &recorded);
		err = session_copy(s, output, &(struct copy_opts){
			.archive = section.data, .archive_size = section.len, .build_ids = recorded.list.v,
			.nr_build_ids = recorded.list.nr, .redactor = redactor, .keep_time = true,
			.all_records = true }, &copied);
	}
	if (!err && copied.left_out)
		warning("%llu damaged or unknown records of '%s' were left out", (unsigned long long)copied.left_out,
			session_file(s)->path);
	if (!err)
		info("wrote '%s': %zu addresses, %zu symbols and %zu lines of %zu files, %.1f KiB of names%s", output,
		     sums.addresses, sums.named, sums.lines, sums.dsos, (double)section.len / 1024,
		     a->code ? "" : "; without instructions (for annotate: --code)");
	redactor_free(redactor);
	vec_free(&recorded.list);
	buf_release(&section);
	archive_release(&archive);
	return err;
}

int archive_recording(const struct archiving *a)
{
	struct input in = {0};
	const char *path;
	char *output;
	int err;

	if (input_open(&in, &a->input))
		return -1;
	path = session_file(in.session)->path;
	output = a->output ? xstrdup(a->output) : xasprintf("%s.archive", str_eq(path, "-") ? "perf.data" : path);
	err = input_attach(&in, &a->input) || look_up_and_write(in.session, in.filter, a, output) ? -1 : 0;
	free(output);
	input_close(&in);
	return err;
}
