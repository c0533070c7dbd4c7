/*
 * The first program of a test's virtual machine: loads the modules that reach the host's files, makes the host's root
 * the guest's (writes go to memory), loads the test PMU, runs the command and powers off.
 *
 *	/modules	loaded in order of name			shares of the host, by 9p:
 *	/prec_pmu.ko	loaded when /pmu has its parameters	root	read-only: the guest's root
 *	/command	a script for bash			host	read-only: where the guest's root is another one,
 *	/binds		paths of host to be seen in the guest		what /binds says is taken from here
 *								out	on /mnt: what the command leaves in /run
 *
 * Static, no library but libc: with these files it is all the initramfs holds.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHARE "trans=virtio,version=9p2000.L,msize=262144"

static void fatal(const char *what)
{
	printf("init: %s: %s\n", what, strerror(errno));
	sync();
	reboot(RB_POWER_OFF);
	_exit(1);
}

static void load_module(const char *path, const char *params)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0 || (syscall(SYS_finit_module, fd, params, 0) && errno != EEXIST))
		fatal(path);
	close(fd);
}

static void load_modules(void)
{
	struct dirent **names;
	int n = scandir("/modules", &names, NULL, alphasort);
	char path[512];

	for (int i = 0; i < n; i++) {
		if (names[i]->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/modules/%s", names[i]->d_name);
		load_module(path, "");
	}
}

/* The text of a file, without its last newline; NULL if there is none. */
static char *read_text(const char *path)
{
	size_t size = 1 << 20;
	int fd = open(path, O_RDONLY);
	char *text;
	ssize_t n;

	if (fd < 0)
		return NULL;
	text = malloc(size);
	n = text ? read(fd, text, size - 1) : -1;
	close(fd);
	if (n < 0)
		fatal(path);
	if (n && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	return text;
}

static void make_dirs(char *path)
{
	for (char *s = strchr(path + 1, '/'); s; s = strchr(s + 1, '/')) {
		*s = '\0';
		mkdir(path, 0755);
		*s = '/';
	}
	mkdir(path, 0755);
}

static void mount_on(const char *what, const char *dir, const char *type, unsigned long flags, const char *data)
{
	mkdir(dir, 0755);
	if (mount(what, dir, type, flags, data))
		fatal(dir);
}

static void bind_paths(char *paths)
{
	char from[4096], to[4096];

	mount_on("host", "/host", "9p", MS_RDONLY, SHARE ",cache=loose");
	for (char *p = strtok(paths, "\n"); p; p = strtok(NULL, "\n")) {
		snprintf(from, sizeof(from), "/host%s", p);
		snprintf(to, sizeof(to), "/new%s", p);
		make_dirs(to);
		if (mount(from, to, NULL, MS_BIND, NULL))
			fatal(p);
	}
}

/* The host's root below, memory above. */
static void make_root(void)
{
	char *binds = read_text("/binds");

	mount_on("tmpfs", "/over", "tmpfs", 0, "");
	mkdir("/over/upper", 0755);
	mkdir("/over/work", 0755);
	mount_on("root", "/lower", "9p", MS_RDONLY, SHARE ",cache=loose");
	mount_on("overlay", "/new", "overlay", 0, "lowerdir=/lower,upperdir=/over/upper,workdir=/over/work");
	mount_on("proc", "/new/proc", "proc", 0, "");
	mount_on("sysfs", "/new/sys", "sysfs", 0, "");
	mount_on("devtmpfs", "/new/dev", "devtmpfs", 0, "");
	mount_on("tmpfs", "/new/dev/shm", "tmpfs", 0, "");
	/* Links that a booted system has, but an unpacked one lacks. */
	symlink("/proc/self/fd", "/new/dev/fd");
	symlink("/proc/self/fd/0", "/new/dev/stdin");
	symlink("/proc/self/fd/1", "/new/dev/stdout");
	symlink("/proc/self/fd/2", "/new/dev/stderr");
	symlink("bash", "/new/bin/sh");
	mount_on("tracefs", "/new/sys/kernel/tracing", "tracefs", 0, "");
	mount_on("debugfs", "/new/sys/kernel/debug", "debugfs", 0, "");
	mount_on("tmpfs", "/new/run", "tmpfs", 0, "");
	mount_on("out", "/new/mnt", "9p", 0, SHARE ",cache=none");
	if (binds)
		bind_paths(binds);
	mkdir("/new/tmp", 01777);
}

static int run(char *command)
{
	char *const argv[] = { "bash", "-c", command, NULL };
	char *const env[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "TERM=dumb", "LC_ALL=C", NULL };
	pid_t pid = fork(), done;
	int status = 0;

	if (!pid) {
		int in = open("/dev/null", O_RDONLY), out = open("/mnt/.output", O_WRONLY | O_CREAT | O_APPEND, 0644);

		setsid();
		dup2(in, 0);
		dup2(out, 1);
		dup2(out, 2);
		execve("/bin/bash", argv, env);
		perror("/bin/bash");
		_exit(127);
	}
	do {
		done = waitpid(-1, &status, 0);
	} while (done != pid && done > 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(void)
{
	char *command = read_text("/command"), *params = read_text("/pmu");
	int status;
	FILE *f;

	if (!command)
		fatal("/command");
	load_modules();
	make_root();
	if (params)
		load_module("/prec_pmu.ko", params);
	if (chroot("/new") || chdir("/run"))
		fatal("chroot");
	status = run(command);
	f = fopen("/mnt/.status", "w");
	if (f) {
		fprintf(f, "%d\n", status);
		fclose(f);
	}
	sync();
	reboot(RB_POWER_OFF);
	return 0;
}
