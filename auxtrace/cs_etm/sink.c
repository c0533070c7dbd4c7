/*
 * Describes in words why the decoder could not follow the program in a CoreSight trace, for example "the trace unit overflowed".
 * Messages and error records have these texts.
 */
#include "auxtrace/cs_etm/sink.h"

/* The texts fit in the 64 bytes of an error record, together with the number of unsure instructions. */
const char *cs_gap_text(enum cs_gap why)
{
	static const char *const texts[] = {
		[CS_GAP_OVERFLOW] = "the trace unit overflowed",
		[CS_GAP_DISCARD] = "the trace unit discarded trace",
		[CS_GAP_BAD_PACKET] = "bad packet",
		[CS_GAP_TRUNCATED_PACKET] = "the buffer ends in a packet",
		[CS_GAP_NO_SYNC] = "trace before the first synchronisation",
		[CS_GAP_NO_CODE] = "cannot read the code",
		[CS_GAP_BAD_CODE] = "no code of this instruction set",
		[CS_GAP_NO_ADDRESS] = "branches at an unknown address",
		[CS_GAP_LOST] = "the code leads elsewhere",
		[CS_GAP_SPECULATION] = "more committed or cancelled than waits",
		[CS_GAP_TIME] = "time runs backwards",
		[CS_GAP_UNKNOWN_PATH] = "instructions of unknown addresses",
	};

	return texts[why];
}
