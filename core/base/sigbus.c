/*
 * Handles SIGBUS, which the kernel sends if the disk fails or another process truncates a mapped file: prints the name of the
 * file and exits. cmd/main.c installs the handler.
 */
#include "core/base/file.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/log.h"

#define LINE_SIZE	(PATH_MAX + 128)

/* One line of /proc/self/maps: "START-END PERMS OFFSET MAJ:MIN INODE     PATH". All numbers except INODE are hexadecimal. */
struct mapping {
	uintptr_t start, end;
	uint64_t offset;
	const char *path;	/* within the line; "" if there is none */
};

static uint64_t parse_hex(const char **p)
{
	uint64_t v = 0;

	for (;; (*p)++) {
		if (**p >= '0' && **p <= '9')
			v = v << 4 | (uint64_t)(**p - '0');
		else if (**p >= 'a' && **p <= 'f')
			v = v << 4 | (uint64_t)(**p - 'a' + 10);
		else
			return v;
	}
}

static void skip_word(const char **p)
{
	while (**p && **p != ' ')
		(*p)++;
	while (**p == ' ')
		(*p)++;
}

static struct mapping parse_mapping(const char *line)
{
	struct mapping m = { .start = parse_hex(&line) };

	line += *line == '-';
	m.end = parse_hex(&line);
	line += *line == ' ';
	skip_word(&line);	/* permissions */
	m.offset = parse_hex(&line);
	skip_word(&line);
	skip_word(&line);	/* device */
	skip_word(&line);	/* inode */
	m.path = line;
	return m;
}

/* Reads the next line, without its newline, cut to @size; false at the end of the file. */
static bool next_line(int fd, char *line, size_t size)
{
	size_t n = 0;
	char c;

	while (read(fd, &c, 1) == 1 && c != '\n')
		if (n + 1 < size)
			line[n++] = c;
	line[n] = '\0';
	return n > 0;
}

/* Finds the file and offset mapped at @address. out->path leads into @line. */
static bool find_mapping(struct mapping *out, uintptr_t address, char *line, size_t size)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	bool found = false;

	if (fd < 0)
		return false;
	while (!found && next_line(fd, line, size)) {
		*out = parse_mapping(line);
		found = address >= out->start && address < out->end;
	}
	close(fd);
	return found;
}

static void put(const char *text)
{
	ssize_t n = write(STDERR_FILENO, text, strlen(text));

	(void)n;
}

static void put_number(uint64_t v)
{
	char digits[24], *p = digits + sizeof(digits) - 1;

	*p = '\0';
	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	put(p);
}

static void put_file_error(const struct mapping *m, uintptr_t address)
{
	uint64_t offset = m->offset + (address - m->start);
	struct stat st;

	put("prec: '");
	put(m->path);
	if (!stat(m->path, &st) && (uint64_t)st.st_size > offset) {
		put("': cannot be read at offset ");
		put_number(offset);
		put(": Input/output error\n");
		return;
	}
	put("' was truncated while it was being read: nothing is at offset ");
	put_number(offset);
	put(" any more; let it be written to its end, then try again\n");
}

/* May run in any thread and function, so it calls only what is safe in a signal handler (signal-safety(7)). */
static void on_sigbus(int number, siginfo_t *info, void *context)
{
	uintptr_t address = (uintptr_t)info->si_addr;
	char line[LINE_SIZE];
	struct mapping m;

	(void)context;
	log_run_at_crash();
	if (info->si_code == BUS_ADRERR && find_mapping(&m, address, line, sizeof(line)) && *m.path) {
		put_file_error(&m, address);
		_exit(1);
	}
	signal(number, SIG_DFL);	/* the instruction runs again, and the next SIGBUS kills the program */
}

void sigbus_means_file_error(void)
{
	struct sigaction action = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}
