/*
 * Finds the name of a process's file descriptor from the link /proc/PID/fd/N. For the addresses of a socket, it copies the
 * descriptor from the process (pidfd_getfd(2)) and queries the copy.
 */
#include "core/record/host/descriptor_name.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/buf.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open	434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd	438
#endif

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
	struct sockaddr_storage storage;
};

static int number_of(int fd, int option)
{
	int value = 0;
	socklen_t n = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, option, &value, &n) ? -1 : value;
}

/* Gets the address of the socket's peer, or else the socket's own address. Returns its length, or 0 if it has no address. */
static socklen_t address_of(int fd, union address *a, bool *peer)
{
	socklen_t n = sizeof(*a);

	*peer = !getpeername(fd, &a->any, &n);
	if (*peer)
		return n;
	n = sizeof(*a);
	return getsockname(fd, &a->any, &n) ? 0 : n;
}

static const char *protocol_of(int fd)
{
	int type = number_of(fd, SO_TYPE), protocol = number_of(fd, SO_PROTOCOL);

	return protocol == IPPROTO_TCP ? "tcp" : protocol == IPPROTO_UDP ? "udp" : type == SOCK_STREAM ? "stream" : "datagram";
}

static bool put_internet(int fd, struct buf *out)
{
	bool peer, listens = number_of(fd, SO_ACCEPTCONN) == 1, four;
	char text[INET6_ADDRSTRLEN];
	union address a;

	if (!address_of(fd, &a, &peer))
		return true;
	four = a.any.sa_family == AF_INET;
	if (!inet_ntop(a.any.sa_family, four ? (const void *)&a.in.sin_addr : &a.in6.sin6_addr, text, sizeof(text)))
		return true;
	buf_printf(out, "%s %s%s%s%s:%u", protocol_of(fd), listens ? "listening " : "", four ? "" : "[", text, four ? "" : "]",
		   ntohs(four ? a.in.sin_port : a.in6.sin6_port));
	return peer || listens || number_of(fd, SO_TYPE) != SOCK_STREAM;
}

/* An abstract address begins with a zero byte, which is printed as "@", as ss(8) does. */
static bool put_unix(const union address *a, socklen_t size, struct buf *out)
{
	size_t n = size - offsetof(struct sockaddr_un, sun_path);
	const char *path = a->un.sun_path;

	if (size <= offsetof(struct sockaddr_un, sun_path) || n > sizeof(a->un.sun_path))
		return false;
	if (*path)
		buf_printf(out, "unix %.*s", (int)strnlen(path, n), path);
	else
		buf_printf(out, "unix @%.*s", (int)strnlen(path + 1, n - 1), path + 1);
	return true;
}

/* The peer of a server's connection has no name as a rule. Then the socket's own address is printed. */
static void put_unix_socket(int fd, struct buf *out)
{
	union address a;
	bool peer;
	socklen_t n = address_of(fd, &a, &peer);

	if ((n && put_unix(&a, n, out)) || !peer)
		return;
	n = sizeof(a);
	if (!getsockname(fd, &a.any, &n))
		put_unix(&a, n, out);
}

static bool put_socket(int fd, struct buf *out)
{
	switch (number_of(fd, SO_DOMAIN)) {
	case AF_INET:
	case AF_INET6:
		return put_internet(fd, out);
	case AF_UNIX:
		put_unix_socket(fd, out);
	}
	return true;
}

/* Copies the descriptor (Linux 5.6), because a search in /proc/PID/net would read all sockets of the network namespace. */
bool descriptor_socket(uint32_t pid, uint32_t number, struct buf *out)
{
	int process = (int)syscall(SYS_pidfd_open, pid, 0), fd;
	bool stays = true;

	if (process < 0)
		return true;
	fd = (int)syscall(SYS_pidfd_getfd, process, number, 0);
	if (fd >= 0) {
		stays = put_socket(fd, out);
		close(fd);
	}
	close(process);
	return stays;
}

static bool has_ended(uint32_t pid)
{
	char path[64], ignored;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/exe", pid);
	return readlink(path, &ignored, sizeof(ignored)) < 0 && (errno == ENOENT || errno == ESRCH);
}

int descriptor_link(uint32_t pid, uint32_t fd, struct buf *out)
{
	char path[64], name[4096];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd/%" PRIu32, pid, fd);
	n = readlink(path, name, sizeof(name));
	if (n < 0)
		return has_ended(pid) ? -ESRCH : -errno;
	buf_put(out, name, (size_t)n);
	return 0;
}
