/*
 * What follows a record's name where it is printed, a function a type; the rows of record.c hold them.
 * Layer: format
 */
#ifndef CORE_FORMAT_RECORD_PRINT_H
#define CORE_FORMAT_RECORD_PRINT_H

struct buf;
struct record;

void print_mmap(const struct record *r, struct buf *out);
void print_mmap2(const struct record *r, struct buf *out);
void print_lost(const struct record *r, struct buf *out);
void print_lost_samples(const struct record *r, struct buf *out);
void print_comm(const struct record *r, struct buf *out);
void print_task(const struct record *r, struct buf *out);
void print_read(const struct record *r, struct buf *out);
void print_sample(const struct record *r, struct buf *out);
void print_aux(const struct record *r, struct buf *out);
void print_itrace(const struct record *r, struct buf *out);
void print_switch(const struct record *r, struct buf *out);
void print_switch_cpu_wide(const struct record *r, struct buf *out);
void print_namespaces(const struct record *r, struct buf *out);
void print_ksymbol(const struct record *r, struct buf *out);
void print_bpf(const struct record *r, struct buf *out);
void print_cgroup(const struct record *r, struct buf *out);
void print_text_poke(const struct record *r, struct buf *out);
void print_hw_id(const struct record *r, struct buf *out);
void print_deferred(const struct record *r, struct buf *out);
void print_id_index(const struct record *r, struct buf *out);
void print_auxtrace_info(const struct record *r, struct buf *out);
void print_auxtrace(const struct record *r, struct buf *out);
void print_auxtrace_error(const struct record *r, struct buf *out);
void print_time_conv(const struct record *r, struct buf *out);

#endif
