/*
 * Saves hardware trace while prec record runs, in the same way for all trace devices. Each device implements the functions in
 * recording_ops.h. area.h maps the buffers that the device fills.
 */
#ifndef AUXTRACE_RECORDING_H
#define AUXTRACE_RECORDING_H

struct aux_record_opts;
struct recorder_aux;
struct recorder_opts;

/*
 * If an event of @rec fills AUX areas, prepares to record its trace: completes the event's request, moves it to the front, and adds
 * the sample fields and side-band records that decoders need. Each ring buffer of such events gets an AUX area, whose trace is
 * written to the file as AUXTRACE records. Sets *out for rec->aux, owned by the caller, or to NULL if there is no such event.
 * Returns 0; or prints an error and returns -1.
 */
int aux_record_new(struct recorder_aux **out, struct recorder_opts *rec, const struct aux_record_opts *o);
void aux_record_free(struct recorder_aux *a);

#endif
