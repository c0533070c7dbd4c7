/* What is compressed for other programs is what gzip reads. */
#include "tests/unit/deflate_check.h"

int main(void)
{
	all_sizes("out.gz");
	return nr_failed != 0;
}
