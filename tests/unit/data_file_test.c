/*
 * Opening files: what the writer wrote comes back; cut anywhere, with any word damaged, as a directory or through a
 * pipe, a file opens or is refused with a message, and nothing is read outside it. With PREC_CORPUS, others' files too.
 */
#include "core/perfdata/data_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/perfdata/data_writer.h"
#include "core/perfdata/own_sections.h"
#include "core/perfdata/record.h"
#include "core/perfdata/recording_path.h"
#include "tests/lib/swap.h"
#include "tests/unit/check.h"

#define NR_RECORDS	20

static struct event_table two_events(void)
{
	struct event_attr attr = { .type = 1, .size = 144, .sample_id_all = 1, .sample_period = 1,
				   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER };
	struct event_table t = {0};

	for (uint64_t i = 0; i < 2; i++) {
		struct event *ev;

		attr.config = 2 * i;
		ev = event_table_add(&t, &attr);
		event_table_add_id(&t, ev, 100 + i);
		event_table_add_id(&t, ev, 200 + i);
	}
	event_table_finish(&t);
	return t;
}

static void put_records(struct data_writer *w, const struct event_table *t)
{
	struct buf b = {0};

	for (uint64_t i = 0; i < NR_RECORDS; i++) {
		struct record r = { .header.type = PERF_RECORD_SAMPLE };

		r.sample.id = 100 + i % 2;
		r.sample.ip = i;
		CHECK(!record_append(&b, &t->events.v[0]->layout, &r));
		CHECK(!data_writer_append(w, b.data, b.len));
		b.len = 0;
	}
	CHECK(data_writer_size(w) == NR_RECORDS * 40);
	buf_release(&b);
}

/* One record, in three pieces. */
static void put_more(struct data_writer *w, const struct event_table *t)
{
	struct record r = { .header.type = PERF_RECORD_SAMPLE };
	struct buf b = {0};
	uint64_t calls = data_writer_calls(w);
	struct iovec parts[3];

	CHECK(!record_append(&b, &t->events.v[0]->layout, &r));
	parts[0] = (struct iovec){ b.data, 8 };
	parts[1] = (struct iovec){ b.data + 8, 1 };
	parts[2] = (struct iovec){ b.data + 9, b.len - 9 };
	CHECK(!data_writer_appendv(w, parts, 3) && data_writer_calls(w) == calls + 1);
	buf_release(&b);
}

static void write_file(const char *path, bool finish)
{
	struct event_table t = two_events();
	struct features f = { .has = { [FEATURE_HOSTNAME] = true, [FEATURE_EVENT_DESC] = true, [FEATURE_STAT] = true,
				       [FEATURE_OFF_CPU] = true, [FEATURE_BOOT_ID] = true }, .off_cpu = OFF_CPU_EVENT };
	struct data_writer *w;

	f.hostname = xstrdup("here");
	f.boot_id = xstrdup("this boot");
	unlink(path);
	CHECK(!data_writer_open(&w, &(struct data_writer_opts){ .path = path }, &t));
	put_records(w, &t);
	if (finish)
		CHECK(!data_writer_finish(w, &f, &t));
	data_writer_close(w);
	features_release(&f);
	event_table_release(&t);
}

static unsigned records_of(const struct data_file *f)
{
	unsigned nr = 0;

	for (uint64_t at = f->data_offset; at + 8 <= f->data_offset + f->data_size;) {
		struct record r;
		uint16_t size;

		memcpy(&size, f->map + at + 6, 2);
		if (size < 8 || size > f->data_offset + f->data_size - at)
			break;
		if (!record_read(&r, f->map + at, f->events.events.nr ? &f->events.events.v[0]->layout : NULL))
			nr++;
		at += size;
	}
	return nr;
}

static void whole_file(void)
{
	struct data_file *f;

	write_file("whole", true);
	CHECK(!data_file_open(&f, "whole"));
	CHECK(f->events.events.nr == 2 && f->events.ids.nr == 4 && event_by_id(&f->events, 201) == f->events.events.v[1]);
	CHECK(records_of(f) == NR_RECORDS && !data_file_cut(f) && !f->swap && !f->stream && !f->findings.list.nr);
	CHECK_TEXT(f->features.hostname, "here");
	CHECK_TEXT(f->events.events.v[1]->name, "page-faults");
	CHECK(f->events.events.v[0]->attr.size == 128, "what perf 6.1 reads");
	data_file_close(f);
}

static void spit(const char *path, const struct buf *b, size_t n)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	CHECK(fd >= 0 && !write_all(fd, b->data, n));
	close(fd);
}

/* prec's own sections: no bit of the header is theirs, and where they are gone, nothing else is. */
static void own_sections(void)
{
	struct own_trailer t;
	struct own_entry first;
	struct data_file *f;
	struct buf b = {0};
	uint64_t bits[FEATURE_BITS / 64];

	CHECK(!data_file_open(&f, "whole") && f->features.off_cpu == OFF_CPU_EVENT);
	CHECK_TEXT(f->features.boot_id, "this boot");
	data_file_close(f);
	CHECK(!read_file("whole", &b));
	memcpy(bits, b.data + 72, sizeof(bits));
	CHECK(!bits[3], "bits from %d on", FEATURE_OWN);
	memcpy(&t, b.data + b.len - sizeof(t), sizeof(t));
	CHECK(t.magic == OWN_SECTIONS_MAGIC && t.nr == 2 && t.file_size == b.len);
	memcpy(&first, b.data + t.table, sizeof(first));
	CHECK(first.number == FEATURE_OFF_CPU);
	spit("cut", &b, b.len - 1);
	CHECK(!data_file_open(&f, "cut") && f->findings.list.nr == 1 && !f->features.boot_id);
	data_file_close(f);
	spit("cut", &b, first.offset - 8);
	CHECK(!data_file_open(&f, "cut") && !f->findings.list.nr && !f->features.boot_id && records_of(f) == NR_RECORDS);
	CHECK_TEXT(f->features.hostname, "here");
	data_file_close(f);
	memset(b.data + t.table + 8, 0xff, 8);
	spit("damaged", &b, b.len);
	CHECK(!data_file_open(&f, "damaged") && f->findings.list.nr == 1 && !f->features.boot_id);
	CHECK_TEXT(f->features.hostname, "here");
	data_file_close(f);
	buf_release(&b);
}

/* As recordings had them before: here HOSTNAME's and EVENT_DESC's bits, and STAT's, which has no bytes, made BOOT_ID's. */
static void own_section_of_the_header(void)
{
	struct section { uint64_t offset, size; } table[3];
	struct data_file *f;
	struct buf b = {0};
	uint64_t bits[FEATURE_BITS / 64], data[2];

	CHECK(!read_file("whole", &b));
	memcpy(bits, b.data + 72, sizeof(bits));
	memcpy(data, b.data + 40, sizeof(data));
	memcpy(table, b.data + data[0] + data[1], sizeof(table));
	bits[0] &= ~(1ull << FEATURE_STAT);
	bits[FEATURE_BOOT_ID / 64] |= 1ull << FEATURE_BOOT_ID % 64;
	table[2] = table[0];
	memcpy(b.data + 72, bits, sizeof(bits));
	memcpy(b.data + data[0] + data[1], table, sizeof(table));
	spit("older", &b, b.len);
	CHECK(!data_file_open(&f, "older") && !f->findings.list.nr && f->features.off_cpu == OFF_CPU_EVENT);
	CHECK_TEXT(f->features.boot_id, "here");
	data_file_close(f);
	buf_release(&b);
}

static void killed_recorder(void)
{
	struct data_file *f;

	write_file("killed", false);
	CHECK(!data_file_open(&f, "killed"));
	CHECK(data_file_cut(f) && records_of(f) == NR_RECORDS && f->events.events.nr == 2);
	data_file_close(f);
}

/* A file that ends anywhere is refused, or all its whole records are there. */
static void cut_anywhere(void)
{
	struct buf b = {0};
	struct data_file *f;
	uint64_t opened = 0;

	CHECK(!read_file("whole", &b));
	for (size_t n = 0; n < b.len; n += n < 600 ? 1 : 13) {
		spit("cut", &b, n);
		if (data_file_open(&f, "cut"))
			continue;
		opened++;
		CHECK(records_of(f) == MIN((n - f->data_offset) / 40, NR_RECORDS), "cut at %zu", n);
		CHECK(data_file_cut(f) == (n < f->data_offset + NR_RECORDS * 40), "cut at %zu", n);
		data_file_close(f);
	}
	CHECK(opened > 50);
	buf_release(&b);
}

static void damaged_anywhere(void)
{
	static const uint64_t hurting[] = { 0, 1, 0xff, UINT32_MAX, UINT64_MAX, UINT64_MAX - 7, 1ull << 63 };
	struct buf b = {0};
	struct data_file *f;

	CHECK(!read_file("whole", &b));
	for (size_t at = 0; at + 8 <= b.len; at += 8) {
		for (size_t i = 0; i < ARRAY_SIZE(hurting); i++) {
			uint64_t was;

			memcpy(&was, b.data + at, 8);
			memcpy(b.data + at, &hurting[i], 8);
			spit("damaged", &b, b.len);
			if (!data_file_open(&f, "damaged")) {
				records_of(f);
				data_file_close(f);
			}
			memcpy(b.data + at, &was, 8);
		}
	}
	buf_release(&b);
}

static void other_byte_order(void)
{
	struct buf b = {0};
	struct data_file *f;

	CHECK(!read_file("whole", &b));
	foreign_file((uint8_t *)b.data, b.len);
	spit("foreign", &b, b.len);
	CHECK(!data_file_open(&f, "foreign"));
	CHECK(f->swap && f->events.events.nr == 2 && event_by_id(&f->events, 201) == f->events.events.v[1]);
	CHECK(f->events.events.v[1]->attr.config == 2 && f->events.events.v[1]->attr.sample_id_all);
	CHECK_TEXT(f->features.hostname, "here");
	CHECK_TEXT(f->features.boot_id, "this boot");
	CHECK(f->features.has[FEATURE_STAT]);
	data_file_close(f);
	buf_release(&b);
}

static void other_kinds_of_path(void)
{
	struct data_file *f;
	struct buf b = {0};
	int fds[2];
	char path[64];

	CHECK(data_file_open(&f, "missing") == -1);
	CHECK(!mkdir("dir", 0700) && data_file_open(&f, "dir") == -1, "a directory without data");
	CHECK(!read_file("whole", &b));
	spit("dir/data", &b, b.len);
	CHECK(!data_file_open(&f, "dir") && records_of(f) == NR_RECORDS);
	CHECK_TEXT(f->path, "dir/data");
	data_file_close(f);
	CHECK(!pipe(fds) && !write_all(fds[1], b.data, b.len));
	close(fds[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	CHECK(!data_file_open(&f, path) && records_of(f) == NR_RECORDS, "through a pipe");
	data_file_close(f);
	close(fds[0]);
	buf_release(&b);
}

/* Of an append that does not fit the file keeps the whole records; a later one that fits goes there. */
static void full_disk(unsigned records_fit)
{
	struct event_table t = two_events();
	struct record_header records[512];
	struct rlimit was, limit;
	struct data_writer *w;
	struct data_file *f;
	uint64_t end;
	int full = open("/dev/full", O_RDWR);

	CHECK(data_writer_open(&w, &(struct data_writer_opts){ .path = "/dev/full", .fd = full }, &t) == -1);
	close(full);
	CHECK(data_writer_open(&w, &(struct data_writer_opts){ .path = "no/such/dir" }, &t) == -1);
	unlink("limited");
	CHECK(!data_writer_open(&w, &(struct data_writer_opts){ .path = "limited" }, &t));
	put_records(w, &t);
	end = data_writer_offset(w);
	signal(SIGXFSZ, SIG_IGN);
	CHECK(!getrlimit(RLIMIT_FSIZE, &was));
	for (size_t i = 0; i < ARRAY_SIZE(records); i++)
		records[i] = (struct record_header){ .type = i % 5 ? 0 : PERF_RECORD_SAMPLE, .size = i % 5 ? 8 : 40 };
	limit = (struct rlimit){ .rlim_cur = end + 1000, .rlim_max = was.rlim_max };
	CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
	CHECK(data_writer_append(w, records, sizeof(records)) == -EFBIG);
	CHECK(!setrlimit(RLIMIT_FSIZE, &was));
	end += records_fit * 40ul;
	CHECK(data_writer_kept_samples(w) == records_fit);
	CHECK(data_writer_offset(w) == end && data_writer_size(w) == (NR_RECORDS + records_fit) * 40);
	CHECK(!data_file_open(&f, "limited") && f->size == end && records_of(f) == NR_RECORDS + records_fit);
	data_file_close(f);
	put_more(w, &t);
	CHECK(!data_writer_kept_samples(w));
	data_writer_close(w);
	CHECK(!data_file_open(&f, "limited") && records_of(f) == NR_RECORDS + records_fit + 1);
	data_file_close(f);
	event_table_release(&t);
}

static void old_file_is_kept(void)
{
	struct event_table t = two_events();
	struct data_writer *w;

	write_file("again", true);
	recording_keep_old("again");
	CHECK(!data_writer_open(&w, &(struct data_writer_opts){ .path = "again" }, &t));
	data_writer_close(w);
	CHECK(!access("again.old", R_OK));
	event_table_release(&t);
}

/* ---- others' files ---- */

static unsigned open_all(const char *dir, bool must)
{
	struct dirent **names;
	int nr = scandir(dir, &names, NULL, alphasort);
	unsigned opened = 0;

	for (int i = 0; i < nr; i++) {
		char *path = xasprintf("%s/%s", dir, names[i]->d_name);
		struct data_file *f;
		struct stat st;

		if (names[i]->d_name[0] == '.' || stat(path, &st)) {
			;
		} else if (S_ISDIR(st.st_mode)) {
			opened += open_all(path, must);
		} else if (!data_file_open(&f, path)) {
			opened++;
			records_of(f);
			CHECK(!must || f->stream || f->events.events.nr, "%s", path);
			CHECK(!must || !f->findings.list.nr, "%s", path);
			data_file_close(f);
		} else {
			CHECK(!must, "%s", path);
		}
		free(names[i]);
		free(path);
	}
	if (nr >= 0)
		free(names);
	return opened;
}

static void corpus(const char *dir)
{
	static const char *const readable[] = { "hotspot", "linux-perf-data", "perfparser", "quipper" };
	char *path;

	for (size_t i = 0; i < ARRAY_SIZE(readable); i++) {
		path = xasprintf("%s/%s", dir, readable[i]);
		CHECK(open_all(path, true) > 1, "%s", path);
		free(path);
	}
	path = xasprintf("%s/quipper_corpus", dir);
	open_all(path, false);
	free(path);
}

int main(void)
{
	const char *others = getenv("PREC_CORPUS");
	char dir[] = "/tmp/prec-test-XXXXXX";

	CHECK(mkdtemp(dir) && !chdir(dir));
	CHECK(freopen("messages", "w", stderr) != NULL);
	whole_file();
	own_sections();
	own_section_of_the_header();
	killed_recorder();
	cut_anywhere();
	damaged_anywhere();
	other_byte_order();
	other_kinds_of_path();
	full_disk(25);	/* of 1000 bytes */
	old_file_is_kept();
	if (others)
		corpus(others);
	else
		puts("no PREC_CORPUS: others' files were not opened");
	CHECK(!chdir("/"));
	if (!nr_failed && !fork()) {
		execlp("rm", "rm", "-rf", dir, NULL);
		_exit(127);
	}
	return checks_done();
}
