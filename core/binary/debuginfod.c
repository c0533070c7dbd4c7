/*
 * Downloads debug information and binaries by build id from debuginfod servers. It calls libdebuginfod, which dlopen() loads at the
 * first request.
 */
#include "core/binary/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/ui/finding.h"
#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/util.h"
#include "core/binary/build_id.h"

#define LIBRARY		"libdebuginfod.so.1"
#define PATIENCE	15	/* seconds without data after which a download is given up; DEBUGINFOD_TIMEOUT overrides it */

/* As elfutils/debuginfod.h (since 0.180) declares them: debuginfod_find_debuginfo(3). */
typedef struct debuginfod_client client_t;
typedef int find_fn(client_t *c, const unsigned char *id, int size, char **path);
typedef int progress_fn(client_t *c, long done, long total);

struct library {
	client_t *(*begin)(void);
	void (*end)(client_t *c);
	find_fn *find[2];		/* by enum debuginfod_file */
	void (*set_progress)(client_t *c, progress_fn *fn);
	void (*set_data)(client_t *c, void *data);
};

struct debuginfod {
	pthread_mutex_t lock;
	struct library library;
	void *handle;			/* from dlopen(); NULL: the library is not loaded */
	client_t *client;
	bool tried;			/* loading the library was tried */
	char *failed;			/* the reason why servers are no longer asked; owned; NULL: none */
	/* State of the current request: */
	const char *name;
	long done;
	uint64_t since;			/* when .done last grew, ns */
	bool stalled;
};

struct debuginfod *debuginfod_new(void)
{
	struct debuginfod *d = xcalloc(1, sizeof(*d));

	pthread_mutex_init(&d->lock, NULL);
	return d;
}

void debuginfod_free(struct debuginfod *d)
{
	if (!d)
		return;
	if (d->client)
		d->library.end(d->client);
	/* The library stays loaded, because libraries that it uses keep threads and memory. */
	pthread_mutex_destroy(&d->lock);
	free(d->failed);
	free(d);
}

static long patience(void)
{
	const char *given = getenv("DEBUGINFOD_TIMEOUT");
	long seconds = given ? strtol(given, NULL, 10) : 0;

	return seconds > 0 ? seconds : PATIENCE;
}

/* Called by the library about once a second. If it returns a value other than 0, the library ends the download. */
static int on_progress(client_t *c, long done, long total)
{
	void *handle = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
	void *(*data)(client_t *) = NULL;
	struct debuginfod *d;

	if (!handle)
		return 1;
	*(void **)&data = dlsym(handle, "debuginfod_get_user_data");
	dlclose(handle);
	d = data ? data(c) : NULL;
	if (!d)
		return 1;
	if (done > d->done) {
		d->done = done;
		d->since = now_ns();
	}
	progress(d->name, (uint64_t)MAX(done, 0), (uint64_t)MAX(total, 0), PROGRESS_BYTES);
	d->stalled = (now_ns() - d->since) / 1000000000 >= (uint64_t)patience();
	return d->stalled;
}

/* ---- loading it ---- */

static bool find_functions(struct library *l, void *handle)
{
	const struct { const char *name; void *to; } functions[] = {
		{ "debuginfod_begin", &l->begin }, { "debuginfod_end", &l->end },
		{ "debuginfod_find_debuginfo", &l->find[DEBUGINFOD_DEBUG] },
		{ "debuginfod_find_executable", &l->find[DEBUGINFOD_IMAGE] },
		{ "debuginfod_set_progressfn", &l->set_progress }, { "debuginfod_set_user_data", &l->set_data },
	};

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		void *symbol = dlsym(handle, functions[i].name);

		if (!symbol)
			return false;
		memcpy(functions[i].to, &symbol, sizeof(symbol));
	}
	return true;
}

/* Under the lock. */
static void load(struct debuginfod *d)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	d->tried = true;
	if (!servers || !*servers) {
		d->failed = xstrdup("no server is named: DEBUGINFOD_URLS is not set");
		return;
	}
	d->handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!d->handle)
		d->failed = xstrdup(LIBRARY " is not installed (Debian: libdebuginfod1; Fedora: elfutils-debuginfod-client)");
	else if (!find_functions(&d->library, d->handle))
		d->failed = xstrdup(LIBRARY " is too old");
	else
		d->client = d->library.begin();
	if (d->client) {
		d->library.set_data(d->client, d);
		d->library.set_progress(d->client, on_progress);
	} else if (!d->failed) {
		d->failed = xstrdup(LIBRARY " does not start");
	}
}

/* ---- asking ---- */

/* Sets .failed if the servers cannot be reached, because other requests would wait, too. An error for one file is no failure. */
static void note_failure(struct debuginfod *d, int err)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	if (d->stalled)
		d->failed = xasprintf("'%s' sent nothing for %ld s", servers ? servers : "", patience());
	else if (err != -ENOENT && err != -ENOSYS)
		d->failed = xasprintf("'%s': %s", servers ? servers : "", strerror(-err));
}

/* Requests a file. Call it with the lock held. */
static char *request(struct debuginfod *d, enum debuginfod_file what, const struct build_id *id, const char *name)
{
	static const char *const kinds[] = { [DEBUGINFOD_DEBUG] = "debug information", [DEBUGINFOD_IMAGE] = "program" };
	char *path = NULL;
	int fd;

	d->name = "asking debuginfod";
	d->done = 0;
	d->since = now_ns();
	d->stalled = false;
	fd = d->library.find[what](d->client, id->data, id->size, &path);
	progress_end();
	if (fd >= 0) {
		close(fd);
		debug(1, "'%s': debuginfod has its %s: '%s'", name, kinds[what], path);
		return path;
	}
	note_failure(d, fd);
	debug(1, "'%s': no %s by debuginfod: %s", name, kinds[what], d->stalled ? "it is too slow" : strerror(-fd));
	return NULL;
}

char *debuginfod_find(struct debuginfod *d, enum debuginfod_file what, const struct build_id *id, const char *name)
{
	char *path = NULL;

	if (!d || !id->size)
		return NULL;
	pthread_mutex_lock(&d->lock);
	if (!d->tried)
		load(d);
	if (!d->failed)
		path = request(d, what, id, name);
	pthread_mutex_unlock(&d->lock);
	return path;
}

void debuginfod_findings(struct debuginfod *d, struct findings *out)
{
	if (d && d->failed)
		findings_add(out, FINDING_DEBUGINFOD, 1, 0, d->failed);
}
