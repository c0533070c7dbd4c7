/*
 * A session that reads on in a recorder's pieces knows the name and the map of each sample. A made up recorder writes processes
 * that live for a moment, with few pids, on two CPUs whose records come late; each sample's address says whose it is. The
 * session holds the processes of some windows at most, and is rarely opened anew.
 */
#include "core/read/session.h"

#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/vec.h"
#include "core/perfdata/data_writer.h"
#include "tests/unit/check.h"

#define PIECES		60u
#define KEPT		7u	/* pieces, and the one that is written */
#define ROUNDS		4u	/* in a piece */
#define STEPS		60u	/* in a round */
#define STEP		1000000u	/* ns */
#define FIRST_PID	100u
#define NR_PIDS		40u
#define CODE		0x400000u
#define CODE_SIZE	0x10000000u
#define ID		7u

struct process { uint32_t serial; bool lives; };		/* serial 0: there was none */

struct world {
	uint64_t state, time;
	uint32_t serials;
	struct process by_pid[NR_PIDS];
	struct buf ring[2];
	VEC(uint64_t) at;		/* the times of all samples */
	struct event_table events;
	struct data_writer *writer;
	char dir[40];
	VEC(char *) paths;		/* of finished pieces */
	unsigned nr_finished;
};

static struct event_table one_event(void)
{
	struct event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = 112, .sample_id_all = 1, .sample_period = 1,
				   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER };
	struct event_table t = {0};

	event_table_add_id(&t, event_table_add(&t, &attr), ID);
	event_table_finish(&t);
	return t;
}

/* ---- records ---- */

static void put(struct world *w, struct buf *b, struct record *r, uint32_t pid, uint64_t time)
{
	r->id.pid = r->id.tid = pid;
	r->id.time = time;
	r->id.id = ID;
	CHECK(!record_append(b, &w->events.events.v[0]->layout, r));
}

static void put_name(struct world *w, struct buf *b, uint32_t pid, uint32_t serial, uint64_t time)
{
	char name[16], path[32];
	struct record comm = { .header = { .type = PERF_RECORD_COMM, .misc = time ? PERF_RECORD_MISC_COMM_EXEC : 0 },
			       .comm = { pid, pid, name } };
	struct record mmap = { .header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER },
			       .mmap = { .pid = pid, .tid = pid, .addr = CODE, .len = CODE_SIZE, .prot = 5, .filename = path } };

	snprintf(name, sizeof(name), "prog-%u", serial);
	snprintf(path, sizeof(path), "/bin/prog-%u", serial);
	put(w, b, &comm, pid, time);
	put(w, b, &mmap, pid, time);
}

static void begin(struct world *w, struct buf *b, unsigned slot)
{
	struct record fork = { .header.type = PERF_RECORD_FORK };

	fork.task = (struct record_task){ .pid = FIRST_PID + slot, .tid = FIRST_PID + slot, .ppid = 1, .ptid = 1, .time = w->time };
	put(w, b, &fork, FIRST_PID + slot, w->time);
	w->by_pid[slot] = (struct process){ ++w->serials, true };
	w->time += 10;
	put_name(w, b, FIRST_PID + slot, w->serials, w->time);
}

static void end(struct world *w, struct buf *b, unsigned slot)
{
	struct record exit = { .header.type = PERF_RECORD_EXIT };

	exit.task = (struct record_task){ .pid = FIRST_PID + slot, .tid = FIRST_PID + slot, .ppid = 1, .ptid = 1, .time = w->time };
	put(w, b, &exit, FIRST_PID + slot, w->time);
	w->by_pid[slot].lives = false;
}

static void put_sample(struct world *w, struct buf *b, unsigned slot)
{
	struct record r = { .header = { .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER } };

	r.sample.id = ID;
	r.sample.ip = CODE + 16 * w->by_pid[slot].serial;
	r.sample.pid = r.sample.tid = FIRST_PID + slot;
	r.sample.time = w->time;
	CHECK(!record_append(b, &w->events.events.v[0]->layout, &r));
	vec_push(&w->at, w->time);
}

/* The first four live long, the others for some steps. */
static void step(struct world *w)
{
	unsigned slot = (unsigned)random_below(&w->state, NR_PIDS);
	struct buf *b = &w->ring[random_below(&w->state, 2)];
	struct process *p = &w->by_pid[slot];

	w->time += STEP;
	if (!p->lives)
		begin(w, b, slot);
	w->time += 10;
	put_sample(w, b, slot);
	w->time += 10;
	if (slot >= 4 && random_below(&w->state, 2))
		end(w, b, slot);
}

/* ---- the recorder ---- */

static void append(struct world *w, struct buf *b)
{
	CHECK(!data_writer_append(w->writer, b->data, b->len));
	b->len = 0;
}

/* The second ring is read when the first has more: that comes with the next round. */
static void write_round(struct world *w)
{
	struct record round = { .header.type = RECORD_FINISHED_ROUND };
	struct buf first = {0};

	for (unsigned i = 0; i < STEPS; i++)
		step(w);
	first = w->ring[0];
	w->ring[0] = (struct buf){0};
	for (unsigned i = 0; i < STEPS / 4; i++)
		step(w);
	append(w, &first);
	append(w, &w->ring[1]);
	CHECK(!record_append(&first, NULL, &round));
	append(w, &first);
	buf_release(&first);
}

/* A piece has all that came before the next one begins with what is there then. */
static void write_rest(struct world *w)
{
	append(w, &w->ring[0]);
	append(w, &w->ring[1]);
}

static char *path_of(const struct world *w, const char *name)
{
	return xasprintf("%s/%s", w->dir, name);
}

static void begin_piece(struct world *w)
{
	char *path = path_of(w, "minute");
	struct buf past = {0};

	CHECK(!data_writer_open(&w->writer, &(struct data_writer_opts){ .path = path }, &w->events));
	for (unsigned slot = 0; slot < NR_PIDS; slot++)
		if (w->by_pid[slot].lives)
			put_name(w, &past, FIRST_PID + slot, w->by_pid[slot].serial, 0);
	if (past.len)
		append(w, &past);
	buf_release(&past);
	free(path);
}

static void finish_piece(struct world *w)
{
	char *path = path_of(w, "minute"), *name = xasprintf("%s/minute.%04u", w->dir, w->nr_finished++);
	struct features f = {0};

	write_rest(w);
	CHECK(!data_writer_finish(w->writer, &f, &w->events));
	data_writer_close(w->writer);
	w->writer = NULL;
	CHECK(!rename(path, name));
	vec_push(&w->paths, name);
	free(path);
	if (w->paths.nr < KEPT)
		return;
	unlink(w->paths.v[0]);
	free(w->paths.v[0]);
	memmove(w->paths.v, w->paths.v + 1, --w->paths.nr * sizeof(*w->paths.v));
}

/* ---- the reader ---- */

struct seen { const struct machine *machine; atomic_ulong nr, named, mapped; };

static void on_sample(void *worker, void *ctx, const struct item *item)
{
	struct seen *seen = ctx;
	const struct map *map = machine_map(seen->machine, item->context->user_space, item->sample->ip);
	char name[16], path[32];
	uint32_t serial = (uint32_t)(item->sample->ip - CODE) / 16;

	(void)worker;
	snprintf(name, sizeof(name), "prog-%u", serial);
	snprintf(path, sizeof(path), "/bin/prog-%u", serial);
	atomic_fetch_add(&seen->nr, 1);
	if (str_eq(item->context->comm, name))
		atomic_fetch_add(&seen->named, 1);
	if (map && str_eq(map->dso->path, path))
		atomic_fetch_add(&seen->mapped, 1);
}

/* Samples since @from up to two rounds before, which have certainly come; or all. */
static size_t nr_since(const struct world *w, size_t from, bool all)
{
	size_t late = all ? 0 : 2 * (STEPS + STEPS / 4);

	return w->at.nr > from + late ? w->at.nr - from - late : 0;
}

static void check(const struct world *w, struct session *s, size_t from, bool all)
{
	struct sample_pass pass = { .worker_size = 1, .sample = on_sample };
	struct seen seen = { .machine = session_machine(s) };

	CHECK(!session_samples(s, &pass, &seen));
	CHECK(seen.named == seen.nr && seen.mapped == seen.nr, "%lu samples, %lu named, %lu mapped after %u pieces", seen.nr,
	      seen.named, seen.mapped, w->nr_finished);
	CHECK(seen.nr >= nr_since(w, from, all) && seen.nr <= w->at.nr - from, "%lu samples of %zu after %u pieces", seen.nr,
	      w->at.nr - from, w->nr_finished);
}

static unsigned read_pieces(struct world *w, struct session **s, size_t from, bool ended)
{
	char *growing = path_of(w, "minute");
	unsigned opened = 0;

	if (!ended)
		vec_push(&w->paths, growing);
	if (!*s || !session_read_on(*s, w->paths.v, w->paths.nr, ended)) {
		struct session_opts opts = { .jobs = 2, .pieces = w->paths.v, .nr_pieces = w->paths.nr, .grows = !ended };

		session_close(*s);
		opened = 1;
		if (session_open(s, NULL, &opts))
			exit(1);
	}
	w->paths.nr -= !ended;
	free(growing);
	check(w, *s, from, ended);
	return opened;
}

static void world_release(struct world *w)
{
	vec_for(path, &w->paths) {
		unlink(*path);
		free(*path);
	}
	vec_free(&w->paths);
	rmdir(w->dir);
	buf_release(&w->ring[0]);
	buf_release(&w->ring[1]);
	vec_free(&w->at);
	event_table_release(&w->events);
}

static void test(uint64_t seed)
{
	struct world w = { .state = seed, .time = 1000, .events = one_event(), .dir = "/tmp/read_on_test.XXXXXX" };
	size_t starts[PIECES] = {0};
	struct session *s = NULL;
	uint32_t most = 0;
	unsigned opened = 0;

	CHECK(mkdtemp(w.dir));
	for (unsigned piece = 0; piece < PIECES; piece++) {
		size_t oldest;

		starts[piece] = w.at.nr;
		begin_piece(&w);
		oldest = starts[piece - w.paths.nr];
		for (unsigned round = 0; round < ROUNDS; round++) {
			write_round(&w);
			if (!random_below(&w.state, 2))
				continue;
			opened += read_pieces(&w, &s, oldest, false);
			most = MAX(most, machine_nr_threads(session_machine(s)));
		}
		finish_piece(&w);
	}
	opened += read_pieces(&w, &s, starts[PIECES - w.paths.nr], true);
	printf("%u processes, opened %u times for %u pieces, %u threads at most\n", w.serials, opened, PIECES, most);
	CHECK(opened <= PIECES / 4, "%u times", opened);
	CHECK(most <= 4 * w.serials * KEPT / PIECES, "%u threads of %u", most, w.serials);
	session_close(s);
	world_release(&w);
}

int main(void)
{
	for (uint64_t seed = 1; seed <= 5; seed++)
		test(seed);
	return nr_failed ? 1 : 0;
}
