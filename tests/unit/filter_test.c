/* Filters: how lists and spans of time are read, and what they let through. */
#include "core/read/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/read/session.h"
#include "core/model/dso.h"
#include "core/perfdata/data_writer.h"
#include "core/perfdata/event_table.h"
#include "core/perfdata/record.h"

#define FROM	1000000000ull	/* of the samples' times, ns */
#define TO	2000000000ull

static int failures;

/* A recording of two samples, which is what spans in percent are cut out of. */
static void write_file(const char *path)
{
	struct event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = ATTR_SIZE_VER7, .sample_id_all = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
	};
	const struct data_writer_opts opts = { .path = path };
	struct event_table events = {0};
	struct features features = {0};
	struct event *ev = event_table_add(&events, &attr);
	struct data_writer *w;

	event_table_finish(&events);
	unlink(path);
	if (data_writer_open(&w, &opts, &events))
		exit(1);
	for (int i = 0; i < 2; i++) {
		struct record rec = {
			.header = { .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER },
			.sample = { .ip = 1, .pid = 5, .tid = 6, .time = i ? TO : FROM },
		};
		struct buf bytes = {0};

		record_append(&bytes, &ev->layout, &rec);
		data_writer_append(w, bytes.data, bytes.len);
		buf_release(&bytes);
	}
	data_writer_finish(w, &features, &events);
	data_writer_close(w);
	event_table_release(&events);
	features_release(&features);
}

struct probe { uint32_t pid, tid, cpu; uint64_t time; const char *comm; };

static bool passes(struct session *s, const struct filter *f, const struct probe *p)
{
	const struct sample sample = { .pid = p->pid, .tid = p->tid, .cpu = p->cpu };
	const struct task_context where = { .comm = p->comm };
	const struct item item = { .event = session_events(s)->events.v[0], .sample = &sample, .context = &where,
				   .time = p->time };

	return filter_item(f, &item);
}

static void expect(struct session *s, const char *what, const struct filter_opts *o, const struct probe *p,
		   bool want)
{
	struct filter *f;

	if (filter_new(&f, o, s)) {
		printf("%s is refused\n", what);
		failures++;
		return;
	}
	if (passes(s, f, p) != want) {
		printf("%s %s\n", what, want ? "leaves out what it should let through" : "lets through too much");
		failures++;
	}
	filter_free(f);
}

#define COMMA ,
#define PASS(o, ...) expect(s, #o, &(struct filter_opts){ o }, &(struct probe){ __VA_ARGS__ }, true)
#define STOP(o, ...) expect(s, #o, &(struct filter_opts){ o }, &(struct probe){ __VA_ARGS__ }, false)

static void test_lists(struct session *s)
{
	PASS(.comms = "a", .comm = "a");
	PASS(.comms = "b,a", .comm = "a");
	STOP(.comms = "b", .comm = "a");
	STOP(.comms = "ab", .comm = "a");
	PASS(.pids = "7,5", .pid = 5, .comm = "");
	STOP(.pids = "7", .pid = 5, .comm = "");
	PASS(.tids = "4194304", .tid = 4194304, .comm = "");
	STOP(.tids = "5", .tid = 6, .pid = 5, .comm = "");
	PASS(.cpus = "0-2,5", .cpu = 5, .comm = "");
	STOP(.cpus = "0-2", .cpu = 3, .comm = "");
	STOP(.comms = "a" COMMA .cpus = "1", .cpu = 2, .comm = "a");
}

static void test_times(struct session *s)
{
	PASS(.time = "1.5,", .time = 1500000000);
	STOP(.time = "1.5,", .time = 1499999999);
	PASS(.time = ",1.5", .time = 1500000000);
	STOP(.time = ",1.5", .time = 1500000001);
	PASS(.time = "1,1.1 1.7,1.8", .time = 1750000000, .comm = "");
	STOP(.time = "1,1.1 1.7,1.8", .time = 1600000000, .comm = "");
	PASS(.time = "10%", .time = FROM);
	STOP(.time = "10%", .time = 1100000000);
	PASS(.time = "10%/2", .time = 1100000000);
	STOP(.time = "10%/2", .time = 1200000000);
	PASS(.time = "10%/10", .time = TO);
	PASS(.time = "20%-30%", .time = 1299999999);
	STOP(.time = "20%-30%", .time = 1300000000);
	PASS(.time = "10%/1,10%/10", .time = TO);
	STOP(.time = "10%/1,10%/10", .time = 1500000000);
	STOP(.time = "0%-100%", .time = 0);
}

static void test_places(struct session *s)
{
	const struct filter_opts o = { .dsos = "libc.so.6,/bin/ls", .symbols = "f,g" };
	const struct dso libc = { .name = "libc.so.6", .path = "/lib/libc.so.6" }, ls = { .name = "ls", .path = "/bin/ls" },
			 other_ls = { .name = "ls", .path = "/usr/bin/ls" };
	struct filter *f;

	if (filter_new(&f, &o, s))
		exit(1);
	if (!filter_names(f, &libc, "f") || !filter_names(f, &ls, "g") || filter_names(f, &other_ls, "g") ||
	    filter_names(f, &libc, "h") || filter_names(f, &libc, NULL) || filter_names(f, NULL, "f") || !filter_has_names(f)) {
		printf("names of places are compared wrong\n");
		failures++;
	}
	filter_free(f);
}

static void test_made_at_run_time(struct session *s)
{
	const struct filter_opts o = { .dsos = "jit" };
	const struct dso map = { .kind = DSO_ANON, .name = "[JIT] tid 7", .path = "/tmp/perf-7.map" },
			 dump = { .kind = DSO_JIT, .name = "jit-7.dump", .path = "/x/jit-7.dump" },
			 python = { .kind = DSO_JIT, .name = "[python]", .path = "[python]" },
			 heap = { .kind = DSO_ANON, .name = "[heap]", .path = "[heap]" },
			 program = { .kind = DSO_USER, .name = "jit", .path = "/bin/jit" };
	struct filter *f;

	if (filter_new(&f, &o, s))
		exit(1);
	if (!filter_names(f, &map, NULL) || !filter_names(f, &dump, "f") || !filter_names(f, &program, "f") ||
	    filter_names(f, &python, "f") || filter_names(f, &heap, NULL)) {
		printf("code made at run time is not what --dsos=jit finds\n");
		failures++;
	}
	filter_free(f);
}

static void test_refused(struct session *s)
{
	static const struct filter_opts bad[] = {
		{ .time = "x" }, { .time = "5" }, { .time = "2,1" }, { .time = "1,2x" }, { .time = "10%/0" },
		{ .time = "10%/11" }, { .time = "30%-20%" }, { .time = "101%" }, { .time = "10%-" },
		{ .time = "99999999999999999999,"}, { .pids = "a" }, { .pids = "5-6" }, { .tids = "4294967296" },
		{ .cpus = "x" }, { .comms = "file:///no/such/file" }, { .comms = "," },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct filter *f;

		if (filter_new(&f, &bad[i], s))
			continue;
		printf("bad filter %zu is accepted\n", i);
		failures++;
		filter_free(f);
	}
}

int main(void)
{
	const struct session_opts so = {0};
	char path[] = "/tmp/filter_test.XXXXXX";
	int fd = mkstemp(path);
	struct session *s;

	if (fd < 0)
		return 1;
	close(fd);
	write_file(path);
	if (session_open(&s, path, &so))
		return 1;
	test_lists(s);
	test_times(s);
	test_made_at_run_time(s);
	test_places(s);
	test_refused(s);
	session_close(s);
	unlink(path);
	return failures ? 1 : 0;
}
