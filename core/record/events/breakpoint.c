/*
 * Parses breakpoint events (mem:ADDRESS or mem:SYMBOL), and finds the address of the symbol in a process. probe.c also uses its
 * parser of "symbol+offset".
 */
#include "core/record/events/breakpoint.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/hw_breakpoint.h>

#include "core/binary/elf_symbol.h"

#define DEFAULT_LENGTH		HW_BREAKPOINT_LEN_4
#define EXECUTE_LENGTH		sizeof(long)	/* the length that the kernel requires for execution */
#define MAX_LENGTH		8

int probe_point_parse(struct word w, char **symbol, uint64_t *offset)
{
	const char *plus = w.n ? memrchr(w.s, '+', w.n) : NULL;
	struct word number = w;
	unsigned long long v = 0;

	*symbol = NULL;
	if (w.n && isdigit((unsigned char)w.s[0])) {
		plus = NULL;
	} else if (plus) {
		number.n = (size_t)(w.s + w.n - (plus + 1));
		number.s = plus + 1;
		w.n = (size_t)(plus - w.s);
	}
	if (plus || isdigit((unsigned char)w.s[0]))
		if (word_number(number, &v))
			return -EINVAL;
	if (plus || !isdigit((unsigned char)w.s[0]))
		*symbol = word_dup(w);
	*offset = v;
	return 0;
}

/* Translates the letters r, w and x to bits. Returns 0 if there are other letters. */
static uint32_t access_of(struct word w)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < w.n; i++) {
		switch (w.s[i]) {
		case 'r': bits |= HW_BREAKPOINT_R; break;
		case 'w': bits |= HW_BREAKPOINT_W; break;
		case 'x': bits |= HW_BREAKPOINT_X; break;
		default: return 0;
		}
	}
	return bits;
}

static int parse_access(struct event_request *r, struct event_node *n, struct event_error *err)
{
	r->attr.bp_type = access_of(n->access);
	if (!n->access.n || r->attr.bp_type) {
		for (size_t i = 1; i < n->access.n; i++)
			if (memchr(n->access.s, n->access.s[i], i))
				return wrong_at(err, n->access, xstrdup("each of r, w and x can be given once"));
		r->attr.bp_type = r->attr.bp_type ? r->attr.bp_type : HW_BREAKPOINT_RW;
		return 0;
	}
	if (n->modifiers.n)
		return wrong_at(err, n->access, xstrdup("an access is letters of r, w and x"));
	n->modifiers = n->access;
	r->attr.bp_type = HW_BREAKPOINT_RW;
	return 0;
}

static int parse_length(struct event_request *r, const struct event_node *n, struct event_error *err)
{
	unsigned long long length;

	r->attr.bp_len = r->attr.bp_type == HW_BREAKPOINT_X ? EXECUTE_LENGTH : DEFAULT_LENGTH;
	if (!n->length.n)
		return 0;
	if (word_number(n->length, &length) || !length || length > MAX_LENGTH)
		return wrong_at(err, n->length, xstrdup("a breakpoint is 1 to 8 bytes long"));
	r->attr.bp_len = length;
	return 0;
}

int breakpoint_resolve(struct event_requests *out, struct event_node *n, struct event_error *err)
{
	struct event_request r = { .attr = { .size = ATTR_SIZE_VER7, .type = PERF_TYPE_BREAKPOINT, .sample_period = 1 } };
	uint64_t offset;
	int failed = parse_access(&r, n, err);

	if (!failed)
		failed = parse_length(&r, n, err);
	if (failed)
		return failed;
	if (probe_point_parse(n->second, &r.symbol, &offset))
		return wrong_at(err, n->second, xstrdup("neither an address nor a symbol"));
	if (r.symbol)
		r.symbol_offset = offset;
	else
		r.attr.bp_addr = offset;
	r.name = word_dup(n->all);
	vec_push(&out->list, r);
	return 0;
}

/* Finds the difference between addresses in the process and in the ELF file, by the first map of the program in /proc/PID/maps. */
static int load_base(int pid, const struct elf_position *p, uint64_t *base)
{
	char path[64], line[4400], exe[64], real[4096];
	unsigned long long from, offset;
	ssize_t n;
	FILE *f;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", pid);
	n = readlink(exe, real, sizeof(real) - 1);
	if (n < 0)
		return -errno;
	real[n] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%llx-%*x %*s %llx %*s %*s %n", &from, &offset, &at) < 2 || !at || !str_eq(line + at, real))
			continue;
		*base = from - (p->first_vaddr & ~0xfffull);
		fclose(f);
		return 0;
	}
	fclose(f);
	return -ENOENT;
}

int breakpoint_locate(const struct event_request *r, int pid, uint64_t *addr)
{
	char exe[64];
	struct elf_position p;
	uint64_t base = 0;
	int err;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", pid);
	err = elf_position_of(exe, r->symbol, &p);
	if (!err && p.relocated)
		err = load_base(pid, &p, &base);
	*addr = base + p.vaddr + r->symbol_offset;
	return err;
}
