/*
 * Reads the configuration files of prec and perf, which set default options of commands. main.c inserts these options before those
 * of the command line.
 */
#ifndef CMD_CONFIG_H
#define CMD_CONFIG_H

#include "core/base/vec.h"

struct setting {
	char *command;		/* owned, as the members below; NULL: prec does not use this setting */
	char *word;		/* the option "--percent-limit=1"; if .command is NULL, "section.key" */
	char *from;		/* file and line, "/root/.perfconfig:3" */
};

struct config { VEC(struct setting) list; };	/* = {0}; config_release() */

/*
 * Reads both files; warns of invalid settings. prec's: $PREC_CONFIG, else $XDG_CONFIG_HOME/prec/config (~/.config/prec/config),
 * with a section for each command. perf's: $PERF_CONFIG, else ~/.perfconfig; only settings that mean the same in prec.
 */
void config_read(struct config *c);
void config_release(struct config *c);

/*
 * Inserts the settings of command @argv[0] after it: those of perf's file, then those of prec's, so later words override earlier
 * ones. Returns *nr words and a NULL; the caller frees the array, not the words.
 */
char **config_words(const struct config *c, int argc, char **argv, int *nr);
/* Prints the settings in force, and where each was read, for "prec help config". */
void config_print(const struct config *c);

#endif
