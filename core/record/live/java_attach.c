/* Makes a JVM write its perf map file, /tmp/perf-PID.map, by HotSpot's attach protocol. jit_maps.c reads the file afterwards. */
#include "core/record/live/java_attach.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/new_file.h"
#include "core/base/util.h"

#define POLL_NS		20000000	/* the pause between two checks for the socket */
#define ANSWER_MAX	4096
#define ATTACH_S	15	/* a file .attach_pidPID that is older than this was left behind: programs that attach wait for 10 s
				 * by default */

bool is_jvm_library(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && str_eq(name + 1, "libjvm.so");
}

/* Opens @path below the process's root; links cannot lead out of it. Returns a descriptor, or -errno. */
static int open_in_root(const struct jvm *jvm, const char *path, uint64_t flags)
{
	struct open_how how = { .flags = flags | O_NOFOLLOW | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	int root = jvm->root >= 0 ? jvm->root : open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = root < 0 ? -1 : (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	int err = fd < 0 ? -errno : 0;

	if (jvm->root < 0 && root >= 0)
		close(root);
	return err ? err : fd;
}

/* True if the process handles SIGQUIT: others would be killed by it. */
static bool catches_quit(uint32_t pid)
{
	char path[32];
	struct buf text = {0};
	const char *at;
	bool catches;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	at = read_file(path, &text) ? NULL : strstr(buf_str(&text), "\nSigCgt:");
	catches = at && strtoull(at + strlen("\nSigCgt:"), NULL, 16) >> (SIGQUIT - 1) & 1;
	buf_release(&text);
	return catches;
}

/* Returns 0 if HotSpot's library is mapped now: the process may have executed another program since it was first seen. */
static int check_library(uint32_t pid)
{
	char path[32];
	struct buf text = {0};
	int err;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	err = read_file(path, &text);
	if (!err && !strstr(buf_str(&text), "/libjvm.so\n"))
		err = -ENOTSUP;
	buf_release(&text);
	return err;
}

/* Finds the socket, which must be of the process's user or root. Returns an O_PATH descriptor, or -errno. */
static int find_socket(const struct jvm *jvm)
{
	char path[48];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/tmp/.java_pid%lu", jvm->number);
	fd = open_in_root(jvm, path, O_PATH);
	if (fd < 0)
		return fd;
	if (!fstat(fd, &st) && S_ISSOCK(st.st_mode) && (st.st_uid == jvm->owner || st.st_uid == 0))
		return fd;
	close(fd);
	return -EPERM;
}

/* Sends SIGQUIT and waits for the socket. Returns an O_PATH descriptor, or -errno. */
static int signal_and_wait(const struct jvm *jvm, int pidfd, uint64_t until_ns)
{
	int at = check_library(jvm->pid);

	if (at || !catches_quit(jvm->pid))
		return at ? at : -ENOTSUP;
	if (syscall(SYS_pidfd_send_signal, pidfd, SIGQUIT, NULL, 0))
		return -errno;
	for (at = find_socket(jvm); at == -ENOENT && now_ns() < until_ns; at = find_socket(jvm))
		nanosleep(&(struct timespec){ .tv_nsec = POLL_NS }, NULL);
	return at == -ENOENT ? -ETIMEDOUT : at;
}

static int open_tmp(const struct jvm *jvm)
{
	return open_in_root(jvm, "/tmp/.", O_PATH | O_DIRECTORY);
}

static const char *attach_name(const struct jvm *jvm, char name[static 32])
{
	snprintf(name, 32, ".attach_pid%lu", jvm->number);
	return name;
}

void jvm_forget(struct jvm *jvm)
{
	int tmp = jvm->was_woken ? open_tmp(jvm) : -1;
	char name[32];

	jvm->was_woken = false;
	if (tmp < 0)
		return;
	unlinkat(tmp, attach_name(jvm, name), 0);
	close(tmp);
}

/* Makes the file. Returns a descriptor, or -errno: -EEXIST if another program attaches at the same time. */
static int new_attach_file(int tmp, const char *name)
{
	int fd = new_file_at(tmp, name, 0600);
	struct stat st;

	if (fd != -EEXIST || fstatat(tmp, name, &st, AT_SYMLINK_NOFOLLOW) || time(NULL) - st.st_ctime < ATTACH_S)
		return fd;
	unlinkat(tmp, name, 0);
	return new_file_at(tmp, name, 0600);
}

/* Makes the JVM listen: on SIGQUIT it looks for the file .attach_pidPID. */
static int start_listener(struct jvm *jvm, uint64_t until_ns)
{
	int pidfd = (int)syscall(SYS_pidfd_open, jvm->pid, 0), tmp, attach_file, at;
	char name[32];

	if (pidfd < 0)
		return -errno;
	tmp = open_tmp(jvm);
	attach_file = tmp < 0 ? tmp : new_attach_file(tmp, attach_name(jvm, name));
	at = attach_file < 0 ? attach_file : signal_and_wait(jvm, pidfd, until_ns);
	if (attach_file >= 0) {
		jvm->was_woken = at == -ETIMEDOUT;
		if (!jvm->was_woken)
			unlinkat(tmp, name, 0);
		close(attach_file);
	}
	if (tmp >= 0)
		close(tmp);
	close(pidfd);
	return at == -EEXIST ? -ETIMEDOUT : at;
}

static bool is_readable(int fd, uint64_t until_ns)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t now = now_ns();

	return now < until_ns && poll(&p, 1, (int)((until_ns - now) / 1000000) + 1) > 0;
}

/* Reads the answer. It begins with a line "0" if the command succeeded. */
static int read_answer(int fd, uint64_t until_ns)
{
	char answer[ANSWER_MAX + 1];
	size_t nr = 0;

	while (nr < ANSWER_MAX) {
		ssize_t n;

		if (!is_readable(fd, until_ns))
			return -ETIMEDOUT;
		n = read(fd, answer + nr, ANSWER_MAX - nr);
		if (n < 0)
			return -errno;
		if (!n)
			break;
		nr += (size_t)n;
	}
	answer[nr] = '\0';
	/* The answer to an unknown command has an exception in its text. */
	return nr >= 2 && !memcmp(answer, "0\n", 2) && !strstr(answer, "Exception") ? 0 : -EPROTO;
}

static int send_command(const struct jvm *jvm, int socket_path, uint64_t until_ns)
{
	/* Version, command, three arguments. */
	static const char request[] = "1\0jcmd\0Compiler.perfmap\0\0";
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err;
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (fd < 0)
		return -errno;
	snprintf(to.sun_path, sizeof(to.sun_path), "/proc/self/fd/%d", socket_path);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		err = errno == ECONNREFUSED ? -ETIMEDOUT : -errno;
	else if (peer.pid != (pid_t)jvm->pid)
		err = -EPERM;
	else
		err = send(fd, request, sizeof(request), MSG_NOSIGNAL) == sizeof(request) ? read_answer(fd, until_ns) : -EPROTO;
	close(fd);
	return err;
}

int jvm_write_map(struct jvm *jvm, bool may_signal, uint64_t until_ns)
{
	int socket_path = find_socket(jvm), err;

	if (socket_path == -ENOENT)
		socket_path = may_signal ? start_listener(jvm, until_ns) : -ETIMEDOUT;
	else
		jvm_forget(jvm);
	if (socket_path < 0)
		return socket_path;
	err = send_command(jvm, socket_path, until_ns);
	close(socket_path);
	return err;
}
