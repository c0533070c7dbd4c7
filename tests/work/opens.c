/*
 * opens [kernel|all]: can this user open an event? Alone: cpu-clock of itself in user mode; "kernel": also what
 * happens in the kernel; "all": on CPU 0, every process. Exit status 0 or 1, with the reason on stderr.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int kernel = argc > 1, all = argc > 1 && !strcmp(argv[1], "all");
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(attr),
		.sample_period = 1000000, .exclude_kernel = !kernel, .exclude_hv = !kernel, .disabled = 1,
	};

	if (syscall(SYS_perf_event_open, &attr, all ? -1 : 0, all ? 0 : -1, -1, 0) < 0) {
		perror("perf_event_open");
		return 1;
	}
	return 0;
}
