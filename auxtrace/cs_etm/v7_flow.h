/*
 * Executes a packet of an ETMv3 or PTM, the trace units of ARMv7, for flow.c: the packet moves the decoder's position in the
 * program's code. flow.c itself executes the packets of ETMv4 and ETE.
 */
#ifndef AUXTRACE_CS_ETM_V7_FLOW_H
#define AUXTRACE_CS_ETM_V7_FLOW_H

struct cs_packet;
struct cs_walk;

/*
 * Executes @pkt, after cs_history_add(). An ETMv3 makes one atom for each instruction. A PTM makes one atom for each waypoint (a
 * branch or a barrier); its branch packet contains an atom and the target of the branch.
 */
void v7_execute(struct cs_walk *w, const struct cs_packet *pkt);

#endif
