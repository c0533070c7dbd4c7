/*
 * Applies the packets of an ETMv3 or PTM to the program's position. An atom of an ETMv3 is one instruction, an atom of a PTM one
 * waypoint; a branch packet of a PTM is an atom and its target.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_CS_ETM_V7_FLOW_H
#define AUXTRACE_CS_ETM_V7_FLOW_H

struct cs_packet;
struct cs_walk;

/* Executes @pkt, after cs_history_add(). */
void v7_execute(struct cs_walk *w, const struct cs_packet *pkt);

#endif
