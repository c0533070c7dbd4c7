/*
 * Reads the names of Java methods, and which of them are inlined where, from the memory of a HotSpot process. Source: OpenJDK
 * 17, src/hotspot/share/code/{nmethod,pcDesc,scopeDesc,compressedStream}.cpp, oops/{method,symbol}.cpp.
 */
#include "core/unwind/jvm_methods.h"

#include <string.h>

#include "core/base/buf.h"

#define NMETHOD_MAX	(64u << 20)	/* bytes of a compiled method with its tables */
#define SCOPE_BYTES	15		/* bytes to read of a scope: three numbers have at most so many */
#define PC_DESC_MAX	64
#define POOL_BYTES	256		/* bytes to read of a ConstantPool, ConstMethod or Symbol, with all needed fields */
#define TEXT_MAX	1024		/* maximum bytes of the name of a class or method, or of a signature */
#define ACCESS_NATIVE	0x100u		/* ACC_NATIVE of class files */
#define BLOCK_MAX	4096		/* maximum number of PcDescs that jvm_nmethod_inlines() looks at */

/* ---- scopes ---- */

bool jvm_nmethod_read(const struct jvm_structs *v, uint64_t address, const uint8_t *bytes, size_t size, struct jvm_nmethod *out)
{
	uint32_t metadata = jvm_u32(bytes, v->at[JVM_NM_METADATA], size), pcs = jvm_u32(bytes, v->at[JVM_NM_PCS], size);
	uint32_t pcs_end = jvm_u32(bytes, v->at[JVM_NM_PCS_END], size), end = jvm_u32(bytes, v->at[JVM_NM_END], size);
	uint64_t scopes = jvm_word(bytes, v->at[JVM_NM_SCOPES], size) - address;

	*out = (struct jvm_nmethod){
		.method = jvm_word(bytes, v->at[JVM_NM_METHOD], size), .metadata = address + metadata, .scopes = address + scopes,
		.pcs = address + pcs, .pcs_end = address + pcs_end,
	};
	return out->method && end <= NMETHOD_MAX && metadata <= scopes && scopes <= pcs && pcs <= pcs_end && pcs_end <= end &&
	       v->size[JVM_PC_DESC] >= JVM_WORD && v->size[JVM_PC_DESC] <= PC_DESC_MAX;
}

/*
 * Reads the next number of a stream (UNSIGNED5). Each byte counts 64 times as much as the one before. A byte below 192, or the
 * fifth byte, is the last of a number.
 */
static uint32_t next_number(const uint8_t **p, const uint8_t *end)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < 5 && *p < end; i++) {
		uint8_t byte = *(*p)++;

		sum += (uint32_t)byte << (6 * i);
		if (byte < 192)
			break;
	}
	return sum;
}

/* .sender: offset of the caller's scope, 0: there is none; .method: number in the table of methods, from 1 on. */
struct scope { uint32_t sender, method; };

static bool read_scope(const struct jvm_structs *v, const struct jvm_nmethod *n, uint32_t at, struct scope *out)
{
	uint64_t size = n->pcs - n->scopes;
	uint8_t bytes[SCOPE_BYTES];
	const uint8_t *p = bytes;
	size_t got;

	if (!at || at >= size)
		return false;
	got = jvm_read_some(v, n->scopes + at, bytes, MIN(sizeof(bytes), size - at));
	out->sender = next_number(&p, bytes + got);
	out->method = next_number(&p, bytes + got);
	/* HotSpot writes a caller's scope before those of its callees. As this is checked, each walk along .sender ends. */
	return got && out->sender < at && out->method && out->method <= (n->scopes - n->metadata) / JVM_WORD;
}

static bool read_pc_desc(const struct jvm_structs *v, const struct jvm_nmethod *n, uint64_t number, int32_t *offset, int32_t *scope)
{
	uint8_t desc[PC_DESC_MAX + JVM_WORD] = {0};
	uint64_t size = v->size[JVM_PC_DESC];

	if (!jvm_read(v, n->pcs + number * size, desc, size))
		return false;
	*offset = (int32_t)jvm_u32(desc, v->at[JVM_PC_OFFSET], sizeof(desc));
	*scope = (int32_t)jvm_u32(desc, v->at[JVM_PC_SCOPE], sizeof(desc));
	return true;
}

/* Finds the scope of the PcDesc for code at @offset; with @next, of the first one at or after @offset. PcDescs are sorted. */
static bool find_pc_desc(const struct jvm_structs *v, const struct jvm_nmethod *n, uint32_t offset, bool next, uint32_t *out)
{
	uint64_t low = 0, high = (n->pcs_end - n->pcs) / v->size[JVM_PC_DESC], end = high;
	int32_t at, scope;

	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (!read_pc_desc(v, n, mid, &at, &scope))
			return false;
		if (at < (int64_t)offset)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == end || !read_pc_desc(v, n, low, &at, &scope) || (!next && at != (int64_t)offset))
		return false;
	*out = (uint32_t)scope;
	return true;
}

bool jvm_nmethod_scopes(const struct jvm_structs *v, const struct jvm_nmethod *n, uint32_t offset, bool next,
			struct jvm_scopes *out)
{
	struct scope scope = {0};

	out->nr = 0;
	if (!find_pc_desc(v, n, offset, next, &scope.sender))
		return false;
	do {
		if (out->nr == JVM_SCOPES_MAX || !read_scope(v, n, scope.sender, &scope) ||
		    !jvm_read(v, n->metadata + (scope.method - 1) * (uint64_t)JVM_WORD, &out->methods[out->nr++], JVM_WORD))
			return false;
	} while (scope.sender);
	return out->methods[out->nr - 1] == n->method;
}

bool jvm_nmethod_inlines(const struct jvm_structs *v, const struct jvm_nmethod *n)
{
	uint64_t nr = MIN((n->pcs_end - n->pcs) / v->size[JVM_PC_DESC], BLOCK_MAX);
	struct scope scope;
	int32_t at, where;
	uint32_t last = 0;

	for (uint64_t i = 0; i < nr; i++) {
		if (!read_pc_desc(v, n, i, &at, &where))
			return false;
		if ((uint32_t)where != last && read_scope(v, n, (uint32_t)where, &scope) && scope.sender)
			return true;
		last = (uint32_t)where;
	}
	return false;
}

/* ---- names ---- */

/* Appends the text of HotSpot's Symbol at address @symbol. False: it cannot be read, or is too long. */
static bool read_symbol(const struct jvm_structs *v, uint64_t symbol, struct buf *out)
{
	uint8_t head[POOL_BYTES + TEXT_MAX];
	uint64_t body = v->at[JVM_SYMBOL_BODY];
	size_t got = symbol && body < POOL_BYTES ? jvm_read_some(v, symbol, head, sizeof(head)) : 0;
	uint16_t length;

	if (got < POOL_BYTES / 4)
		return false;
	length = (uint16_t)jvm_word(head, v->at[JVM_SYMBOL_LENGTH], got);
	if (!length || length > TEXT_MAX || body + length > got || memchr(head + body, '\0', length))
		return false;
	buf_put(out, head + body, length);
	return true;
}

/* The name of a class: "java.lang.String"; a hidden one has its own address in it, for which HotSpot writes '/' before it. */
static void put_class(struct buf *out, const char *name, size_t n)
{
	size_t from = out->len;
	char *plus;

	buf_put(out, name, n);
	for (size_t i = from; i < out->len; i++)
		if (out->data[i] == '/')
			out->data[i] = '.';
	plus = memrchr(out->data + from, '+', out->len - from);
	if (plus && out->data + out->len - plus > 3 && plus[1] == '0' && plus[2] == 'x')
		*plus = '/';
}

/* Appends one type of a signature in words, such as "int". Returns the text after it. */
static const char *put_type(struct buf *out, const char *p, const char *end)
{
	static const char *const basic[] = {
		['B'] = "byte", ['C'] = "char", ['D'] = "double", ['F'] = "float", ['I'] = "int", ['J'] = "long", ['S'] = "short",
		['V'] = "void", ['Z'] = "boolean",
	};
	unsigned dimensions = 0;

	for (; p < end && *p == '['; p++)
		dimensions++;
	if (p < end && *p == 'L') {
		const char *from = ++p;

		while (p < end && *p != ';')
			p++;
		put_class(out, from, (size_t)(p - from));
	} else if (p < end && (unsigned char)*p < ARRAY_SIZE(basic) && basic[(unsigned char)*p]) {
		buf_puts(out, basic[(unsigned char)*p]);
	}
	while (dimensions--)
		buf_puts(out, "[]");
	return p < end ? p + 1 : end;
}

static void put_method(struct buf *out, const struct buf *class, const struct buf *name, const struct buf *signature)
{
	const char *p = signature->data, *end = p + signature->len, *close = memrchr(p, ')', signature->len);
	const char *separator = "";

	close = close ? close : end;
	put_type(out, close < end ? close + 1 : end, end);
	buf_putc(out, ' ');
	put_class(out, class->data, class->len);
	buf_putc(out, '.');
	buf_put(out, name->data, name->len);
	buf_putc(out, '(');
	for (p += p < close && *p == '('; p < close; separator = ", ") {
		buf_puts(out, separator);
		p = put_type(out, p, close);
	}
	buf_putc(out, ')');
}

bool jvm_method_bytecode(const struct jvm_structs *v, uint64_t method, struct jvm_bytecode *out)
{
	uint64_t about;
	uint32_t access;
	uint16_t size;

	if (!jvm_read(v, method + v->at[JVM_METHOD_CONST], &about, sizeof(about)) ||
	    !jvm_read(v, method + v->at[JVM_METHOD_ACCESS], &access, sizeof(access)) ||
	    !jvm_read(v, about + v->at[JVM_CONST_CODE], &size, sizeof(size)))
		return false;
	about += v->size[JVM_CONST];
	*out = (struct jvm_bytecode){ about, about + size, access & ACCESS_NATIVE };
	return true;
}

static bool read_pooled(const struct jvm_structs *v, uint64_t pool, uint32_t length, uint64_t number, struct buf *out)
{
	uint64_t at = pool + v->size[JVM_POOL] + number * JVM_WORD, symbol;

	return number && number < length && jvm_read(v, at, &symbol, sizeof(symbol)) && read_symbol(v, symbol, out);
}

bool jvm_method_name(const struct jvm_structs *v, uint64_t method, struct buf *out)
{
	uint8_t of_method[POOL_BYTES] = {0}, of_pool[POOL_BYTES] = {0};
	struct buf class = {0}, name = {0}, signature = {0};
	uint64_t about, pool, class_name;
	uint16_t name_at, signature_at;
	uint32_t length;
	bool known;

	if (!jvm_read(v, method + v->at[JVM_METHOD_CONST], &about, sizeof(about)) ||
	    !jvm_read_some(v, about, of_method, sizeof(of_method)))
		return false;
	pool = jvm_word(of_method, v->at[JVM_CONST_POOL], sizeof(of_method));
	if (!jvm_read_some(v, pool, of_pool, sizeof(of_pool)) ||
	    !jvm_read(v, jvm_word(of_pool, v->at[JVM_POOL_HOLDER], sizeof(of_pool)) + v->at[JVM_KLASS_NAME], &class_name,
		      sizeof(class_name)))
		return false;
	length = jvm_u32(of_pool, v->at[JVM_POOL_LENGTH], sizeof(of_pool));
	name_at = (uint16_t)jvm_word(of_method, v->at[JVM_CONST_NAME], sizeof(of_method));
	signature_at = (uint16_t)jvm_word(of_method, v->at[JVM_CONST_SIGNATURE], sizeof(of_method));
	known = read_symbol(v, class_name, &class) && read_pooled(v, pool, length, name_at, &name) &&
		read_pooled(v, pool, length, signature_at, &signature);
	if (known)
		put_method(out, &class, &name, &signature);
	buf_release(&class);
	buf_release(&name);
	buf_release(&signature);
	return known;
}
