/*
 * Lists the hardware trace devices: Intel PT, Intel BTS, CoreSight and Arm SPE. For each device, backend.c has its functions for
 * recording (recording_ops.h) and for decoding (aux.h). The code of all devices is built on every architecture.
 */
#ifndef AUXTRACE_BACKEND_H
#define AUXTRACE_BACKEND_H

#include <stdint.h>

struct aux_decode_ops;
struct aux_record_ops;

struct aux_backend {
	const char *name;			/* in words: "Intel Processor Trace" */
	const char *pmu;			/* sysfs name: "intel_pt", "arm_spe_" (a prefix) */
	uint32_t info_type;			/* tag in the AUXTRACE_INFO record */
	const struct aux_record_ops *record;
	const struct aux_decode_ops *decode;
};

extern const struct aux_record_ops intel_pt_record, intel_bts_record, cs_etm_record, arm_spe_record;
extern const struct aux_decode_ops intel_pt_decode, intel_bts_decode, cs_etm_decode, arm_spe_decode;

/* Finds a device by the tag of AUXTRACE_INFO, or by the name of a PMU; NULL: unknown. */
const struct aux_backend *aux_backend_of(uint32_t info_type);
const struct aux_backend *aux_backend_of_pmu(const char *name);

#endif
