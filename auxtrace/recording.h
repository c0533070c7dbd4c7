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
 * If an event of @rec fills AUX areas, prepares to record them: completes its request and moves it to the front, and adds the
 * sample fields and side-band records that decoders need. *out: for rec->aux, owned by the caller; NULL if there is no such
 * event. Prints errors; returns 0 or -1.
 */
int aux_record_new(struct recorder_aux **out, struct recorder_opts *rec, const struct aux_record_opts *o);
void aux_record_free(struct recorder_aux *a);

#endif
