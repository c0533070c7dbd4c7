/*
 * The errata of each processor by Debian's libipt and by auxtrace/intel_pt/errata.c, which is compiled with it: a line for each
 * family and model that has any, with their names, "ipt" or "prec" before them, "both" where they agree.
 */
#include <intel-pt.h>
#include <stdio.h>
#include <string.h>

#include "errata.h"	/* the values of prec's enum pt_errata, which is libipt's name, too */

unsigned pt_errata_find(const char *cpuid);

struct names { char text[128]; };

static void add(struct names *n, int has, const char *name)
{
	if (has)
		snprintf(n->text + strlen(n->text), sizeof(n->text) - strlen(n->text), " %s", name);
}

static void print(unsigned family, unsigned model)
{
	struct pt_cpu cpu = { .vendor = pcv_intel, .family = (uint16_t)family, .model = (uint8_t)model, .stepping = 3 };
	struct names theirs = {0}, ours = {0};
	struct pt_errata e;
	char cpuid[64];
	unsigned mine;

	snprintf(cpuid, sizeof(cpuid), "GenuineIntel,%u,%u,3", family, model);
	mine = pt_errata_find(cpuid);
	if (pt_cpu_errata(&e, &cpu) < 0)
		memset(&e, 0, sizeof(e));
	/* Of those that libipt knows besides, flow.h says why they need no model. */
	add(&theirs, e.bdm64, "bdm64");
	add(&theirs, e.bdm70, "bdm70");
	add(&theirs, e.skd007, "skd007");
	add(&theirs, e.skd022, "skd022");
	add(&theirs, e.apl12, "apl12");
	add(&theirs, e.skz84, "skz84");
	add(&ours, mine & PT_BDM64, "bdm64");
	add(&ours, mine & PT_BDM70, "bdm70");
	add(&ours, mine & PT_SKD007, "skd007");
	add(&ours, mine & PT_SKD022, "skd022");
	add(&ours, mine & PT_APL12, "apl12");
	add(&ours, mine & PT_SKZ84, "skz84");
	if (!strcmp(ours.text, theirs.text) && *ours.text)
		printf("%#x %#x both%s\n", family, model, ours.text);
	else if (*ours.text || *theirs.text)
		printf("%#x %#x ipt%s, prec%s\n", family, model, theirs.text, ours.text);
}

int main(void)
{
	static const unsigned families[] = { 6, 0x12, 0x13 };

	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		for (unsigned model = 0; model < 256; model++)
			print(families[i], model);
	return 0;
}
