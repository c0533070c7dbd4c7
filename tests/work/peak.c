/* peak FILE COMMAND...: runs the command, and writes into FILE how many KiB of memory it had at most. Its exit status. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	FILE *out = argc > 2 ? fopen(argv[1], "w") : NULL;
	struct rusage u;
	int status;
	pid_t pid;

	if (!out) {
		fprintf(stderr, "usage: peak FILE COMMAND...\n");
		return 129;
	}
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &u) != pid)
		return 1;
	fprintf(out, "%ld\n", u.ru_maxrss);
	return fclose(out) ? 1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
