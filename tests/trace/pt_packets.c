/* pt_packets FILE: print the packets of a raw Intel PT trace. */
#include <stdio.h>
#include <unistd.h>

#include "auxtrace/intel_pt/packet.h"
#include "core/base/buf.h"
#include "core/base/file.h"

int main(int argc, char **argv)
{
	struct buf data = { 0 }, text = { 0 };
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	size_t n;

	if (!f) {
		fprintf(stderr, "usage: pt_packets FILE.pt\n");
		return 2;
	}
	while ((n = fread(buf_room(&data, 1 << 16), 1, 1 << 16, f)) > 0)
		data.len += n;
	fclose(f);
	pt_dump(&text, (const uint8_t *)data.data, data.len, 0, SIZE_MAX);
	if (write_buf(STDOUT_FILENO, &text))
		return 1;
	buf_release(&text);
	buf_release(&data);
	return 0;
}
