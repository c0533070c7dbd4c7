/*
 * Finds out what this user can record on this machine, for `prec doctor`: tries each kind of recording briefly, and explains each
 * refusal. Also measures the CPU time that a sample costs.
 */
#ifndef CORE_RECORD_HOST_DOCTOR_H
#define CORE_RECORD_HOST_DOCTOR_H

#include <stddef.h>

enum verdict_kind {
	DOCTOR_YES,
	DOCTOR_NO,		/* supported, but not permitted */
	DOCTOR_ABSENT,		/* the machine or the kernel does not have it */
};

struct diagnosis {
	const char *id;		/* "own", "kernel", ...: never renamed */
	const char *what;	/* the kind of recording, in words */
	enum verdict_kind verdict;
	char *why;		/* owned; the reason, and the smallest change that helps; NULL: the verdict is yes */
};

/* Tries all kinds of recording. Returns their number; *out is an array of the results, owned by the caller: doctor_release(). */
size_t doctor_examine(struct diagnosis **out);
void doctor_release(struct diagnosis *d, size_t nr);

/* Continues for good as another user, with this user's groups and no capabilities. Prints errors; returns 0 or -1. */
int doctor_become(const char *user);

/* "yes", "no", "absent" */
const char *doctor_verdict_name(enum verdict_kind verdict);

/*
 * Measures the CPU time in ns that a sample of cpu-clock with a call chain costs on this machine. It compares loops of a fixed
 * length with and without sampling. Returns a negative value if events cannot be opened or samples are too few.
 */
double doctor_sample_ns(void);

#endif
