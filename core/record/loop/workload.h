/*
 * Starts the command that is recorded. It forks a process, which waits until prec has opened the events for it, and then
 * executes the program.
 */
#ifndef CORE_RECORD_LOOP_WORKLOAD_H
#define CORE_RECORD_LOOP_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#define EXIT_NOT_EXECUTABLE	126	/* the exit statuses of a shell */
#define EXIT_NOT_FOUND		127
#define EXIT_BY_SIGNAL		128	/* plus the signal's number */

struct workload {
	pid_t pid;		/* 0: none */
	int go, failed;		/* .go: pipe to the child, whose byte starts the command; .failed: pipe from the child, with the
				 * errno of a failed exec */
	bool stops;		/* it stops after its program was loaded, until workload_continue() */
	bool ended;
	int status;		/* from wait4(2), once the command has ended */
	struct rusage usage;	/* from wait4(2): of the command, and of descendants that it waited for */
};

/*
 * Checks that @command can be executed, as execvp(3) finds it. Returns 0, or 126 or 127 after printing the reason. With
 * @task_events, the command has events of its own; then warns if the kernel will end them.
 */
int workload_check(const char *command, bool task_events);
/*
 * Forks. The child waits with the signal mask @mask. If @stdout_taken, the recording itself goes to standard output, and the
 * child's standard output goes to standard error. If @stops, the child will stop when its program is in memory, before the first
 * instruction. Prints errors; returns 0 or -1.
 */
int workload_fork(struct workload *w, char *const argv[], const sigset_t *mask, bool stdout_taken, bool stops);
/* Makes the child execute the command. Returns 0, or the exit status for a failed exec (126, 127) after printing the reason. */
int workload_go(struct workload *w, const char *command);
/* Continues the command if it has stopped. */
void workload_continue(struct workload *w);
/* True if the command has ended. Does not wait. */
bool workload_poll(struct workload *w);
/* Waits until the command has ended. */
void workload_wait(struct workload *w);
/*
 * Ends the command with SIGTERM if it still runs, and waits for it. Returns the exit status for the shell. Prints the signal
 * that ended the command. If this was prec's SIGTERM, prints @why, a clause with a subject, as the reason; @why is NULL if the
 * user wanted it.
 */
int workload_finish(struct workload *w, const char *command, const char *why);

#endif
