/* clock NAME: what a clock shows, "SECONDS.NANOSECONDS": monotonic, monotonic_raw, boottime, realtime, tai. */
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct { const char *name; clockid_t id; } clocks[] = {
	{ "monotonic", CLOCK_MONOTONIC }, { "monotonic_raw", CLOCK_MONOTONIC_RAW }, { "boottime", CLOCK_BOOTTIME },
	{ "realtime", CLOCK_REALTIME }, { "tai", CLOCK_TAI },
};

int main(int argc, char **argv)
{
	struct timespec t;

	for (size_t i = 0; argc == 2 && i < sizeof(clocks) / sizeof(*clocks); i++) {
		if (strcmp(clocks[i].name, argv[1]) || clock_gettime(clocks[i].id, &t))
			continue;
		printf("%lld.%09ld\n", (long long)t.tv_sec, t.tv_nsec);
		return 0;
	}
	return 1;
}
