#!/bin/bash
# Call chains go on through code that keeps no frame pointers if a JVM tells how large its frames are; one that lies leads nowhere.
. "$(dirname "$0")/lib/prec.sh"
need_events
[ "$(uname -m)" = x86_64 ] || skip "no code for this processor"

# libjvm.so exports where its structures have their fields. The code has a frame of 6 words, and a number in the frame pointer.
cat >libjvm.c <<'C'
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
struct entry { const char *type, *field, *kind; int is_static; uint64_t offset; const void *address; };
struct array { int len, max; void *data; };
struct heap { uint8_t *low, *high, *map, *map_end; int log2; uint8_t rest[480]; };
struct blob { const char *name; int frame, complete; const uint8_t *begin, *end; uint8_t rest[256]; };
struct block { uint64_t length; char used; };
static struct heap heap;
static void *data[1] = { &heap };
static struct array array = { 1, 1, data }, *heaps = &array;
#define AT(t, f) __builtin_offsetof(t, f)
struct entry table[4096] = {
	{ "CodeCache", "_heaps", "", 1, 0, &heaps },
	{ "GrowableArrayBase", "_len", "", 0, AT(struct array, len), 0 },
	{ "GrowableArray<int>", "_data", "", 0, AT(struct array, data), 0 },
	{ "CodeHeap", "_memory", "", 0, 0, 0 },
	{ "CodeHeap", "_segmap", "", 0, AT(struct heap, map), 0 },
	{ "CodeHeap", "_log2_segment_size", "", 0, AT(struct heap, log2), 0 },
	{ "VirtualSpace", "_low", "", 0, 0, 0 },
	{ "VirtualSpace", "_high", "", 0, 8, 0 },
	{ "HeapBlock::Header", "_used", "", 0, AT(struct block, used), 0 },
	{ "CodeBlob", "_name", "", 0, AT(struct blob, name), 0 },
	{ "CodeBlob", "_frame_size", "", 0, AT(struct blob, frame), 0 },
	{ "CodeBlob", "_frame_complete_offset", "", 0, AT(struct blob, complete), 0 },
	{ "CodeBlob", "_code_begin", "", 0, AT(struct blob, begin), 0 },
	{ "CodeBlob", "_code_end", "", 0, AT(struct blob, end), 0 },
};
struct entry *gHotSpotVMStructs = table;
uint64_t gHotSpotVMStructEntryArrayStride = sizeof(struct entry), gHotSpotVMStructEntryTypeNameOffset = AT(struct entry, type),
	 gHotSpotVMStructEntryFieldNameOffset = AT(struct entry, field), gHotSpotVMStructEntryOffsetOffset = AT(struct entry, offset),
	 gHotSpotVMStructEntryAddressOffset = AT(struct entry, address);
static const uint8_t code[] = { 0x55, 0x48, 0x83, 0xec, 0x20, 0x89, 0xfd, 0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb,
				0x48, 0x83, 0xc4, 0x20, 0x5d, 0xc3 };
int around(const char *how, int ms);
int around(const char *how, int ms)
{
	uint8_t *at = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static uint8_t map[512];
	struct block block = { 8, 1 };
	struct blob blob = { "nmethod", 6, 5, at + 1024, at + 1024 + sizeof(code), { 0 } };

	memset(map, 255, sizeof(map));
	map[2] = 0;
	for (int i = 3; i < 32; i++)
		map[i] = i > 10 ? 8 : 1;
	heap = (struct heap){ at, at + (1 << 16), map, map + sizeof(map), 7, { 0 } };
	if (!strcmp(how, "huge-frame")) blob.frame = 1 << 30;
	if (!strcmp(how, "long-frame")) blob.frame = 1 << 19;
	if (!strcmp(how, "short-frame")) blob.frame = 4;
	if (!strcmp(how, "no-frame")) blob.frame = -1;
	if (!strcmp(how, "incomplete")) blob.complete = 1 << 20;
	if (!strcmp(how, "wild-name")) { blob.name = (char *)8; blob.frame = 0; }
	if (!strcmp(how, "outside")) blob.begin = at;
	if (!strcmp(how, "outside")) blob.end = at;
	if (!strcmp(how, "unused")) block.used = 0;
	if (!strcmp(how, "no-block")) memset(map, 255, sizeof(map));
	if (!strcmp(how, "no-first")) memset(map, 1, sizeof(map));
	if (!strcmp(how, "far-back")) memset(map, 250, sizeof(map));
	if (!strcmp(how, "wild-map")) heap.map = (uint8_t *)16;
	if (!strcmp(how, "turned-map")) heap.map_end = (uint8_t *)16;
	if (!strcmp(how, "odd-segment")) heap.log2 = 77;
	if (!strcmp(how, "many-heaps")) array.len = 0x7fffffff;
	if (!strcmp(how, "wild-heaps")) heaps = (struct array *)0xffffffff81000000;
	if (!strcmp(how, "wild-data")) array.data = (void *)0xfffffffffffffff8;
	if (!strcmp(how, "wild-offset")) table[5].offset = table[10].offset = 0xfffffffffffffff8;
	if (!strcmp(how, "no-end")) for (int i = 0; i < 4096; i++) table[i] = table[13];
	if (!strcmp(how, "no-stride")) gHotSpotVMStructEntryArrayStride = 0;
	if (!strcmp(how, "wild-stride")) gHotSpotVMStructEntryArrayStride = 1ull << 63;
	memcpy(at + 256, &block, sizeof(block));
	memcpy(at + 256 + 16, &blob, sizeof(blob));
	memcpy(at + 1024, code, sizeof(code));
	while (clock() < CLOCKS_PER_SEC / 1000 * ms)
		((void (*)(uint64_t))(uintptr_t)(at + 1024))(1000000);
	return ms;
}
C
# It lives on for a while, as its memory is read when its samples are.
echo '#include <unistd.h>
int around(const char *how, int ms); int main(int c, char **v) { int ms = around(v[1], 100); usleep(400000); return ms == c; }' >main.c
"${CC:-cc}" -O2 -shared -fPIC -o libjvm.so libjvm.c && "${CC:-cc}" -O2 -o main main.c ./libjvm.so || fail "cannot build"

# Of the samples in the code: how many there are, how many have their callers, and how many have others.
chains() {
	"$PREC" script -i data -F ip,sym 2>/dev/null | awk '
		function done() { if (n == 0) return; all++; whole += c ~ /^ \[unknown\] around main / && c ~ / _start$/
			bad += c !~ /^ \[unknown\]( around( main .*)?)?$/ }
		/^$/ { if (code) done(); n = code = 0; c = ""; next }
		{ n++; code += n == 1 && /\[unknown\]/; c = c " " $2 }
		END { if (code) done(); print all + 0, whole + 0, bad + 0 }'
}
for how in sound huge-frame long-frame short-frame no-frame incomplete wild-name outside unused no-block no-first far-back wild-map \
	turned-map odd-segment many-heaps wild-heaps wild-data wild-offset no-end no-stride wild-stride; do
	timeout -k 5 60 env "$PREC" record -e cpu-clock:u -F 999 -g -o data ./main $how 2>err || fail "$how: $(<err)"
	read -r all whole bad <<<"$(chains)"
	echo "$how: of $all chains $whole are whole, $bad wrong"
	[ "$all" -gt 20 ] || fail "$how: $all samples: $(<err)"
	expect "$how: wrong chains" 0 "$bad"
	case $how in
	sound | many-heaps)	[ "$whole" = "$all" ] || fail "$how: $whole of $all chains are whole" ;;
	no-stride)		expect_finding chains-in-jit err ;;
	esac
done
