/* Where a recording is read from. Layer: cmd */
#include "cmd/cmd.h"

#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

const char *input_path(const char *given)
{
	struct stat st;

	if (given || fstat(STDIN_FILENO, &st) || !S_ISFIFO(st.st_mode))
		return given;
	return "-";
}
