/* Declares the functions of all commands of prec. main.c calls the function of the command that the user gave. */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#define PREC_VERSION "0.1"

/*
 * argv[0] is the command's name. Each prints its own errors. Exit status: 0; 1: an error; 2: the recording is damaged; 129: usage.
 * The man pages of record, diff, compare and verify list further values.
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
