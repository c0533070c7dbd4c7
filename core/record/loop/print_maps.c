/* Prints the maps of the user's BPF programs (--bpf-maps), at intervals and at the end of a recording. */
#include "core/record/loop/print_maps.h"

#include <stdio.h>

#include "core/base/buf.h"
#include "core/base/json.h"
#include "core/record/open/event_set.h"

static void put_json(const struct event_set *set, bool changes, uint64_t ns, struct buf *out)
{
	struct json j = { .out = out };

	json_open(&j, '{');
	json_key(&j, "time");
	json_fixed(&j, (double)ns / 1e9, 6);
	json_key(&j, "objects");
	user_objects_put_json(&set->objects, changes, &j);
	json_close(&j, '}');
	buf_putc(out, '\n');
}

void print_maps(const struct event_set *set, const struct print_maps_opts *o, uint64_t ns, bool end)
{
	bool changes = o->changes && !end;
	struct buf text = {0};

	if (o->json) {
		put_json(set, changes, ns, &text);
	} else {
		if (!end)
			buf_printf(&text, "# Time %.3f s\n", (double)ns / 1e9);
		user_objects_put_maps(&set->objects, changes, &text);
	}
	fputs(buf_str(&text), stderr);
	buf_release(&text);
}
