/*
 * text_floor LINES NUMBERS: what it takes at least to print addresses as script does: so many lines of so many of them, "=>"
 * between them, written as they come. They are made up on the way; nothing is read, decoded, sorted or named.
 */
#include <stdlib.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"

#define SOME (256u << 10)	/* bytes that are written at a time */

int main(int argc, char **argv)
{
	struct buf out = {0};
	uint64_t address = 0x401000;
	unsigned long lines, numbers;

	if (argc != 3)
		die("usage: text_floor LINES NUMBERS");
	lines = strtoul(argv[1], NULL, 0);
	numbers = strtoul(argv[2], NULL, 0);
	while (lines--) {
		for (unsigned long n = 0; n < numbers; n++) {
			if (n)
				buf_put(&out, " => ", 4);
			buf_hex(&out, address += 5, n ? 16 : 17);
		}
		buf_putc(&out, '\n');
		if (out.len >= SOME)
			write_buf(STDOUT_FILENO, &out);
	}
	write_buf(STDOUT_FILENO, &out);
	buf_release(&out);
	return 0;
}
