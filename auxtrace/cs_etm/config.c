/*
 * Finds the configuration of a CoreSight trace unit, such as the sizes of packet fields, in the values of its registers
 * (TRCCONFIGR, TRCIDRn and others). info.c reads the registers from the recording.
 */
#include "auxtrace/cs_etm/config.h"

#include <stddef.h>

static uint32_t bits(uint32_t v, unsigned hi, unsigned lo)
{
	return v >> lo & (uint32_t)((1ull << (hi - lo + 1)) - 1);
}

/* TRCDEVARCH has the architecture's number and revision. If it is not recorded (ETMv4), TRCIDR1 has them. */
static uint8_t version_of(const struct cs_registers *r)
{
	if (r->devarch)
		return (uint8_t)(bits(r->devarch, 15, 12) << 4 | bits(r->devarch, 19, 16));
	return (uint8_t)(bits(r->idr1, 11, 8) << 4 | bits(r->idr1, 7, 4));
}

/* Returns the size of a VMID or context ID in bytes, from its field of TRCIDR2. */
static uint8_t id_bytes(uint32_t field, uint8_t version)
{
	if (field == 1)
		return 1;
	if (version > 0x40 && (field == 2 || field == 4))
		return (uint8_t)field;
	return 0;
}

void cs_config_init(struct cs_config *out, const struct cs_registers *r)
{
	uint8_t version = version_of(r);

	*out = (struct cs_config){
		.id = (uint8_t)bits(r->traceidr, 6, 0),
		.version = version,
		.vmid_bytes = id_bytes(bits(r->idr2, 14, 10), version),
		.cid_bytes = bits(r->idr2, 9, 5) == 4 ? 4 : 0,
		.address_bits = bits(r->idr2, 4, 0) == 8 ? 64 : 32,
		.cc_mask = (uint32_t)((1ull << (bits(r->idr2, 28, 25) + 12)) - 1),
		.max_spec = r->idr8,
		.commopt = bits(r->idr0, 29, 29) && bits(r->idr0, 7, 7),
		.cycle_counts = bits(r->configr, 4, 4),
		.return_stack = bits(r->configr, 12, 12),
		.q = bits(r->idr0, 16, 15) != 0,
		.conditional = bits(r->idr0, 6, 6) && bits(r->configr, 10, 8) != 0,
		.data = bits(r->configr, 17, 16) != 0,
		.loads_p0 = bits(r->idr0, 2, 1) != 0 && bits(r->configr, 2, 1) != 0,
		.wait_branch = bits(r->idr2, 31, 31),
		.trans_p0 = !bits(r->idr0, 30, 30),
	};
}

void cs_config_init_v7(struct cs_config *out, const struct cs_v7_registers *r)
{
	static const uint8_t cid_bytes[] = { 0, 1, 2, 4 };
	bool ptm = bits(r->idr, 11, 8) == 3;

	*out = (struct cs_config){
		.id = (uint8_t)bits(r->traceidr, 6, 0),
		.v7 = ptm ? CS_PTM : CS_ETMV3,
		.cid_bytes = cid_bytes[bits(r->cr, 15, 14)],
		.address_bits = 32,
		.cycle_counts = bits(r->cr, 12, 12),
		.return_stack = ptm && bits(r->cr, 29, 29),
		.data = !ptm && (bits(r->cr, 3, 2) || bits(r->cr, 20, 20)),
		.wide_time = bits(r->ccer, 29, 29),
		.gray_time = ptm && !bits(r->ccer, 28, 28),
		.alt_branch = !ptm && bits(r->idr, 20, 20),
		.virt = ptm || bits(r->ccer, 26, 26),
		.thumbee = ptm || bits(r->idr, 7, 4) >= 3,
	};
}

const char *cs_config_unsupported(const struct cs_config *c)
{
	if (c->v7)
		return c->data ? "data trace" : NULL;
	if (c->version < 0x40)
		return "not an ETMv4 or ETE";
	if (c->data)
		return "data trace";
	if (c->loads_p0)
		return "loads and stores traced as branches";
	return NULL;
}
