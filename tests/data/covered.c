/*
 * covered [N]: statements of all kinds, some of which do not run. For coverage, beside gcov's of the same run.
 */
#include <stdlib.h>

static volatile int sum;

static int never(int n)
{
	if (n > 2)
		return n;
	return 0;
}

static int pick(int n)
{
	switch (n % 5) {
	case 0:
		return 3;
	case 1:
		sum++;
		break;
	case 3:
	case 4:
		sum--;
		if (n > 3)
			goto out;
		return never(n);
	default:
		sum += n;
	}
out:
	return n;
}

static int loops(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++) {
		if (i == 2)
			continue;
		s += i;
	}
	while (s > 10)
		s -= 3;
	do {
		s++;
	} while (s < 5);
	return s;
}

static int recurse(int n)
{
	if (n <= 1)
		return 1;
	return n * recurse(n - 1);
}

static int (*chosen)(int) = recurse;

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < n; i++)
		sum += pick(i);
	sum += loops(n);
	sum += chosen(n);
	if (sum < 0) {
		sum = 0;
		abort();
	}
	return 0;
}
