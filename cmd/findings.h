/*
 * What a command says at its end, and whether that makes it fail.
 * Layer: cmd
 */
#ifndef CMD_FINDINGS_H
#define CMD_FINDINGS_H

struct findings;

#define STATUS_DAMAGED	2	/* read, but the recording is damaged */

/* Print @f on standard error and release it. Returns the exit status: STATUS_DAMAGED where there is damage, else 0. */
int findings_end(struct findings *f);

#endif
