#!/bin/bash
# Call chains go on through code that keeps no frame pointers if a JVM tells how large its frames are; one that lies leads nowhere.
. "$(dirname "$0")/lib/prec.sh"
need_events
[ "$(uname -m)" = x86_64 ] || skip "no code for this processor"

# libjvm.so exports where its structures have their fields. Its code has frames of 6 words, and a number in the frame pointer: a
# compiled method, in which another is inlined where it calls a third, and which is called by an interpreted one.
cat >libjvm.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
struct entry { const char *type, *field, *kind; int is_static; uint64_t offset; const void *address; };
struct type { const char *name; uint64_t size; };
struct array { int len, max; void *data; };
struct heap { uint8_t *low, *high, *map, *map_end; int log2; uint8_t rest[480]; };
struct symbol { uint16_t length; char body[1100]; };
struct class { const struct symbol *name; uint8_t rest[256]; };
struct pool { const struct class *holder; int length; const struct symbol *symbols[4]; uint8_t rest[256]; };
struct about { const struct pool *pool; uint16_t name, signature, code_size; uint8_t rest[256]; };
struct method { const struct about *about; uint32_t access, more; };
struct desc { int offset, scope; };
struct blob {
	const char *name; int frame, complete; const uint8_t *begin, *end;
	const struct method *method; const uint8_t *scopes; uint32_t metadata, pcs, pcs_end, size; int id;
	const uint8_t *handler, *mh_handler; uint32_t original;
	uint8_t rest[256];
	const struct method *methods[3]; uint8_t scope_data[1024]; struct desc descs[4];
};
struct block { uint64_t length; char used; };
static struct heap heap;
static void *data[1] = { &heap };
static struct array array = { 1, 1, data }, *heaps = &array;
static int version = 17;
static uint8_t no = 0, yes = 1;
static struct { const char *name; const uint8_t *value; } flag_list[] = { { "Other", &yes }, { "DebugNonSafepoints", &no } }, *flags = flag_list;
static uint64_t nr_flags = 2;
#define AT(t, f) __builtin_offsetof(t, f)
struct entry table[6000] = {
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
	{ "Abstract_VM_Version", "_vm_major_version", "", 1, 0, &version },
	{ "CompiledMethod", "_method", "", 0, AT(struct blob, method), 0 },
	{ "CompiledMethod", "_scopes_data_begin", "", 0, AT(struct blob, scopes), 0 },
	{ "nmethod", "_metadata_offset", "", 0, AT(struct blob, metadata), 0 },
	{ "nmethod", "_scopes_pcs_offset", "", 0, AT(struct blob, pcs), 0 },
	{ "nmethod", "_dependencies_offset", "", 0, AT(struct blob, pcs_end), 0 },
	{ "nmethod", "_nmethod_end_offset", "", 0, AT(struct blob, size), 0 },
	{ "nmethod", "_compile_id", "", 0, AT(struct blob, id), 0 },
	{ "PcDesc", "_pc_offset", "", 0, 0, 0 },
	{ "PcDesc", "_scope_decode_offset", "", 0, 4, 0 },
	{ "Method", "_constMethod", "", 0, 0, 0 },
	{ "ConstMethod", "_constants", "", 0, 0, 0 },
	{ "ConstMethod", "_name_index", "", 0, AT(struct about, name), 0 },
	{ "ConstMethod", "_signature_index", "", 0, AT(struct about, signature), 0 },
	{ "ConstantPool", "_pool_holder", "", 0, 0, 0 },
	{ "ConstantPool", "_length", "", 0, AT(struct pool, length), 0 },
	{ "Klass", "_name", "", 0, 0, 0 },
	{ "Symbol", "_length", "", 0, 0, 0 },
	{ "Symbol", "_body", "", 0, AT(struct symbol, body), 0 },
	{ "Method", "_access_flags", "", 0, AT(struct method, access), 0 },
	{ "ConstMethod", "_code_size", "", 0, AT(struct about, code_size), 0 },
	{ "JVMFlag", "flags", "", 1, 0, &flags },
	{ "JVMFlag", "numFlags", "", 1, 0, &nr_flags },
	{ "JVMFlag", "_name", "", 0, 0, 0 },
	{ "JVMFlag", "_addr", "", 0, 8, 0 },
	{ "CompiledMethod", "_deopt_handler_begin", "", 0, AT(struct blob, handler), 0 },
	{ "CompiledMethod", "_deopt_mh_handler_begin", "", 0, AT(struct blob, mh_handler), 0 },
	{ "nmethod", "_orig_pc_offset", "", 0, AT(struct blob, original), 0 },
};
struct type type_table[] = { { "PcDesc", 8 }, { "ConstantPool", AT(struct pool, symbols) }, { "ConstMethod", AT(struct about, rest) }, { "JVMFlag", 16 }, { 0, 0 } };
struct entry *gHotSpotVMStructs = table;
struct type *gHotSpotVMTypes = type_table;
uint64_t gHotSpotVMStructEntryArrayStride = sizeof(struct entry), gHotSpotVMStructEntryTypeNameOffset = AT(struct entry, type),
	 gHotSpotVMStructEntryFieldNameOffset = AT(struct entry, field), gHotSpotVMStructEntryOffsetOffset = AT(struct entry, offset),
	 gHotSpotVMStructEntryAddressOffset = AT(struct entry, address), gHotSpotVMTypeEntryArrayStride = sizeof(struct type),
	 gHotSpotVMTypeEntryTypeNameOffset = 0, gHotSpotVMTypeEntrySizeOffset = 8;
static const uint8_t code[] = { 0x55, 0x48, 0x83, 0xec, 0x20, 0x89, 0xfd, 0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb,
				0x48, 0x83, 0xc4, 0x20, 0x5d, 0xc3 };
/* The same after it has moved its return address up into the caller's frame, and put a handler's in its place. */
static uint8_t moves[] = {
	0x48, 0x8b, 0x04, 0x24, 0x48, 0x89, 0x44, 0x24, 0x10,	/* mov (%rsp), %rax; mov %rax, 16(%rsp) */
	0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0x48, 0x89, 0x04, 0x24,	/* mov $HANDLER, %rax; mov %rax, (%rsp) */
	0x55, 0x48, 0x83, 0xec, 0x20, 0x89, 0xfd, 0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0x48, 0x83, 0xc4, 0x20, 0x5d, 0xc3 };
/* It calls what is 8 KiB before it. The handler is its last instruction: jmp *8(%rsp) */
static const uint8_t calls[] = { 0x55, 0x48, 0x83, 0xec, 0x20, 0xe8, 0xf6, 0xdf, 0xff, 0xff, 0x48, 0x83, 0xc4, 0x20, 0x5d, 0xc3,
				 0xff, 0x64, 0x24, 0x08 };
/* The interpreter: a frame with the method and the place in it calls that. */
static const uint8_t interprets[] = {
	0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x40,		/* push %rbp; mov %rsp, %rbp; sub $64, %rsp */
	0x48, 0x8d, 0x45, 0x10, 0x48, 0x89, 0x45, 0xf8,		/* lea 16(%rbp), %rax; mov %rax, -8(%rbp) */
	0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0x48, 0x89, 0x45, 0xe8,	/* mov $METHOD, %rax; mov %rax, -24(%rbp) */
	0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0x48, 0x89, 0x45, 0xc0,	/* mov $PLACE, %rax; mov %rax, -64(%rbp) */
	0xe8, 0xcf, 0xdf, 0xff, 0xff, 0xc9, 0xc3 };		/* call; leave; ret */
static struct symbol symbols[] = {
	{ 4, "Fake" }, { 4, "leaf" }, { 5, "outer" }, { 5, "inner" }, { 4, "(I)V" }, { 5, "other" }, { 3, "run" } };
static struct class class = { &symbols[0], { 0 } };
static struct pool pools[5];
static struct about abouts[5];
static struct method methods[5];
static void make_method(int i, const struct symbol *name)
{
	pools[i] = (struct pool){ &class, 3, { 0, name, &symbols[4] }, { 0 } };
	abouts[i] = (struct about){ &pools[i], 1, 2, 16, { 0 } };
	methods[i].about = &abouts[i];
}
static struct blob *put(uint8_t *heap_at, uint8_t *at, const uint8_t *bytes, size_t n, const struct method *method, int id)
{
	static const struct block block = { 8, 1 };
	struct blob *b = (struct blob *)(at + 16);
	uint64_t first = (uint64_t)(at - heap_at) >> 7;

	*b = (struct blob){ .name = "nmethod", .frame = 6, .complete = 5, .begin = at + 4096, .end = at + 4096 + n, .method = method,
			    .scopes = b->scope_data, .metadata = AT(struct blob, methods), .pcs = AT(struct blob, descs),
			    .pcs_end = AT(struct blob, descs) + 3 * sizeof(struct desc), .size = sizeof(*b), .id = id,
			    .methods = { method, &methods[2] }, .descs = { { -1, 0 }, { 10, 4 }, { 0x7fffffff, 0 } } };
	memcpy(b->scope_data, "\0\0\1\5\1\2\3", 7);
	memcpy(at, &block, sizeof(block));
	memcpy(at + 4096, bytes, n);
	heap.map[first] = 0;
	for (uint64_t i = first + 1; i < first + 48; i++)
		heap.map[i] = i > first + 8 ? 8 : 1;
	return b;
}
static void work(const uint8_t *at, int ms)
{
	clock_t from = clock();

	while (clock() - from < CLOCKS_PER_SEC / 1000 * ms)
		((void (*)(uint64_t))(uintptr_t)at)(1000000);
}
int around(const char *how, int ms);
int around(const char *how, int ms)
{
	uint8_t *at = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static uint8_t map[512];
	struct blob *blob, *b, *interpreter;
	const struct method *run = &methods[4];
	const uint8_t *place = abouts[4].rest + 5;
	struct block *block = (struct block *)(at + 256), *block_b = (struct block *)(at + 256 + 8192);
	struct timespec t;

	memset(map, 255, sizeof(map));
	heap = (struct heap){ at, at + (1 << 16), map, map + sizeof(map), 7, { 0 } };
	for (int i = 0; i < 3; i++)
		make_method(i, &symbols[1 + i]);
	make_method(3, &symbols[5]);
	make_method(4, &symbols[6]);
	blob = put(at, at + 256, code, sizeof(code), &methods[0], 1);
	blob->pcs_end = blob->pcs;
	b = put(at, at + 256 + 8192, calls, sizeof(calls), &methods[1], 2);
	interpreter = put(at, at + 256 + 2 * 8192, interprets, sizeof(interprets), NULL, 0);
	interpreter->name = "Interpreter";
	interpreter->frame = 0;
	if (!strcmp(how, "huge-frame")) blob->frame = 1 << 30;
	if (!strcmp(how, "long-frame")) blob->frame = 1 << 19;
	if (!strcmp(how, "short-frame")) blob->frame = 5;
	if (!strcmp(how, "no-frame")) blob->frame = -1;
	if (!strcmp(how, "incomplete")) blob->complete = 1 << 20;
	if (!strcmp(how, "wild-name")) { blob->name = (char *)8; blob->frame = 0; }
	if (!strcmp(how, "outside")) blob->begin = blob->end = at;
	if (!strcmp(how, "unused")) block->used = 0;
	if (!strcmp(how, "unused-caller")) block_b->used = 0;
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
	if (!strcmp(how, "no-end")) for (int i = 0; i < 6000; i++) table[i] = table[13];
	if (!strcmp(how, "no-stride")) gHotSpotVMStructEntryArrayStride = 0;
	if (!strcmp(how, "wild-stride")) gHotSpotVMStructEntryArrayStride = 1ull << 63;
	/* Of the methods alone: */
	if (!strcmp(how, "version")) version = 18;
	if (!strcmp(how, "no-field")) table[22].field = "_other";
	if (!strcmp(how, "no-types")) gHotSpotVMTypeEntryArrayStride = 0;
	if (!strcmp(how, "wild-types")) gHotSpotVMTypes = (struct type *)8;
	if (!strcmp(how, "wild-flags")) { flags = (void *)16; nr_flags = 1ull << 63; }
	if (!strcmp(how, "no-desc-size")) type_table[0].size = 0;
	if (!strcmp(how, "long-desc")) type_table[0].size = 1ull << 40;
	if (!strcmp(how, "loop")) b->scope_data[4] = 4;
	if (!strcmp(how, "far-caller")) b->scope_data[4] = 190;
	if (!strcmp(how, "far-scope")) b->descs[1].scope = 0x7fffffff;
	if (!strcmp(how, "minus-scope")) b->descs[1].scope = -5;
	if (!strcmp(how, "no-method")) b->scope_data[5] = 0;
	if (!strcmp(how, "far-method")) b->scope_data[5] = 150;
	if (!strcmp(how, "long-number")) memset(b->scope_data + 4, 255, 15);
	if (!strcmp(how, "deep")) for (int i = 1; i < 250; i++) memcpy(b->scope_data + 4 * i, (uint8_t[]){ 192 + (4 * i - 4) % 64, (4 * i - 4 - 192 - (4 * i - 4) % 64) / 64, 2, 0 }, 4);
	if (!strcmp(how, "deep")) { memcpy(b->scope_data + 4, "\0\1\0", 3); b->descs[1].scope = 4 * 249; }
	if (!strcmp(how, "other-root")) b->methods[0] = &methods[3];
	if (!strcmp(how, "wild-method")) b->methods[1] = (struct method *)0xffffffff81000000;
	if (!strcmp(how, "wild-about")) methods[2].about = (struct about *)16;
	if (!strcmp(how, "wild-pool")) abouts[2].pool = (struct pool *)0xfffffffffffffff8;
	if (!strcmp(how, "far-name")) abouts[2].name = 60000;
	if (!strcmp(how, "wild-symbol")) pools[2].symbols[1] = (struct symbol *)3;
	if (!strcmp(how, "long-symbol")) symbols[3].length = 65535;
	if (!strcmp(how, "no-symbol")) symbols[3].length = 0;
	if (!strcmp(how, "odd-symbol")) memcpy(symbols[3].body, "\33[1m\n", 5);
	if (!strcmp(how, "odd-signature")) { memset(symbols[4].body, '[', 1000); symbols[4].length = 1000; }
	if (!strcmp(how, "turned-descs")) b->pcs_end = 1;
	if (!strcmp(how, "far-descs")) b->pcs_end = b->size = 0xfffffff0;
	if (!strcmp(how, "many-descs")) b->pcs_end = b->size = 60 << 20;
	if (!strcmp(how, "wild-scopes")) b->scopes = (uint8_t *)8;
	if (!strcmp(how, "turned-tables")) b->metadata = b->pcs;
	if (!strcmp(how, "wild-places")) table[22].offset = table[23].offset = 1ull << 60;
	/* Of the interpreter: */
	if (!strcmp(how, "run-none")) run = NULL;
	if (!strcmp(how, "run-wild")) run = (struct method *)0xfffffffffffffff8;
	if (!strcmp(how, "run-other")) run = &methods[3];
	if (!strcmp(how, "run-text")) run = (struct method *)symbols;
	if (!strcmp(how, "run-early")) place = abouts[4].rest - 1;
	if (!strcmp(how, "run-late")) place = abouts[4].rest + 16;
	if (!strcmp(how, "run-no-place")) place = NULL;
	if (!strcmp(how, "run-no-pool")) abouts[4].pool = NULL;
	b->handler = b->begin + sizeof(calls) - 4;
	b->original = 8;
	if (!strncmp(how, "deoptimized", 11)) {
		memcpy(moves + 11, &b->handler, 8);
		memcpy((uint8_t *)(uintptr_t)blob->begin, moves, sizeof(moves));
		blob->end = blob->begin + sizeof(moves);
		blob->complete = 23 + 5;
	}
	if (!strcmp(how, "deoptimized-mh")) { b->mh_handler = b->handler; b->handler = NULL; }
	if (!strcmp(how, "deoptimized-far")) b->original = 0xffffffff;
	if (!strcmp(how, "deoptimized-empty")) b->original = 24;
	if (!strcmp(how, "deoptimized-other")) b->original = 40;
	memcpy((uint8_t *)(uintptr_t)interpreter->begin + 18, &run, 8);
	memcpy((uint8_t *)(uintptr_t)interpreter->begin + 32, &place, 8);
	work(interpreter->begin, ms);
	if (strcmp(how, "replaced"))
		return ms;
	/* Once all samples were looked at, the caller's code is freed: other code comes in its place. */
	usleep(1500000);
	b->method = b->methods[0] = &methods[3];
	b->id = 3;
	b->descs[1].scope = 1;
	clock_gettime(CLOCK_MONOTONIC, &t);
	printf("%lld.%09ld\n", (long long)t.tv_sec, t.tv_nsec);
	work(interpreter->begin, ms);
	return ms;
}
C
# It lives on for a while, as its memory is read when its samples are.
echo '#include <unistd.h>
int around(const char *how, int ms); int main(int c, char **v) { int ms = around(v[1], 100); usleep(100000); return ms == c; }' >main.c
"${CC:-cc}" -O2 -shared -fPIC -o libjvm.so libjvm.c && "${CC:-cc}" -O2 -o main main.c ./libjvm.so || fail "cannot build"

# True if so many of the chains are all, but for those of samples whose stacks found no room.
is_all() { [ "$1" -le "$all" ] && [ $(($1 + ${shed:-0})) -ge "$all" ]; }

# Of the samples in the loop of the leaf: how many there are, how many have their callers, how many have the inlined method, and how
# many have others. The name of code that is not described is not known. Where one instruction has ten samples, it is in the loop;
# the few samples in the callers' own instructions have shorter chains.
record() {	# HOW
	timeout -k 5 60 env "$PREC" record -e cpu-clock:u -F 999 -g -o data ./main "$1" 2>err >out || fail "$1: $(<err)"
	"$PREC" script -i data -F ip,sym 2>/dev/null >chains
	read -r all whole inlined run bad <<<"$(awk '
		function done() { if (n == 0 || at[leaf] < 10) return; all++; whole += c ~ / around main / && c ~ / _start$/
			run += c ~ / Fake.run\(int\) around /
			inlined += c ~ /Fake.inner\(int\)/
			bad += c !~ /^ (Fake.leaf\(int\)|\[unknown\])( (Fake.inner\(int\) )?(Fake.outer\(int\)|\[unknown\])( (Fake.run\(int\)|Interpreter|\[unknown\])( around main .*)?)?)?$/ &&
				c !~ /^ \[unknown\] around main / }
		NR == FNR { if (!in_chain && NF && /\[unknown\]|Fake.leaf/) at[$1]++; in_chain = NF; next }
		/^$/ { if (code) done(); n = code = 0; c = ""; next }
		{ if (!n++) leaf = $1; code += n == 1 && /\[unknown\]|Fake.leaf/; c = c " " ($2 == "void" ? $3 : $2) }
		END { if (code) done(); print all + 0, whole + 0, inlined + 0, run + 0, bad + 0 }' chains chains)"
	shed=$(sed -n 's/.*the call chains of \([0-9]*\) of .*stacks-shed.*/\1/p' err)
	echo "$1: of $all chains $whole are whole, $inlined with the inlined method, $run with the interpreted one, $bad wrong"
	[ "$all" -gt 20 ] || fail "$1: $all samples: $(<err)"
}

for how in sound huge-frame long-frame short-frame no-frame incomplete wild-name outside unused unused-caller no-block no-first far-back \
	wild-map turned-map odd-segment many-heaps wild-heaps wild-data wild-offset no-end no-stride wild-stride; do
	record $how
	expect "$how: wrong chains" 0 "$bad"
	case $how in
	sound | many-heaps)	is_all "$whole" && is_all "$inlined" && is_all "$run" || fail "$how: $(<err)" ;;
	no-stride)		expect_finding chains-in-jit err ;;
	esac
done
for how in version no-field no-types wild-types wild-flags no-desc-size long-desc loop far-caller far-scope minus-scope no-method \
	far-method long-number deep other-root wild-method wild-about wild-pool far-name wild-symbol long-symbol no-symbol \
	turned-descs far-descs many-descs wild-scopes turned-tables wild-places odd-symbol odd-signature; do
	record $how
	is_all "$whole" || fail "$how: $whole of $all are whole"
	case $how in
	wild-flags)			is_all "$inlined" || fail "$how: $inlined of $all have the method" ;;
	many-descs)			;;
	odd-symbol | odd-signature)	! grep -q $'\33' chains || fail "$how: the name is not escaped"
					continue ;;
	*)				expect "$how: inlined" 0 "$inlined" ;;
	esac
	expect "$how: wrong chains" 0 "$bad"
done

# A method that was deoptimized while it waits: its callee returns to a handler, and the frame has where it was to return to.
for how in deoptimized deoptimized-mh; do
	record $how
	is_all "$whole" && is_all "$inlined" && is_all "$run" && expect "$how: wrong chains" 0 "$bad" || fail "$how: $(<err)"
done
for how in deoptimized-far deoptimized-empty deoptimized-other; do
	record $how
	expect "$how: wrong chains" 0 "$bad"
done

for how in run-none run-wild run-other run-text run-early run-late run-no-place run-no-pool; do
	record $how
	is_all "$whole" && is_all "$inlined" || fail "$how: of $all $whole are whole, $inlined with the method"
	expect "$how: interpreted, wrong" "0 0" "$run $bad"
done

# Code that replaced other code has its own name from then on, and the other's until then.
"$PREC" record -e cpu-clock:u -F 999 -g -o data ./main replaced 2>err >out || fail "$(<err)"
"$PREC" script -i data --ns -F time,ip,sym 2>/dev/null >chains
awk -v after="$(<out)" '
	function done() { if (at[leaf] >= 10) n[(t > after) " " c]++ }
	NR == FNR { if (is_first) at[$1]++; is_first = /^ *[0-9]+\.[0-9]+:/; next }
	is_first { leaf = $1 }
	{ is_first = 0 }
	/^ *[0-9]+\.[0-9]+:/ { if (c != "") done(); t = $1 + 0; c = ""; is_first = 1 }
	/Fake/ { sub(/\(int\).*/, ""); sub(/.*Fake\./, ""); c = c " " $0 }
	END { done(); for (k in n) print k }' chains chains | sort >got
printf '%s\n' "0  leaf inner outer run" "1  leaf other run" >want
expect_same "names before and after" want got

# A stream has no place for methods: its chains have the frames alone.
"$PREC" record -e cpu-clock:u -F 999 -g -o - ./main sound 2>err | "$PREC" script -i - -F ip,sym >chains 2>read || fail "$(<err)"
! grep -qE "Fake|50790000" chains || fail "a stream has methods"
nr=$(awk '/around/ { n += a == "[unknown]" && b == a && c == a } { c = b; b = a; a = $2 } END { print n + 0 }' chains)
[ "$nr" -gt 20 ] || fail "$nr chains of a stream have three frames without names"
