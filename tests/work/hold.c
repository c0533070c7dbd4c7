/*
 * hold PID NAME: stops the threads of that process that have this name, and no other, until standard input ends. Prints how many
 * these are once they have stopped.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIDS_MAX 64

static int has_name(const char *pid, const char *tid, const char *name)
{
	char path[600], comm[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/task/%s/comm", pid, tid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fgets(comm, sizeof(comm), f))
		comm[strcspn(comm, "\n")] = '\0';
	fclose(f);
	return !strcmp(comm, name);
}

static int hold(pid_t tid)
{
	int status;

	return ptrace(PTRACE_SEIZE, tid, NULL, NULL) || ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) ||
	       waitpid(tid, &status, __WALL) != tid;
}

int main(int argc, char **argv)
{
	pid_t tids[TIDS_MAX];
	char path[600], byte;
	struct dirent *d;
	int nr = 0;
	DIR *dir;

	if (argc != 3)
		return 129;
	snprintf(path, sizeof(path), "/proc/%s/task", argv[1]);
	dir = opendir(path);
	while (dir && (d = readdir(dir)) && nr < TIDS_MAX)
		if (has_name(argv[1], d->d_name, argv[2]))
			tids[nr++] = atoi(d->d_name);
	if (dir)
		closedir(dir);
	for (int i = 0; i < nr; i++)
		if (hold(tids[i]))
			return 1;
	printf("%d\n", nr);
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	for (int i = 0; i < nr; i++)
		ptrace(PTRACE_DETACH, tids[i], NULL, NULL);
	return 0;
}
