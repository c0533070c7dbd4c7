/*
 * nonblock COMMAND...: executes it with a standard output that does not block.
 */
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	(void)argc;
	if (fcntl(STDOUT_FILENO, F_SETFL, fcntl(STDOUT_FILENO, F_GETFL) | O_NONBLOCK))
		return 1;
	execvp(argv[1], argv + 1);
	return 127;
}
