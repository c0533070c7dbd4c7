/*
 * Entries against sums that are too simple to be wrong: random samples with chains are written to a file, and for
 * each entry that a report of it has, all samples are gone through again. For any number of workers.
 */
#include "core/hists/hist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/read/filter.h"
#include "core/read/session.h"
#include "core/perfdata/data_writer.h"
#include "core/perfdata/event_table.h"
#include "core/perfdata/record.h"

#define NR_SAMPLES	1200
#define MAX_DEPTH	9
#define NR_PLACES	12	/* addresses; two dsos of half of them each */
#define NR_TASKS	3

static int failures;

struct fact {			/* a sample as it was written; places innermost first, [0] is its own */
	uint32_t pid, period, cpu, depth, place[MAX_DEPTH];
};

static struct fact facts[NR_SAMPLES];

/* "/no/such/first" at 0x10000 and "/no/such/second" at 0x20000 of each process. */
static uint64_t address(uint32_t place)
{
	return (place < NR_PLACES / 2 ? 0x10000u : 0x20000u) + place * 0x10;
}

static void make_facts(unsigned seed)
{
	srand(seed);
	for (int i = 0; i < NR_SAMPLES; i++) {
		struct fact *f = &facts[i];

		*f = (struct fact){ .pid = 100 + (uint32_t)rand() % NR_TASKS, .period = (uint32_t)rand() % 50,
				    .cpu = (uint32_t)rand() % 3, .depth = 1 + (uint32_t)rand() % (MAX_DEPTH - 1) };
		for (uint32_t d = 0; d < f->depth; d++)
			f->place[d] = (uint32_t)rand() % NR_PLACES;
	}
}

static void append(struct data_writer *w, const struct event *ev, struct record *rec)
{
	struct buf bytes = {0};

	if (record_append(&bytes, &ev->layout, rec) || data_writer_append(w, bytes.data, bytes.len)) {
		printf("cannot write a record\n");
		exit(1);
	}
	buf_release(&bytes);
}

static void append_task(struct data_writer *w, const struct event *ev, uint32_t pid)
{
	static const char *const comms[NR_TASKS] = { "one", "two", "one" };
	struct record comm = { .header.type = PERF_RECORD_COMM, .comm = { pid, pid, comms[pid - 100] } };

	append(w, ev, &comm);
	for (uint64_t i = 1; i <= 2; i++) {
		struct record map = {
			.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER },
			.mmap = { .pid = pid, .tid = pid, .addr = i << 16, .len = 0x1000, .prot = 5,
				  .filename = i == 1 ? "/no/such/first" : "/no/such/second" },
		};

		append(w, ev, &map);
	}
}

static void append_sample(struct data_writer *w, const struct event *ev, const struct fact *f, uint64_t time)
{
	uint64_t chain[MAX_DEPTH + 1] = { PERF_CONTEXT_USER };
	struct record rec = {
		.header = { .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER },
		.sample = { .ip = address(f->place[0]), .pid = f->pid, .tid = f->pid, .time = time, .cpu = f->cpu,
			    .period = f->period, .chain = { f->depth + 1, (const uint8_t *)chain } },
	};

	for (uint32_t d = 0; d < f->depth; d++)
		chain[d + 1] = address(f->place[d]);
	append(w, ev, &rec);
}

static void write_file(const char *path)
{
	struct event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = ATTR_SIZE_VER7, .sample_period = 1, .sample_id_all = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
	};
	const struct data_writer_opts opts = { .path = path };
	struct event_table events = {0};
	struct features features = {0};
	struct event *ev = event_table_add(&events, &attr);
	struct data_writer *w;

	event_table_add_id(&events, ev, 1);
	event_table_finish(&events);
	unlink(path);
	if (data_writer_open(&w, &opts, &events))
		exit(1);
	for (uint32_t i = 0; i < NR_TASKS; i++)
		append_task(w, ev, 100 + i);
	for (int i = 0; i < NR_SAMPLES; i++)
		append_sample(w, ev, &facts[i], 1000 + (uint64_t)i);
	data_writer_finish(w, &features, &events);
	data_writer_close(w);
	event_table_release(&events);
	features_release(&features);
}

/* True if a frame at @place of sample @f has the values of the entry. */
static bool fits(const struct hists *h, const struct entry *e, const struct fact *f, uint32_t place)
{
	const struct layout *l = &h->opts.layout;

	for (unsigned i = 0; i < l->nr_keys; i++) {
		uint64_t value = hists_value(h, e, i);
		struct buf text = {0}, want = {0};
		bool same;

		key_print(l->keys[i], &h->view, value, &text);
		if (str_eq(l->keys[i]->name, "comm"))
			buf_puts(&want, f->pid == 101 ? "two" : "one");
		else if (str_eq(l->keys[i]->name, "dso"))
			buf_puts(&want, place < NR_PLACES / 2 ? "first" : "second");
		else if (str_eq(l->keys[i]->name, "cpu"))
			buf_printf(&want, "%03u", f->cpu);
		else
			buf_printf(&want, place ? "[.] 0x%016x" : "[.] %016x", place * 0x10);
		same = str_eq(buf_str(&text), buf_str(&want));
		buf_release(&text);
		buf_release(&want);
		if (!same)
			return false;
	}
	return true;
}

static struct sums sums_of(const struct hists *h, const struct entry *e)
{
	struct sums s = {0};

	for (const struct fact *f = facts; f < facts + NR_SAMPLES; f++) {
		bool own = fits(h, e, f, f->place[0]), anywhere = own;

		for (uint32_t d = 0; d < f->depth && h->opts.children && !anywhere; d++)
			anywhere = fits(h, e, f, f->place[d]);
		s.period += own ? f->period : 0;
		s.nr += own;
		s.children += anywhere ? f->period : 0;
	}
	return s;
}

static void check_entries(const struct hists *h, const char *sort, unsigned jobs)
{
	const struct hist *hist = &h->list.v[0];
	uint64_t nr = 0;

	for (size_t i = 0; i < hist->sorted.nr; i++) {
		const struct entry *e = &hist->entries.v[hist->sorted.v[i]];
		struct sums want = sums_of(h, e);

		nr += e->sums.nr;
		if (e->sums.nr != want.nr || e->sums.period != want.period || e->sums.children != want.children) {
			printf("-s %s -j%u: entry %zu has %llu samples, period %llu, children %llu; want %llu, %llu, %llu\n",
			       sort, jobs, i, (unsigned long long)e->sums.nr, (unsigned long long)e->sums.period,
			       (unsigned long long)e->sums.children, (unsigned long long)want.nr,
			       (unsigned long long)want.period, (unsigned long long)want.children);
			failures++;
		}
		if (i && hists_weight(h, e) > hists_weight(h, &hist->entries.v[hist->sorted.v[i - 1]])) {
			printf("-s %s -j%u: entry %zu is heavier than the one above\n", sort, jobs, i);
			failures++;
		}
	}
	if (nr != NR_SAMPLES || hist->total.nr != NR_SAMPLES) {
		printf("-s %s -j%u: %llu samples in the entries, %llu in all\n", sort, jobs, (unsigned long long)nr,
		       (unsigned long long)hist->total.nr);
		failures++;
	}
}

static void check(const char *path, const char *sort, bool children, unsigned jobs)
{
	const struct session_opts so = { .jobs = jobs };
	const struct filter_opts none = {0};
	const struct layout_opts lo = { .sort = sort, .children = children };
	struct hists_opts ho = { .slot_ns = 1, .max_depth = 127, .chains = true, .children = children };
	struct session *s;
	struct filter *f;
	struct hists *h;

	ho.tree.caller_first = children;
	if (session_open(&s, path, &so) || filter_new(&f, &none, s) || layout_parse(&ho.layout, &lo))
		exit(1);
	ho.filter = f;
	h = hists_new(s, &ho);
	check_entries(h, sort, jobs);
	hists_free(h);
	filter_free(f);
	session_close(s);
}

int main(void)
{
	static const char *const sorts[] = { "comm,dso,symbol", "symbol", "dso", "comm", "cpu,symbol" };
	char path[] = "/tmp/hist_test.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	for (unsigned seed = 1; seed < 4; seed++) {
		make_facts(seed);
		write_file(path);
		for (size_t i = 0; i < ARRAY_SIZE(sorts); i++)
			for (unsigned jobs = 1; jobs < 4; jobs += 2) {
				check(path, sorts[i], true, jobs);
				check(path, sorts[i], false, jobs);
			}
	}
	unlink(path);
	return failures ? 1 : 0;
}
