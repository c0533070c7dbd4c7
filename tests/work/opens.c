/*
 * opens [kernel|all|breakpoint]: can this user open an event? Alone: cpu-clock of itself in user mode; "kernel": also in the
 * kernel; "all": on CPU 0, of every process; "breakpoint": one on a function, which counts its one call (some virtual machines
 * take breakpoints that never fire). Exit status 0 or 1, with the reason on stderr.
 */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static __attribute__((noinline)) void called(void)
{
	__asm__ volatile("");
}

static int hits(int fd)
{
	uint64_t nr = 0;

	called();
	if (read(fd, &nr, sizeof(nr)) == sizeof(nr) && nr == 1)
		return 0;
	fprintf(stderr, "a breakpoint counts %llu for one call\n", (unsigned long long)nr);
	return 1;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int breakpoint = !strcmp(mode, "breakpoint"), all = !strcmp(mode, "all"), kernel = all || !strcmp(mode, "kernel");
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(attr),
		.sample_period = 1000000, .exclude_kernel = !kernel, .exclude_hv = !kernel, .disabled = 1,
	}, at = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(at), .exclude_kernel = 1, .exclude_hv = 1,
		.bp_type = HW_BREAKPOINT_X, .bp_addr = (uintptr_t)called, .bp_len = sizeof(long),
	};
	int fd = (int)syscall(SYS_perf_event_open, breakpoint ? &at : &attr, all ? -1 : 0, all ? 0 : -1, -1, 0);

	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	return breakpoint ? hits(fd) : 0;
}
