/* The recorded command: forked first, so that its events can be opened, and executed when all is ready. Layer: loop */
#ifndef CORE_RECORD_LOOP_WORKLOAD_H
#define CORE_RECORD_LOOP_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#define EXIT_NOT_EXECUTABLE	126	/* as the shell has them */
#define EXIT_NOT_FOUND		127
#define EXIT_BY_SIGNAL		128	/* plus the signal's number */

struct workload {
	pid_t pid;		/* 0: none */
	int go, failed;		/* pipes: to the child; from the child, errno of a failed exec */
	bool stops;		/* it stops after its program was loaded, until workload_continue() */
	bool ended;
	int status;		/* of wait4(2), once it ended; */
	struct rusage usage;	/* of wait4(2): its own, and that of descendants that it waited for */
};

/*
 * Checks that @command can be executed, as execvp(3) finds it. Returns 0, or 126 or 127 after printing why. @task_events: it
 * has events of its own; says if the kernel will end them.
 */
int workload_check(const char *command, bool task_events);
/*
 * Forks. The child waits, with the signal mask @mask. Its standard output goes to standard error if @stdout_taken: the
 * recording itself goes to standard output. @stops: it will stop when the program is in memory, before its first instruction.
 * Prints errors; returns 0 or -1.
 */
int workload_fork(struct workload *w, char *const argv[], const sigset_t *mask, bool stdout_taken, bool stops);
/* Execute it. Returns 0, or the exit status for a failed exec (126, 127) after saying why. */
int workload_go(struct workload *w, const char *command);
/* Continues it where it stopped. */
void workload_continue(struct workload *w);
/* True if it has ended; does not wait. */
bool workload_poll(struct workload *w);
/* Waits for its end. */
void workload_wait(struct workload *w);
/*
 * End it if it still runs (SIGTERM) and wait for it. Returns the status for the shell; says what signal ended it, or if that was
 * ours @why we ended it, as a clause with a subject; NULL: as the user wanted.
 */
int workload_finish(struct workload *w, const char *command, const char *why);

#endif
