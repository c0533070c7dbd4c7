/* Writing packets. */
#include "tests/trace/cs_encode.h"

#include "auxtrace/cs_etm/packet.h"

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed >> 11;
}

uint64_t cs_unit_random(struct cs_unit *u, uint64_t below)
{
	return next_random(&u->seed) % below;
}

static void byte(struct cs_unit *u, unsigned b)
{
	buf_putc(&u->out, (char)b);
}

static void continued(struct cs_unit *u, uint64_t v)
{
	for (; v >> 7; v >>= 7)
		byte(u, (v & 0x7f) | 0x80);
	byte(u, (unsigned)v);
}

static void fixed(struct cs_unit *u, uint64_t v, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		byte(u, v >> 8 * i & 0xff);
}

/* --- Atoms ------------------------------------------------------------------ */

/* The header that holds the most of the oldest atoms; returns how many. */
static unsigned best_header(const struct cs_unit *u, unsigned *header)
{
	unsigned best = 0;

	for (unsigned h = 0xc0; h < 0x100; h++) {
		unsigned nr = cs_atoms[h].atoms;

		if (nr > best && nr <= u->nr_atoms && !((u->atoms ^ cs_atoms[h].taken) & ((1u << nr) - 1))) {
			best = nr;
			*header = h;
		}
	}
	return best;
}

static void write_commit(struct cs_unit *u, unsigned nr)
{
	byte(u, 0x2d);
	continued(u, nr);
	u->unresolved -= nr;
}

/* @nr atoms that did not happen. */
static void write_wrong(struct cs_unit *u, unsigned nr)
{
	while (nr--)
		byte(u, 0xf6 + (unsigned)cs_unit_random(u, 2));
}

static void wrong_path(struct cs_unit *u)
{
	unsigned nr = 1 + (unsigned)cs_unit_random(u, 6);

	if (nr > u->c.max_spec - u->unresolved)
		return;
	write_wrong(u, nr);
	byte(u, 0x2e);
	continued(u, nr);
}

/* One atom, first mispredicted, with a wrong target. */
static void write_mispredicted(struct cs_unit *u)
{
	unsigned nr = (unsigned)cs_unit_random(u, 6);

	byte(u, 0xf6 + !(u->atoms & 1));
	u->unresolved++;
	u->atoms >>= 1;
	u->nr_atoms--;
	nr = MIN(nr, u->c.max_spec - u->unresolved);
	write_wrong(u, nr);
	if (nr == 0) {
		byte(u, 0x30);
	} else if (nr == 1) {
		byte(u, 0x34);
	} else if (nr < 6 && cs_unit_random(u, 2)) {
		byte(u, 0x38 | (nr - 2) << 1);
	} else {
		byte(u, 0x2f);
		continued(u, nr);
	}
}

static void write_atoms(struct cs_unit *u)
{
	unsigned header = 0, nr;

	while (u->nr_atoms) {
		if (u->c.max_spec) {
			if (u->unresolved + u->nr_atoms > u->c.max_spec)
				write_commit(u, u->unresolved);
			if (!cs_unit_random(u, 8))
				wrong_path(u);
			if (!cs_unit_random(u, 8)) {
				write_mispredicted(u);
				continue;
			}
		}
		nr = best_header(u, &header);
		byte(u, header);
		u->atoms >>= nr;
		u->nr_atoms -= nr;
		u->unresolved += u->c.max_spec ? nr : 0;
	}
}

void cs_unit_atom(struct cs_unit *u, bool taken)
{
	u->atoms |= (uint32_t)taken << u->nr_atoms++;
	if (u->nr_atoms == 24 || (u->c.max_spec && u->nr_atoms == MIN(8, u->c.max_spec)))
		write_atoms(u);
}

void cs_unit_flush(struct cs_unit *u)
{
	write_atoms(u);
	if (u->unresolved)
		write_commit(u, u->unresolved);
}

/* --- Addresses ---------------------------------------------------------------- */

static void push_history(struct cs_unit *u, uint64_t ip, unsigned is)
{
	u->history[2] = u->history[1];
	u->history[1] = u->history[0];
	u->history[0].ip = ip;
	u->history[0].is = is;
}

static void context_info(struct cs_unit *u)
{
	bool vmid = u->c.vmid_bytes && u->vmid, cid = u->c.cid_bytes && u->cid;

	byte(u, u->el | (unsigned)u->sf << 4 | 0x20 | (unsigned)vmid << 6 | (unsigned)cid << 7);
	if (vmid)
		fixed(u, u->vmid, u->c.vmid_bytes);
	if (cid)
		fixed(u, u->cid, u->c.cid_bytes);
}

static void write_long(struct cs_unit *u, uint64_t ip, unsigned is, unsigned nr)
{
	if (is) {
		byte(u, ip >> 1 & 0x7f);
		byte(u, ip >> 8 & 0xff);
	} else {
		byte(u, ip >> 2 & 0x7f);
		byte(u, ip >> 9 & 0x7f);
	}
	fixed(u, ip >> 16, nr - 2);
}

/* @source: 0xb0 instead of 0x90 and so on. */
static bool write_match(struct cs_unit *u, uint64_t ip, unsigned is, unsigned header)
{
	for (unsigned i = 0; i < 3; i++) {
		if (u->history[i].ip != ip || u->history[i].is != is)
			continue;
		byte(u, header + i);
		return true;
	}
	return false;
}

static bool write_short(struct cs_unit *u, uint64_t ip, unsigned is, unsigned header)
{
	unsigned shift = is ? 1 : 2;
	uint64_t change = ip ^ u->history[0].ip;

	if (change >> (15 + shift))
		return false;
	byte(u, header + is);
	if (change >> (7 + shift)) {
		byte(u, (ip >> shift & 0x7f) | 0x80);
		byte(u, ip >> (7 + shift) & 0xff);
	} else {
		byte(u, ip >> shift & 0x7f);
	}
	return true;
}

void cs_unit_address(struct cs_unit *u, uint64_t ip, unsigned is, bool context)
{
	bool wide = (ip ^ u->history[0].ip) >> 32 || (context && u->sf && ip >> 32);

	write_atoms(u);
	if (context && cs_unit_random(u, 4)) {
		byte(u, (wide ? 0x85 : 0x82) + is);
		write_long(u, ip, is, wide ? 8 : 4);
		context_info(u);
	} else {
		if (context) {
			byte(u, 0x81);
			context_info(u);
		}
		if (!write_match(u, ip, is, 0x90) && !write_short(u, ip, is, 0x95)) {
			byte(u, (wide ? 0x9d : 0x9a) + is);
			write_long(u, ip, is, wide ? 8 : 4);
		}
	}
	push_history(u, ip, is);
	u->synced = false;
}

bool cs_unit_source(struct cs_unit *u, uint64_t ip, unsigned is)
{
	if (u->c.version < 0x50 || u->c.max_spec || u->atoms || cs_unit_random(u, 4))
		return false;
	u->nr_atoms = 0;
	if (!write_match(u, ip, is, 0xb0) && !write_short(u, ip, is, 0xb4)) {
		byte(u, 0xb8 + is);
		write_long(u, ip, is, 8);
	}
	push_history(u, ip, is);
	return true;
}

void cs_unit_call(struct cs_unit *u, uint64_t next, unsigned is)
{
	if (!u->c.return_stack || u->synced)
		return;
	if (u->nr_returns == CS_STACK) {
		for (unsigned i = 1; i < CS_STACK; i++)
			u->returns[i - 1] = u->returns[i];
		u->nr_returns--;
	}
	u->returns[u->nr_returns].ip = next;
	u->returns[u->nr_returns++].is = is;
}

bool cs_unit_return(struct cs_unit *u, uint64_t to, unsigned is)
{
	if (!u->nr_returns || u->returns[u->nr_returns - 1].ip != to || u->returns[u->nr_returns - 1].is != is)
		return false;
	u->nr_returns--;
	return true;
}

/* --- The rest ------------------------------------------------------------------- */

static void write_time(struct cs_unit *u)
{
	uint64_t change = u->time ^ u->last_time, v = u->time;
	unsigned nr = 0;

	byte(u, u->c.cycle_counts ? 3 : 2);
	while (nr < 8 && change >> 7 * (nr + 1))
		nr++;
	for (unsigned i = 0; i < nr; i++)
		byte(u, (v >> 7 * i & 0x7f) | 0x80);
	byte(u, nr == 8 ? v >> 56 & 0xff : v >> 7 * nr & 0x7f);
	if (u->c.cycle_counts)
		continued(u, cs_unit_random(u, 4096));
	u->told_time = u->last_time = u->time;
}

/* Cycle counts commit pending elements, unless commits are separate. */
static void write_cycles(struct cs_unit *u)
{
	unsigned over = (unsigned)cs_unit_random(u, 2) ? (unsigned)cs_unit_random(u, 4) : (unsigned)cs_unit_random(u, 5000);
	unsigned waits = u->unresolved;

	if (over < 4 && (u->c.commopt || (waits >= 1 && waits <= 4))) {
		byte(u, 0x10 | over | (u->c.commopt ? 0 : (waits - 1) << 2));
	} else if (over < 16 && !u->c.commopt && waits >= 1 && waits <= 16) {
		byte(u, 0x0c);
		byte(u, over | (waits - 1) << 4);
	} else {
		byte(u, 0x0e);
		if (!u->c.commopt)
			continued(u, waits);
		continued(u, over);
	}
	if (!u->c.commopt)
		u->unresolved = 0;
	u->cycles += over + u->threshold;
}

void cs_unit_time(struct cs_unit *u)
{
	write_atoms(u);
	write_time(u);
}

void cs_unit_tick(struct cs_unit *u)
{
	u->time += 1 + cs_unit_random(u, 300);
	if (!cs_unit_random(u, 20))
		cs_unit_time(u);
	if (u->c.cycle_counts && !cs_unit_random(u, 10)) {
		write_atoms(u);
		write_cycles(u);
	}
	if (!cs_unit_random(u, 200)) {
		write_atoms(u);
		byte(u, 0x71 + (unsigned)cs_unit_random(u, 15));
	}
}

void cs_unit_sync(struct cs_unit *u)
{
	if (!u->c.max_spec || cs_unit_random(u, 2))
		cs_unit_flush(u);
	write_atoms(u);
	fixed(u, 0, 8);
	fixed(u, 0x80000000u, 4);
	byte(u, 1);
	byte(u, 1u | (u->unresolved ? 4 : 0) | (u->c.cycle_counts ? 8 : 0));
	byte(u, u->c.cycle_counts);
	if (u->unresolved)
		continued(u, u->unresolved);
	if (u->c.cycle_counts)
		continued(u, u->threshold);
	for (unsigned i = 0; i < 3; i++)
		u->history[i].ip = u->history[i].is = 0;
	u->nr_returns = 0;
	u->synced = true;
	u->last_time = 0;
	if (cs_unit_random(u, 2))
		write_time(u);
}

void cs_unit_trace_on(struct cs_unit *u)
{
	cs_unit_flush(u);
	byte(u, 4);
	u->nr_returns = 0;
}

void cs_unit_overflow(struct cs_unit *u)
{
	cs_unit_flush(u);
	byte(u, 0);
	byte(u, 5);
}

void cs_unit_discard(struct cs_unit *u)
{
	cs_unit_flush(u);
	byte(u, 0);
	byte(u, 3);
}

static void align(struct cs_unit *u)
{
	fixed(u, 0, 8);
	fixed(u, 0x80000000u, 4);
}

void cs_unit_nothing(struct cs_unit *u)
{
	write_atoms(u);
	switch (cs_unit_random(u, 4)) {
	case 0:
		align(u);
		break;
	case 1:
		byte(u, 0x71 + (unsigned)cs_unit_random(u, 15));
		break;
	case 2:
		write_time(u);
		break;
	default:
		byte(u, 0x70);
	}
}

void cs_unit_exception(struct cs_unit *u, unsigned number, uint64_t ip, unsigned is, bool was_target)
{
	write_atoms(u);
	if (u->c.max_spec && u->unresolved == u->c.max_spec)
		write_commit(u, u->unresolved);
	byte(u, 6);
	byte(u, number << 1 | (was_target ? 0x40 : 1));
	cs_unit_address(u, ip, is, false);
	u->unresolved += u->c.max_spec != 0;
}

/* --- Frames ------------------------------------------------------------------------ */

struct framed_byte { uint8_t id, byte; };

struct frames {
	struct framed_byte *v;
	size_t nr, at;
	uint8_t id;		/* current */
};

static void mix(struct frames *f, const struct cs_framed *s, unsigned nr, uint64_t *seed)
{
	VEC(struct framed_byte) v = { 0 };
	size_t at[16] = { 0 }, left = 0;

	for (unsigned i = 0; i < nr; i++)
		left += s[i].stream->len;
	while (left) {
		unsigned i = next_random(seed) % nr;
		size_t some = 1 + next_random(seed) % (next_random(seed) % 4 ? 200 : 5);

		some = MIN(some, s[i].stream->len - at[i]);
		for (size_t k = 0; k < some; k++)
			vec_push(&v, (struct framed_byte){ s[i].id, (uint8_t)s[i].stream->data[at[i]++] });
		left -= some;
	}
	f->v = v.v;
	f->nr = v.nr;
}

/* The next byte to go out; after the end, those of ID 0. */
static struct framed_byte peek(const struct frames *f, size_t ahead)
{
	return f->at + ahead < f->nr ? f->v[f->at + ahead] : (struct framed_byte){ 0, 0 };
}

static void frame(struct frames *f, uint8_t *to)
{
	to[15] = 0;
	for (int i = 0; i < 15; i += 2) {
		struct framed_byte a = peek(f, 0), b = peek(f, 1);

		if (a.id != f->id) {			/* holds from the next byte on */
			to[i] = (uint8_t)(a.id << 1 | 1);
			f->id = a.id;
			if (i < 14)
				to[i + 1] = a.byte, f->at++;
		} else if (i < 14 && b.id != a.id) {	/* holds from the byte after the next */
			to[i] = (uint8_t)(b.id << 1 | 1);
			to[15] |= (uint8_t)(1 << i / 2);
			to[i + 1] = a.byte;
			f->at++;
			f->id = b.id;
		} else {
			to[i] = a.byte & 0xfe;
			to[15] |= (uint8_t)((a.byte & 1) << i / 2);
			f->at++;
			if (i < 14)
				to[i + 1] = b.byte, f->at++;
		}
	}
}

void cs_frames(struct buf *out, const struct cs_framed *s, unsigned nr, uint64_t seed, bool syncs)
{
	struct frames f = { .id = 0 };
	uint8_t bytes[16];

	mix(&f, s, nr, &seed);
	while (f.at < f.nr) {
		frame(&f, bytes);
		if (syncs && next_random(&seed) % 8 == 0)
			buf_put(out, "\xff\xff\xff\x7f", 4);
		for (int i = 0; i < 16; i += 2) {
			if (syncs && next_random(&seed) % 32 == 0)
				buf_put(out, "\xff\x7f", 2);
			buf_put(out, bytes + i, 2);
		}
	}
	free(f.v);
}
