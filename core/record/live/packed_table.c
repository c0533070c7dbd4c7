/*
 * Compresses a table of Java methods or Python functions with zstd, for prec's own feature section JAVA or PYTHON of perf.data.
 */
#include "core/record/live/packed_table.h"

#include <stdlib.h>

#include "core/base/buf.h"
#include "core/perfdata/feature.h"
#include "core/compression/zstd.h"

#define LEVEL	1	/* compression level of zstd */

bool packed_table_make(const struct buf *table, struct feature_packed *out)
{
	struct zstd_writer *z = table->len ? zstd_writer_new(LEVEL) : NULL;
	struct buf packed = {0};
	bool done = z && !zstd_write(z, table->data, table->len, &packed) && !zstd_end(z, &packed);

	if (done)
		*out = (struct feature_packed){ table->len, packed.len, packed.data };
	else
		buf_release(&packed);
	zstd_writer_free(z);
	return done;
}
