/* Without zlib gzip reads what is written, too. */
#include "core/packing/deflate_none.c"	/* instead of what prec is linked with */

#include "tests/unit/deflate_check.h"

int main(void)
{
	all_sizes("out-none.gz");
	return nr_failed != 0;
}
