/* charged SECONDS: take that much CPU time, a little of it in the kernel; print what getrusage(2) says at the end, in seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static double charged(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv)
{
	double want = argc > 1 ? atof(argv[1]) : 1;
	volatile unsigned sum = 0;

	while (charged() < want) {
		for (unsigned i = 0; i < 100000; i++)
			sum += i;
		for (unsigned i = 0; i < 100; i++)
			sum += (unsigned)getppid();
	}
	printf("%.6f\n", charged());
	return 0;
}
