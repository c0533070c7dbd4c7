/*
 * ptgen -o OUT [-k] [-n INSTRUCTIONS] [-s SET]... -- PROGRAM [ARG...]: make Intel PT traces of a known execution.
 *
 * Runs the program by single steps, notes each instruction, and encodes the notes as a processor would that traces
 * user space. Writes OUT.img and OUT.maps (the code, in the form of /proc/PID/maps), and for each set N of options
 * OUT.N.pt (the trace), OUT.N.exp (the address of each instruction traced, one a line), OUT.N.times (when it ran, in TSC
 * ticks), OUT.N.opt (the set), OUT.N.pebs (a line for each PEBS record: tests/trace/pt_pebs.h), OUT.N.events (for each
 * interrupt: tests/trace/pt_notices.h).
 * A set is a list such as psb=2048,long-tnt,cyc: see pt_encode_parse(). Without one: psb=2048.
 * With -k all addresses have the high bits set: the program's code, which must not know where it is, stands for a kernel's.
 * Exit status 77: the system does not let it trace.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/x86/insn.h"
#include "core/arch.h"
#include "core/base/hash.h"
#include "tests/trace/pt_encode.h"
#include "tests/trace/pt_notices.h"
#include "tests/trace/pt_pebs.h"

struct note {
	uint64_t ip;
	uint64_t from;		/* not 0: a signal came in front of this address, and led here */
};

struct range {
	uint64_t from, to;
	size_t at;		/* in image */
};

struct log {
	VEC(struct note) notes;
	uint64_t after;			/* where the program would have gone on */
	VEC(struct range) ranges;	/* executable mappings when the program ended */
	struct buf image;		/* their bytes */
};

/* --- Running ---------------------------------------------------------------- */

static uint64_t ip_of(pid_t pid)
{
#ifdef __x86_64__
	return ptrace(PTRACE_PEEKUSER, pid, offsetof(struct user_regs_struct, rip), 0);
#else
	fprintf(stderr, "ptgen: process %d is not of x86-64\n", pid);
	exit(1);
#endif
}

/* The instruction at @ip, which is a branch if it cannot be read. */
static struct insn peek_insn(pid_t pid, uint64_t ip)
{
	struct insn insn = { .kind = INSN_JUMP_INDIRECT };
	uint64_t code[2] = { 0 };

	for (int i = 0; i < 2; i++)
		code[i] = (uint64_t)ptrace(PTRACE_PEEKTEXT, pid, ip + 8 * (uint64_t)i, 0);
	if (x86_insn(&insn, (const uint8_t *)code, sizeof(code), 64))
		insn.kind = INSN_JUMP_INDIRECT;
	return insn;
}

/*
 * Some virtual machines do not stop after an instruction that their host executes for them, such as cpuid, but after the next one.
 * Adds those between @ip and @after, if @ip is no branch.
 */
static void add_missed(struct log *log, pid_t pid, uint64_t ip, uint64_t after)
{
	struct insn insn = peek_insn(pid, ip);

	for (unsigned i = 0; i < 4 && insn.kind == INSN_OTHER && ip + insn.size != after; i++) {
		ip += insn.size;
		vec_push(&log->notes, (struct note){ ip, 0 });
		insn = peek_insn(pid, ip);
	}
}

static void copy_range(struct log *log, int mem, uint64_t from, uint64_t to)
{
	char *room = buf_room(&log->image, to - from);
	ssize_t n = pread(mem, room, to - from, from);

	if (n <= 0)
		return;
	vec_push(&log->ranges, (struct range){ from, from + n, log->image.len });
	log->image.len += n;
}

/* The code of the program, while it still exists. */
static void copy_code(struct log *log, pid_t pid)
{
	char *maps_name = xasprintf("/proc/%d/maps", pid), *mem_name = xasprintf("/proc/%d/mem", pid), line[4096];
	FILE *maps = fopen(maps_name, "r"), *mem = fopen(mem_name, "r");
	unsigned long from, to;
	char x;

	while (maps && mem && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*c%*c%c", &from, &to, &x) == 3 && x == 'x')
			copy_range(log, fileno(mem), from, to);
	if (maps)
		fclose(maps);
	if (mem)
		fclose(mem);
	free(maps_name);
	free(mem_name);
}

static void child(char **argv)
{
	personality(ADDR_NO_RANDOMIZE);
	if (ptrace(PTRACE_TRACEME, 0, 0, 0))
		_exit(77);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

/* Step the program to its end, or for @most instructions. Returns 0, or an exit status. */
static int run(struct log *log, char **argv, uint64_t most)
{
	uint64_t ip, signal_from = 0, after;
	bool again = false;	/* an instruction with REP, which stops after each turn but is one */
	int status = 0, sig = 0;
	pid_t pid = fork();

	if (!pid)
		child(argv);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL);
	for (ip = ip_of(pid); log->notes.nr < most; ip = after) {
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, sig) || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
			return 1;
		after = ip_of(pid);
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8)) {
			vec_push(&log->notes, (struct note){ ip, signal_from });
			break;
		}
		/* With a signal the step ends at the handler's first instruction, which has not run. */
		if (sig && after != ip) {
			signal_from = ip;
			sig = 0;
			continue;
		}
		sig = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		if (sig && after == ip)
			continue;
		if (!again || signal_from)
			vec_push(&log->notes, (struct note){ ip, signal_from });
		if (!sig && after != ip)
			add_missed(log, pid, ip, after);
		again = after == ip;
		signal_from = 0;
		log->after = after;
	}
	copy_code(log, pid);
	kill(pid, SIGKILL);
	ptrace(PTRACE_CONT, pid, 0, 0);		/* a program that stopped while it ends does not see the signal */
	waitpid(pid, &status, 0);
	return 0;
}

#define KERNEL_START 0xffff800000000000

/* Whatever refers to other code does so by its distance, which stays. */
static void move_to_kernel(struct log *log)
{
	vec_for(n, &log->notes) {
		n->ip |= KERNEL_START;
		n->from |= n->from ? KERNEL_START : 0;
	}
	vec_for(r, &log->ranges) {
		r->from |= KERNEL_START;
		r->to |= KERNEL_START;
	}
	log->after |= KERNEL_START;
}

/* --- Encoding --------------------------------------------------------------- */

struct decoded {
	uint64_t ip;
	struct insn insn;
};

struct code {
	const struct log *log;
	struct index index;
	VEC(struct decoded) insns;
};

static const uint8_t *bytes_at(const struct log *log, uint64_t ip, size_t *n)
{
	vec_for(r, &log->ranges)
		if (ip >= r->from && ip < r->to) {
			*n = r->to - ip;
			return (const uint8_t *)log->image.data + r->at + (ip - r->from);
		}
	return NULL;
}

/* The instruction at @ip; NULL where its code is not there any more. */
static const struct insn *insn_at(struct code *c, uint64_t ip)
{
	uint64_t h = hash_u64(ip);
	struct decoded d = { .ip = ip };
	const uint8_t *p;
	uint32_t pos;
	size_t n;

	for (size_t i = h; (pos = index_at(&c->index, i, h)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && c->insns.v[pos].ip == ip)
			return &c->insns.v[pos].insn;
	p = bytes_at(c->log, ip, &n);
	if (!p || x86_insn(&d.insn, p, n, 64))
		return NULL;
	index_add(&c->index, h, c->insns.nr);
	vec_push(&c->insns, d);
	return &c->insns.v[c->insns.nr - 1].insn;
}

/* The addresses that a decoder must find. */
struct expected {
	struct buf text;
	VEC(uint64_t) times;	/* of each line, in TSC ticks */
	size_t proven;		/* of text.len: what the packets so far tell; an overflow takes the rest away */
	size_t times_proven;	/* of times.nr */
	struct buf pebs, events;
};

static void prove(struct expected *expected)
{
	expected->proven = expected->text.len;
	expected->times_proven = expected->times.nr;
}

/* True if the instruction makes a packet that shows that it was reached. */
static bool proves(const struct insn *insn)
{
	return insn->kind == INSN_COND || insn->kind == INSN_RET || insn->kind == INSN_JUMP_INDIRECT ||
	       insn->kind == INSN_CALL_INDIRECT;
}

static void encode_pebs(struct pt_encoder *e, struct expected *expected, uint64_t next)
{
	pt_encode_flush(e);
	pt_pebs_write(e, &expected->pebs, next);
}

/* Now and then what follows cuts a PEBS record. */
static void encode_cut_pebs(struct pt_encoder *e, struct expected *expected)
{
	if (!e->o.pebs || !pt_encode_happens(e, 3))
		return;
	pt_encode_flush(e);
	pt_pebs_begin(e, &expected->pebs);
}

static void encode_notices(struct pt_encoder *e, struct expected *expected, uint64_t next)
{
	bool notices = pt_encode_happens(e, e->o.notices), cfe = pt_encode_happens(e, e->o.cfe);

	if (!notices && !cfe)
		return;
	pt_encode_flush(e);
	if (notices)
		pt_notices_write(e, next);
	pt_encode_flush(e);
	if (cfe)
		pt_notices_interrupt(e, &expected->events, next);
}

/* After instruction @i: what may happen before the next. Returns how many after it are lost. */
static size_t encode_between(struct pt_encoder *e, const struct log *log, size_t i, struct expected *expected)
{
	uint64_t next = log->notes.v[i + 1].ip;
	size_t lost, places = e->places;

	pt_encode_tick(e);
	if (pt_encode_happens(e, e->o.async)) {
		pt_encode_interrupt(e, next);
		pt_encode_enter(e, next);
	}
	if (pt_encode_happens(e, e->o.pebs))
		encode_pebs(e, expected, next);
	encode_notices(e, expected, next);
	if (pt_encode_psb_is_due(e))
		encode_cut_pebs(e, expected);
	pt_encode_sync(e, next);
	if (pt_encode_happens(e, e->o.plus))
		pt_encode_any_psb(e, next);
	if (e->places != places)	/* the program got as far as the next instruction */
		prove(expected);
	if (!pt_encode_happens(e, e->o.overflow))
		return 0;
	lost = MIN(log->notes.nr - i - 2, 1 + pt_encode_random(e, 100));
	for (size_t k = 0; k <= lost; k++)
		if (log->notes.v[i + 1 + k].from)	/* no overflow over a signal */
			return 0;
	encode_cut_pebs(e, expected);
	pt_encode_overflow(e, log->notes.v[i + 1 + lost].ip);
	expected->text.len = expected->proven;
	expected->times.nr = expected->times_proven;
	return lost;
}

/* The program was stopped after the instruction; @after: where a branch had gone. */
static void encode_last(struct pt_encoder *e, const struct insn *insn, uint64_t ip, uint64_t after)
{
	if (insn->kind == INSN_OTHER) {
		pt_encode_interrupt(e, ip + insn->size);
		return;
	}
	pt_encode_insn(e, insn, ip, after);
	pt_encode_interrupt(e, after);
}

static int encode(struct code *c, const struct pt_encode_options *o, struct pt_encoder *e, struct expected *expected)
{
	const struct log *log = c->log;

	pt_encode_start(e, o);
	for (size_t i = 0; i < log->notes.nr; i++) {
		const struct note *n = &log->notes.v[i];
		bool last = i + 1 == log->notes.nr;
		const struct insn *insn = insn_at(c, n->ip);

		if (!insn) {
			fprintf(stderr, "ptgen: no code at %lx\n", (long)n->ip);
			return -1;
		}
		if (n->from && e->enabled)
			pt_encode_interrupt(e, n->from);
		if (!e->enabled) {
			prove(expected);
			pt_encode_enter(e, n->ip);
		}
		vec_push(&expected->times, e->tsc);
		buf_hex(&expected->text, n->ip, 0);
		buf_putc(&expected->text, '\n');
		if (proves(insn))
			prove(expected);
		if (last && insn->kind < INSN_FAR_CALL)
			encode_last(e, insn, n->ip, log->after);
		else if (pt_encode_insn(e, insn, n->ip, last ? 0 : n[1].from ? n[1].from : n[1].ip) && !n[1].from)
			i += encode_between(e, log, i, expected);
	}
	pt_encode_flush(e);
	return 0;
}

/* --- Options and files ------------------------------------------------------ */

static int write_file(const char *base, int set, const char *suffix, const char *data, size_t n)
{
	char *name = set ? xasprintf("%s.%d.%s", base, set, suffix) : xasprintf("%s.%s", base, suffix);
	FILE *f = fopen(name, "w");
	int err = !f || fwrite(data, 1, n, f) != n;

	if (f)
		err |= fclose(f);
	if (err)
		perror(name);
	free(name);
	return err ? -1 : 0;
}

static int write_code(const struct log *log, const char *base)
{
	struct buf maps = { 0 };
	char *path = realpath(".", NULL);
	int err;

	vec_for(r, &log->ranges)
		buf_printf(&maps, "%lx-%lx r-xp %08lx 00:00 1 %s%s%s.img\n", (long)r->from, (long)r->to, (long)r->at,
			   base[0] == '/' ? "" : path, base[0] == '/' ? "" : "/", base);
	err = write_file(base, 0, "maps", maps.data, maps.len) || write_file(base, 0, "img", log->image.data, log->image.len);
	buf_release(&maps);
	free(path);
	return err ? -1 : 0;
}

static int write_set(struct code *c, const char *base, int nr, const char *set)
{
	struct pt_encode_options o;
	struct pt_encoder e = { 0 };
	struct expected expected = { 0 };
	int err = pt_encode_parse(&o, set) || encode(c, &o, &e, &expected) ||
		  write_file(base, nr, "pt", e.out.data, e.out.len) ||
		  write_file(base, nr, "exp", expected.text.data, expected.text.len) ||
		  write_file(base, nr, "opt", set, strlen(set));

	expected.text.len = 0;
	vec_for(tsc, &expected.times) {
		buf_dec(&expected.text, *tsc, 0);
		buf_putc(&expected.text, '\n');
	}
	if (!err)
		err = write_file(base, nr, "times", expected.text.data, expected.text.len) ||
		      (o.pebs && write_file(base, nr, "pebs", expected.pebs.data, expected.pebs.len)) ||
		      (o.cfe && write_file(base, nr, "events", expected.events.data, expected.events.len));
	buf_release(&expected.pebs);
	buf_release(&expected.events);
	pt_encode_release(&e);
	buf_release(&expected.text);
	vec_free(&expected.times);
	return err ? -1 : 0;
}

int main(int argc, char **argv)
{
	VEC(const char *) sets = { 0 };
	struct log log = { 0 };
	struct code code = { .log = &log };
	const char *base = NULL;
	uint64_t most = 10000000;
	bool kernel = false;
	int c, err;

	while ((c = getopt(argc, argv, "+ko:n:s:")) != -1) {
		switch (c) {
		case 'k': kernel = true; break;
		case 'o': base = optarg; break;
		case 'n': most = strtoull(optarg, NULL, 0); break;
		case 's': vec_push(&sets, optarg); break;
		default: return 2;
		}
	}
	if (!base || optind == argc) {
		fprintf(stderr, "usage: ptgen -o OUT [-k] [-n INSTRUCTIONS] [-s SET]... -- PROGRAM [ARG...]\n");
		return 2;
	}
	if (!sets.nr)
		vec_push(&sets, "psb=2048");
	err = run(&log, argv + optind, most);
	if (err)
		return err;
	if (kernel)
		move_to_kernel(&log);
	err = write_code(&log, base);
	for (size_t i = 0; !err && i < sets.nr; i++)
		err = write_set(&code, base, i + 1, sets.v[i]);
	printf("%zu instructions\n", log.notes.nr);
	index_release(&code.index);
	vec_free(&code.insns);
	vec_free(&log.notes);
	vec_free(&log.ranges);
	buf_release(&log.image);
	vec_free(&sets);
	return err ? 1 : 0;
}
