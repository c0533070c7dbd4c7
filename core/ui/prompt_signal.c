/*
 * Detects ^C while a command that was typed at the prompt (prompt.h) runs. The prompt has blocked SIGINT, and the command calls
 * prompt_interrupted() from time to time to see whether the signal is pending.
 */
#include "core/ui/prompt.h"

#include <signal.h>
#include <time.h>

bool prompt_interrupted(void)
{
	sigset_t pending;

	return !sigpending(&pending) && sigismember(&pending, SIGINT) == 1;
}

void prompt_calm(void)
{
	const struct timespec at_once = {0};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	while (sigtimedwait(&set, NULL, &at_once) == SIGINT)
		;
}
