/*
 * cost COMMAND...: run a recorder and tell what it alone cost, not the command that it runs. One line on standard
 * output: its CPU time in s (in steps of a clock tick), that with the children it waited for, the time from the end of
 * its last child to its own in ms, its memory in MiB (or a child's that took more), and how many write calls wrote how
 * many bytes. The end of the child is the time of last change of the file "ended", should there be one. Its own output
 * goes to the file "said".
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void child(char **words)
{
	int null = open("/dev/null", O_RDWR), said = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0666);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(said, STDERR_FILENO);
	execvp(words[0], words);
	_exit(127);
}

static void read_proc(char *out, size_t size, pid_t pid, const char *name)
{
	char path[64];
	FILE *f;
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	f = fopen(path, "r");
	if (f) {
		n = fread(out, 1, size - 1, f);
		fclose(f);
	}
	out[n] = '\0';
}

/* utime and stime, fields 14 and 15 (proc_pid_stat(5)); the name may hold anything. */
static double own_seconds(pid_t pid)
{
	unsigned long user = 0, system = 0;
	char text[1024], *at;

	read_proc(text, sizeof(text), pid, "stat");
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
		return 0;
	return (user + system) / (double)sysconf(_SC_CLK_TCK);
}

static unsigned long long io_field(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static double ms_since(const char *path)
{
	struct timespec now;
	struct stat st;

	clock_gettime(CLOCK_REALTIME, &now);
	if (stat(path, &st))
		return 0;
	return (now.tv_sec - st.st_mtim.tv_sec) * 1e3 + (now.tv_nsec - st.st_mtim.tv_nsec) / 1e6;
}

int main(int argc, char **argv)
{
	double own, all, end;
	struct rusage u;
	char io[1024];
	siginfo_t info;
	int status;
	pid_t pid;

	if (argc < 2) {
		fprintf(stderr, "usage: cost COMMAND...\n");
		return 129;
	}
	unlink("ended");
	pid = fork();
	if (!pid)
		child(argv + 1);
	/* Still a zombie: /proc has its data. */
	if (pid < 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT))
		return 1;
	end = ms_since("ended");
	own = own_seconds(pid);
	read_proc(io, sizeof(io), pid, "io");
	if (wait4(pid, &status, 0, &u) != pid)
		return 1;
	all = u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	printf("%.3f %.3f %.1f %.1f %llu %llu\n", own, all, end, u.ru_maxrss / 1024.0, io_field(io, "syscw: "),
	       io_field(io, "wchar: "));
	return !WIFEXITED(status);
}
