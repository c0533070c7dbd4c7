/*
 * Settings: options that hold for a command unless its command line says otherwise. They are in
 * $XDG_CONFIG_HOME/prec/config (~/.config/prec/config; PREC_CONFIG names another file), in sections by command,
 *
 *	[report]
 *		percent-limit = 1
 *		children = false
 *
 * and in perf's file (~/.perfconfig; PERF_CONFIG names another), of which only settings with the same meaning in prec are used.
 * A setting is inserted as an option before those of the command line; settings of prec's file come after those of perf's.
 * Layer: cmd
 */
#ifndef CMD_CONFIG_H
#define CMD_CONFIG_H

#include "core/base/vec.h"

struct setting {
	char *command;		/* owned, as the members below; NULL: not used here */
	char *word;		/* "--percent-limit=1"; not used: "section.key" */
	char *from;		/* "/root/.perfconfig:3" */
};

struct config { VEC(struct setting) list; };	/* = {0}; config_release() */

/* Reads both files. Warns of invalid settings. */
void config_read(struct config *c);
void config_release(struct config *c);

/* @argv[0] is a command: the same with the settings after it, *nr words and NULL. To be freed; the words are borrowed. */
char **config_words(const struct config *c, int argc, char **argv, int *nr);
/* "prec help config": the settings in force, and their source. */
void config_print(const struct config *c);

#endif
