/*
 * Replaces private words of a recording by meaningless ones. A directory becomes a number (d1/prog). If names are private too,
 * each name becomes a hash with a random key. redact.h shows examples.
 */
#include "core/perfdata/redact.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/intern.h"
#include "core/base/util.h"
#include "core/base/vec.h"

#define HASH_DIGITS	12

struct redactor {
	bool names;
	uint64_t key[2];
	struct strtab *strings;		/* all texts that were returned, and the names of directories */
	VEC(const char *) directories;	/* by number; interned */
	struct index by_directory;
};

struct redactor *redactor_new(bool names)
{
	struct redactor *r = xcalloc(1, sizeof(*r));

	r->names = names;
	r->strings = strtab_new();
	if (getrandom(r->key, sizeof(r->key), 0) != sizeof(r->key))
		r->key[0] = (uintptr_t)r;
	return r;
}

void redactor_free(struct redactor *r)
{
	if (!r)
		return;
	strtab_free(r->strings);
	vec_free(&r->directories);
	index_release(&r->by_directory);
	free(r);
}

/* The number of a directory, from 1 on. */
static uint32_t number_of(struct redactor *r, const char *path, size_t n)
{
	const char *directory = n ? intern_n(r->strings, path, n) : intern(r->strings, "");
	uint64_t hash = hash_u64((uintptr_t)directory);

	index_for(pos, &r->by_directory, hash)
		if (r->directories.v[pos] == directory)
			return pos + 1;
	index_add(&r->by_directory, hash, (uint32_t)r->directories.nr);
	vec_push(&r->directories, directory);
	return (uint32_t)r->directories.nr;
}

static uint64_t keyed_hash(const struct redactor *r, const char *text)
{
	uint64_t hash = r->key[0];

	for (; *text; text++)
		hash = hash_pair(hash ^ (uint8_t)*text, r->key[1]);
	return hash_pair(hash, r->key[0]);
}

static const char *hashed(struct redactor *r, const char *name)
{
	char text[HASH_DIGITS + 2];

	snprintf(text, sizeof(text), "h%0*llx", HASH_DIGITS,
		 (unsigned long long)(keyed_hash(r, name) & ((1ull << 4 * HASH_DIGITS) - 1)));
	return intern(r->strings, text);
}

static const char *kept(struct redactor *r, struct buf *b)
{
	const char *text = intern(r->strings, buf_str(b));

	buf_release(b);
	return text;
}

/* True for a name such as "jit-42.dump", by which readers recognize a jitdump. */
static bool is_jitdump(const char *base)
{
	return str_starts(base, "jit-") && strlen(base) > 9 && str_eq(base + strlen(base) - 5, ".dump");
}

static void put_path(struct redactor *r, const char *path, struct buf *out)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	buf_printf(out, "d%u/%s", number_of(r, path, (size_t)(base - path)),
		   r->names && !is_jitdump(base) ? hashed(r, base) : base);
}

const char *redact_source(struct redactor *r, const char *path)
{
	struct buf b = {0};

	put_path(r, path, &b);
	return kept(r, &b);
}

const char *redact_mapped(struct redactor *r, const char *path)
{
	static const char *const kernels[] = { "//anon", "/anon_hugepage", "/dev/zero", "/SYSV", "anon_inode:" };
	struct buf b = {0};

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
		if (str_starts(path, kernels[i]))
			return intern(r->strings, kernels[i]);
	if (str_starts(path, "[anon:"))
		return intern(r->strings, "[anon:]");
	if (*path == '[' || !*path)
		return intern(r->strings, path);
	/* The path has no private words, only the number of the process. */
	if (str_starts(path, "/tmp/perf-") && str_eq(path + strlen(path) - 4, ".map"))
		return intern(r->strings, path);
	if (str_starts(path, "/memfd:"))
		buf_printf(&b, "/memfd:%u", number_of(r, path, strlen(path)));
	else if (*path == '/') {
		buf_putc(&b, '/');
		put_path(r, path, &b);
	} else {
		buf_printf(&b, "f%u", number_of(r, path, strlen(path)));
	}
	return kept(r, &b);
}

/* Keeps only the last part of words that are paths. */
static const char *without_paths(struct redactor *r, const char *name)
{
	struct buf b = {0};

	while (*name) {
		size_t n = strcspn(name, " \t"), from = 0;

		for (size_t i = 0; i < n; i++)
			if (name[i] == '/')
				from = i + 1;
		buf_put(&b, name + from, n - from);
		name += n;
		for (; *name == ' ' || *name == '\t'; name++)
			buf_putc(&b, *name);
	}
	return kept(r, &b);
}

const char *redact_function(struct redactor *r, const char *name, bool made_at_run_time)
{
	if (r->names)
		return hashed(r, name);
	return made_at_run_time ? without_paths(r, name) : intern(r->strings, name);
}

const char *redact_thread(struct redactor *r, const char *name)
{
	return r->names ? hashed(r, name) : intern(r->strings, name);
}

const char *redact_cgroup(struct redactor *r, const char *path)
{
	struct buf b = {0};

	buf_printf(&b, "/%u", number_of(r, path, strlen(path)));
	return kept(r, &b);
}
