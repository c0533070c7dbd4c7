/*
 * pt_truth FILE.maps BASE...: decode the traces BASE.pt that ptgen made, in each way there is. Prints which are not what BASE.exp
 * says that ran, and where they begin to differ.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/util.h"
#include "tests/trace/image.h"
#include "tests/trace/pt_check.h"

static const char *const ways[PT_NR_WAYS] = {
	[PT_WHOLE] = "whole", [PT_PIECES] = "in pieces", [PT_SAMPLES] = "by samples", [PT_LATE] = "by samples, later",
};

static uint64_t ip_at(const uint64_t *ips, size_t nr, size_t i)
{
	return i < nr ? ips[i] : 0;
}

/* Returns whether @d is what ran. */
static bool check(const char *base, const char *way, const struct pt_decoded *d, const struct pt_truth *t)
{
	size_t i = 0;

	while (i < d->ips.nr && i < t->ips.nr && d->ips.v[i] == t->ips.v[i])
		i++;
	if (i == d->ips.nr && i == t->ips.nr)
		return true;
	printf("%s, %s: instruction %zu is %#" PRIx64 " in place of %#" PRIx64 " (0: none); %zu in place of %zu\n", base, way, i,
	       ip_at(d->ips.v, d->ips.nr, i), ip_at(t->ips.v, t->ips.nr, i), d->ips.nr, t->ips.nr);
	return false;
}

/* Returns how many ways are wrong; -1: the files can't be read. */
static int check_trace(struct image *image, const char *base)
{
	char *trace = xasprintf("%s.pt", base), *ips = xasprintf("%s.exp", base);
	struct pt_decoded d = {0};
	struct pt_truth t = {0};
	size_t size = 0;
	uint8_t *data = load_file(trace, &size);
	int wrong = !data || pt_truth_read(&t, ips) ? -1 : 0;

	for (unsigned way = 0; wrong >= 0 && way < PT_NR_WAYS; way++) {
		pt_decode(&d, data, size, NULL, way, image_read, image);
		wrong += !check(base, ways[way], &d, &t);
	}
	pt_decoded_release(&d);
	vec_free(&t.ips);
	free(data);
	free(ips);
	free(trace);
	return wrong;
}

int main(int argc, char **argv)
{
	struct image *image = argc > 2 ? image_load(argv[1]) : NULL;
	int wrong = 0;

	if (!image) {
		fprintf(stderr, "usage: pt_truth FILE.maps BASE...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		wrong |= check_trace(image, argv[i]);
	image_free(image);
	return wrong ? 1 : 0;
}
