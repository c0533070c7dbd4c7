/*
 * Saves hardware trace while prec record runs, for all devices. The events that fill AUX areas are opened first, and each of their
 * ring buffers gets an AUX area. The trace in the areas is then written to the file as AUXTRACE records.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_RECORDING_H
#define AUXTRACE_RECORDING_H

struct aux_record_opts;
struct recorder_aux;
struct recorder_opts;

/*
 * If an event of @rec fills AUX areas, prepares to record its trace: completes the event's request, moves it to the front, and adds
 * the sample fields and side-band records that decoders need. Sets *out for rec->aux, owned by the caller, or to NULL if there is
 * no such event. Returns 0; or prints an error and returns -1.
 */
int aux_record_new(struct recorder_aux **out, struct recorder_opts *rec, const struct aux_record_opts *o);
void aux_record_free(struct recorder_aux *a);

#endif
