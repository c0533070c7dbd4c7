/*
 * The commands of prec. Each takes its own words (argv[0] is its name), prints its own errors, and returns the
 * exit status of the program: 0 fine, 1 an error, 2 read but damaged, 129 usage; record: see prec-record(1).
 * Layer: cmd
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#define PREC_VERSION "0.1"

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
