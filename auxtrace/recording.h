/*
 * Records hardware trace: the device-independent part. The events that fill AUX areas are opened first, each of their rings gets
 * an area, and the data of areas are written as AUXTRACE records.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_RECORDING_H
#define AUXTRACE_RECORDING_H

struct aux_record_opts;
struct recorder_aux;
struct recorder_opts;

/*
 * If an event of @rec fills AUX areas, make ready to record them: its request is completed and comes first, what all
 * events must tell is switched on. *out: for rec->aux, owned by the caller; NULL if there is none. Prints errors;
 * returns 0 or -1.
 */
int aux_record_new(struct recorder_aux **out, struct recorder_opts *rec, const struct aux_record_opts *o);
void aux_record_free(struct recorder_aux *a);

#endif
