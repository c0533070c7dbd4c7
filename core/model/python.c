/*
 * Reads the names of Python functions from a table in the recording. python.h explains the artificial addresses that stand for
 * these functions in call chains.
 */
#include "core/model/python.h"

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/base/util.h"
#include "core/perfdata/feature.h"
#include "core/compression/unpack.h"
#include "core/model/dsos.h"
#include "core/model/jitdump.h"
#include "core/model/machine_state.h"

#define TABLE_MAX	(1u << 30)	/* bytes */

bool is_python_dso(const struct dso *dso)
{
	return dso->kind == DSO_JIT && str_eq(dso->path, PYTHON_NAME);
}

void machine_set_python(struct machine *m, const struct feature_packed *python)
{
	struct jit_source source = { .strings = m->strings, .any_pid = true };
	struct buf table = {0};
	struct jitdump *j;
	struct dso *dso;

	if (m->python.dso || python->size > TABLE_MAX)
		return;
	unpack(python->packed, python->packed_size, python->size, &table);
	dso = dsos_find(&m->dsos, DSO_JIT, PYTHON_NAME, NULL);
	j = xcalloc(1, sizeof(*j));
	j->dso = dso;
	dso->jitdump = j;
	jitdump_read(j, dso, table.data, table.len, &source);
	debug(1, "Python: %zu functions", j->codes.nr);
	m->python = (struct map){ .start = PYTHON_BASE, .end = JAVA_BASE, .prot = 5, .dso = dso };
	buf_release(&table);
}
