/*
 * Declares the functions of all commands of prec. main.c calls the function of the command that the user gave.
 * Layer: cmd
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#define PREC_VERSION "0.1"

/*
 * Each function gets the command's arguments (argv[0] is the command's name), prints its own errors, and returns the exit status of
 * prec: 0 on success, 1 on an error, 2 if the recording is damaged, 129 if the command line is wrong. The man pages of record,
 * diff, compare and verify list further values.
 */
int cmd_archive(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_buildid_cache(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_query(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_summary(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_verify(int argc, char **argv);

#endif
