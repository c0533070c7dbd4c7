/* The compressed output is readable by gzip. */
#include "tests/unit/deflate_check.h"

int main(void)
{
	all_sizes("out.gz");
	return nr_failed != 0;
}
