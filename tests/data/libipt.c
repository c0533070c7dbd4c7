/*
 * libipt NAME.pt NAME.maps FAMILY MODEL: the address of each instruction that libipt decodes, one a line; errors on stderr.
 */
#include <intel-pt.h>
#include <stdio.h>
#include <stdlib.h>

static uint8_t *trace;
static size_t size;

static void read_trace(const char *name)
{
	FILE *f = fopen(name, "r");

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) == 0)
		exit(2);
	rewind(f);
	trace = malloc(size);
	if (fread(trace, 1, size, f) != size)
		exit(2);
	fclose(f);
}

/* Lines as in /proc/PID/maps. */
static void add_maps(struct pt_image *image, const char *name)
{
	FILE *f = fopen(name, "r");
	unsigned long from, to, offset;
	char path[4096];

	while (f && fscanf(f, "%lx-%lx %*s %lx %*s %*s %4095[^\n]", &from, &to, &offset, path) == 4)
		if (pt_image_add_file(image, path, offset, to - from, NULL, from) < 0)
			fprintf(stderr, "no code at %lx\n", from);
	if (f)
		fclose(f);
}

static void decode(struct pt_insn_decoder *d)
{
	uint64_t at;
	int status;

	while ((status = pt_insn_sync_forward(d)) >= 0) {
		while (status >= 0) {
			struct pt_insn insn = {0};
			struct pt_event event;

			while (status >= 0 && status & pts_event_pending)
				status = pt_insn_event(d, &event, sizeof(event));
			if (status < 0)
				break;
			status = pt_insn_next(d, &insn, sizeof(insn));
			if (insn.iclass != ptic_error)
				printf("%lx\n", (long)insn.ip);
		}
		if (status == -pte_eos)
			return;
		pt_insn_get_offset(d, &at);
		fprintf(stderr, "%lx: %s\n", (long)at, pt_errstr(pt_errcode(status)));
	}
	if (status != -pte_eos)
		fprintf(stderr, "no PSB+: %s\n", pt_errstr(pt_errcode(status)));
}

int main(int argc, char **argv)
{
	struct pt_image *image = pt_image_alloc("program");
	struct pt_insn_decoder *d;
	struct pt_config config;

	if (argc != 5)
		return 2;
	read_trace(argv[1]);
	pt_config_init(&config);
	config.begin = trace;
	config.end = trace + size;
	config.cpu.vendor = atoi(argv[3]) ? pcv_intel : pcv_unknown;
	config.cpu.family = atoi(argv[3]);
	config.cpu.model = atoi(argv[4]);
	if (config.cpu.vendor)
		pt_cpu_errata(&config.errata, &config.cpu);
	d = pt_insn_alloc_decoder(&config);
	if (!d)
		return 2;
	add_maps(image, argv[2]);
	pt_insn_set_image(d, image);
	decode(d);
	return 0;
}
