/* Fuzz target: BTF, and values of its types. The input is the number of bytes of values (16 bits), these, and the BTF. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/json.h"
#include "core/record/bpf/bpf_maps.h"

#define MOST_TYPES	200u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int print_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

static void print_values(const struct btf *btf, const uint8_t *values, size_t nr)
{
	for (uint32_t id = 0; id < MOST_TYPES && id < btf__type_cnt(btf); id++) {
		int64_t size = id ? btf__resolve_size(btf, id) : (int64_t)nr;
		struct buf text = {0}, json = {0};
		struct json j = { .out = &json };

		if (size > 0 && (uint64_t)size <= nr) {
			bpf_value_put(&text, btf, id, values, (size_t)size);
			bpf_value_put_json(&j, btf, id, values, (size_t)size);
		}
		buf_release(&text);
		buf_release(&json);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t nr = size >= 2 ? data[0] | (size_t)data[1] << 8 : 0;
	uint8_t *values;
	struct btf *btf;

	if (size < 2 || nr > size - 2)
		return 0;
	libbpf_set_print(print_nothing);
	btf = btf__new(data + 2 + nr, (uint32_t)(size - 2 - nr));
	if (!btf)
		return 0;
	values = malloc(nr + 1);
	memcpy(values, data + 2, nr);
	print_values(btf, values, nr);
	btf__free(btf);
	free(values);
	return 0;
}
