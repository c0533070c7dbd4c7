#!/bin/bash
# Wall time has one sum in every view and format, that of the threads' lifetimes, and waits say what for, where, and who held them up.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/page.sh"
. "$(dirname "$0")/lib/tables.sh"
need_events kernel
need python3
CC=${CC:-cc}

# Four threads that hold a mutex nearly all the time, in turn. Prints how long its threads lived, in ns.
cat >server.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
pthread_mutex_t jobs_mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long sum;
static unsigned long lived[4];
static unsigned long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ul + t.tv_nsec;
}
__attribute__((noinline)) void render(void)
{
	struct timespec t = { .tv_nsec = 2000000 };
	for (int i = 0; i < 200000; i++) sum += i;
	nanosleep(&t, NULL);
	sum++;
}
__attribute__((noinline)) void take_job(void)
{
	pthread_mutex_lock(&jobs_mutex);
	render();
	pthread_mutex_unlock(&jobs_mutex);
	sum++;
}
static void *worker(void *x)
{
	unsigned long from = now();
	pthread_setname_np(pthread_self(), "worker");
	for (int i = 0; i < 40; i++) take_job();
	*(unsigned long *)x = now() - from;
	return NULL;
}
int main(void)
{
	pthread_t t[4];
	unsigned long from = now(), all;
	for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, worker, &lived[i]);
	for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
	all = now() - from;
	for (int i = 0; i < 4; i++) all += lived[i];
	printf("%lu\n", all);
	return 0;
}
END
"$CC" -O1 -g -fno-omit-frame-pointer -pthread -o server server.c
"$PREC" record --off-cpu --off-cpu-args --call-graph auto -F 999 -o in.data ./server >lived 2>err || skip "waits cannot be recorded: $(head -1 err)"
# From fork or exec to exit, as the kernel says; the program cannot count its own exec and end.
truth=$("$PREC" script -i in.data -D 2>/dev/null | awk '
	/PERF_RECORD_COMM exec: server:/ { sub(".*/", "", $NF); begin[$NF] = $2 }
	/PERF_RECORD_FORK/ && $2 { match($NF, /:[0-9]+/); begin[substr($NF, RSTART + 1, RLENGTH - 1)] = $2 }
	/PERF_RECORD_EXIT/ { match($NF, /:[0-9]+/); tid = substr($NF, RSTART + 1, RLENGTH - 1); if (tid in begin) lived += $2 - begin[tid] }
	END { printf "%.0f", lived }')
awk -v kernel="$truth" -v own="$(<lived)" 'BEGIN { exit !(kernel >= own) }' || fail "the threads lived $truth ns, and count $(<lived) themselves"

# is_long WHAT NS: as long as the threads lived; is_all: and exactly what report has.
is_long() {
	printf '%s: %.3f %%\n' "$1" "$(awk -v a="$2" -v b="$truth" 'BEGIN { print 100 * a / b }')"
	expect_near "wall time of $1" "$truth" "$2" 1
}
is_all() {
	all=${all:-$2}
	expect "wall time of $1" "$all" "$2"
	is_long "$@"
}
query() {	# STATEMENT: rows, cells separated by "|"
	"$PREC" query --csv "$1" in.data 2>/dev/null | sed '1d; s/,/|/g' | tr -d '\r'
}
wall() {	# FORMAT FILE
	"$PREC" export --wall -i in.data --format "$1" -o "$2" 2>/dev/null
}
is_all report "$("$PREC" report --wall -i in.data --stdio --no-children -g none -s pid -F period -t, 2>/dev/null | awk '/^ *[0-9]/ { n += $1 } END { printf "%.0f", n }')"
is_all summary "$("$PREC" summary --wall -i in.data --json 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["period"])')"
wall folded out.folded
is_all folded "$(awk '{ n += $NF } END { printf "%.0f", n }' out.folded)"
wall callgrind out.callgrind
is_all callgrind "$(sed -n 's/^summary: //p' out.callgrind)"
wall jsonl out.jsonl
wall speedscope out.json
wall csv out.csv
wall chrome out.trace.json
python3 - >sums <<'END'
import csv, json
print("jsonl", sum(r.get("period", 0) for r in map(json.loads, open("out.jsonl"))))
print("speedscope", sum(w for p in json.load(open("out.json"))["profiles"] for w in p["weights"]))
print("csv", sum(int(r["period"]) for r in csv.DictReader(open("out.csv"))))
print("chrome", sum(e["args"]["period"] for e in json.load(open("out.trace.json"))["traceEvents"] if e.get("cat") == "sample"))
END
while read -r format sum; do
	is_all "$format" "$sum"
done <sums
if has_tables; then
	wall parquet out.parquet
	is_all parquet "$(duckdb "select sum(period) from 'out.parquet'")"
fi
if command -v go >/dev/null; then
	wall pprof out.pb.gz
	is_all pprof "$(HOME=$WORK PPROF_TMPDIR=$WORK GOFLAGS=-mod=mod GOTOOLCHAIN=local go tool pprof -raw out.pb.gz 2>/dev/null |
		awk '/^ +[0-9]+ +[0-9]+: / { sub(":", "", $2); n += $2 } END { printf "%.0f", n }')"
fi
wall html out.html
wall svg out.svg
wall firefox out.json.gz
is_long firefox "$(python3 -c 'import gzip, json
print("%.0f" % (1e6 * sum(sum(t["samples"]["weight"]) for t in json.load(gzip.open("out.json.gz"))["threads"])))')"
is_long "the flame graph" "$(sed -n 's/.*<title>\([0-9.]*\) %, \([0-9.]*\) s: .*/\1 \2/p' out.svg | sort -rn | head -1 |
	awk '{ printf "%.0f", $2 / $1 * 1e11 }')"
if command -v chromium >/dev/null; then
	is_all "the page" "$(page_sum out.html view=flame | cut -d' ' -f1)"
fi
if command -v tmux >/dev/null; then
	. "$SRC/tests/shell/lib/tmux.sh"
	at_end 'end_terminal'
	start_terminal 80x24
	keys "$PREC report --wall -i in.data" Enter
	await 20 shows 's of wall time'
	is_long "the browser" "$(screen | sed -n '1s/.*samples, \([0-9.]*\) s of wall time.*/\1/p' | awk '{ printf "%.0f", $1 * 1e9 }')"
	keys q
fi
is_all diff "$("$PREC" diff --wall --json in.data in.data 2>/dev/null | python3 -c '
import json, sys
print("%.0f" % (json.load(sys.stdin)[0]["total"]["a"]))')"

# Waits as rows of SQL are the part of wall time that threads did not run, with what for.
"$PREC" report --wall -i in.data --stdio --no-children -g none -s state,reason -F period,state,reason -t, 2>/dev/null |
	awk -F, '/^ *[0-9]/ { gsub(" ", ""); if ($2 == "running") on += $1; else off += $1
		if ($2 == "sleeping") reason[$3] += $1 }
		END { printf "%.0f %.0f\n", on, off; for (i in reason) print i }' >parts
read -r on off <parts
is_all "running, and query's waits" "$((on + $(query "SELECT sum(duration) FROM waits")))"
expect "waits of query" "$off" "$(query "SELECT sum(duration) FROM waits")"
expect "reasons of query" "$(sed 1d parts | sort)" "$(query "SELECT DISTINCT reason FROM waits WHERE state = 'sleeping'" | sort)"
for table in samples sums; do
	expect "samples on the CPU in $table" "$("$PREC" report -i in.data -e cpu-clock --stdio -g none --no-children -s pid -F period -t, 2>/dev/null |
		awk '/^ *[0-9]/ { n += $1 } END { print n }')" "$(query "SELECT sum(period) FROM $table WHERE event GLOB 'cpu-clock*'")"
done

# Time that a thread waits for a lock ends when it is woken, everywhere.
lock_time() {	# VIEW, then a command whose lines are numbers: their sum is the time of waits for the lock
	expect "the time of waits for the lock in $1" "$waited" "$("${@:2}" 2>/dev/null | awk '{ n += $1 } END { printf "%.0f", n }')"
}
report_lock() {	# KEYS OPTION...
	"$PREC" report -i in.data --stdio --no-children -g none -F "period,$1" -s "$1" -t, "${@:2}" | grep 'jobs_mutex'
}
waited=$(awk '/\[waiting: lock jobs_mutex\]/ { n += $NF } END { printf "%.0f", n }' out.folded)
[ "$(query "SELECT count(*) > 0 FROM waits WHERE state = 'ready'")" = 1 ] || fail "no thread waited for a CPU after its wake-up"
for keys in lock lock,holder state,reason,lock; do
	lock_time "report -s $keys" report_lock "$keys" -e offcpu-time
	lock_time "report --wall -s $keys" report_lock "$keys" --wall
done
lock_time waits query "SELECT sum(duration) FROM waits WHERE lock IS NOT NULL"
expect "the time of waits for the lock in @locks" "$waited" "$(query @locks | awk -F'|' '{ n += $NF } END { printf "%.0f", n }')"
expect "waits for futexes in summary" "$(query "SELECT sum(duration) FROM waits WHERE reason = 'futex'")" \
	"$("$PREC" summary -i in.data -e offcpu-time --json 2>/dev/null |
		python3 -c 'import json, sys; print(*(r["period"] for r in json.load(sys.stdin)["reasons"] if r["name"] == "futex"))')"
expect "the share of waits for the lock in summary" \
	"$(query "SELECT printf('%.2f', 100.0 * $waited / sum(period)) FROM sums WHERE event IN (SELECT name FROM events WHERE shown)")" \
	"$("$PREC" summary -i in.data 2>/dev/null | awk '/waiting: lock jobs_mutex/ { print $1; exit }')"

# What for, where, held by whom.
expect "the lock in query, and the thread that ended each wait for it" 'jobs_mutex|1' \
	"$(query "SELECT lock, min(holder GLOB '*worker/*') FROM waits WHERE lock IS NOT NULL GROUP BY lock")"
expect "waits for the lock outside take_job in query" 0 "$(query "SELECT count(*) FROM waits WHERE lock IS NOT NULL AND NOT EXISTS
	(SELECT 1 FROM frames WHERE frames.stack = waits.stack AND frames.symbol = 'take_job')")"
! [ -e out.parquet ] || expect "waits for the lock outside take_job in parquet" 0 "$(duckdb "select count(*) from 'out.parquet'
	where list_contains(stack, '[waiting: lock jobs_mutex]') and not list_contains(stack, 'take_job')")"
for file in out.folded out.jsonl out.json out.csv out.callgrind out.trace.json; do
	grep -F '[waiting: lock jobs_mutex]' $file >/dev/null || fail "$file has no lock"
	grep -F '[held by worker]' $file >/dev/null || fail "$file has no holder"
done
grep -F 'waiting: lock' out.svg >/dev/null || fail "the flame graph has no lock"
expect "where the lock is waited for" '' "$(grep -F '[waiting: lock jobs_mutex]' out.folded | grep -v ';take_job;' || true)"
expect "functions of the kernel in waits" '' "$(grep -F '[waiting: ' out.folded | grep -E 'schedule|futex_do_wait|do_syscall' || true)"
grep -E ';render;.*\[waiting: sleep\] ' out.folded >/dev/null || fail "no sleep in render: $(<out.folded)"
grep -E ';main;.*\[waiting: join\] ' out.folded >/dev/null || fail "no join in main: $(<out.folded)"

# The first lines of summary have it.
"$PREC" summary -i in.data 2>/dev/null | sed -n 2,5p >head
grep -E '^ +[3-7][0-9]\.[0-9]+ %  .*waiting: lock jobs_mutex, in take_job, held by worker' head >/dev/null || fail "the head of summary: $(<head)"

# The page has a wait at all of the time that it lasted, as waiting: of one thread that mostly sleeps, every 10 ms are 10 ms.
if command -v chromium >/dev/null; then
	cat >naps.c <<'END'
#include <time.h>
static void nap(long ms)
{
	struct timespec t = { .tv_nsec = ms * 1000000 };
	nanosleep(&t, NULL);
}
int main(void)
{
	for (int i = 0; i < 4; i++) {
		nap(100);
		nap(200);
	}
	return 0;
}
END
	"$CC" -O1 -g -o naps naps.c
	"$PREC" record -g --off-cpu --off-cpu-args -o in.data ./naps >says 2>err || fail "record: $(<err)"
	wall html naps.html
	WORK=$WORK PYTHONPATH=$SRC/tests/lib PYTHONDONTWRITEBYTECODE=1 python3 - <<'END' || fail "see above"
import re
from chromium import Chromium

# By column of pixels of a canvas from @1 px on, at most @2 px high: how many are filled, and how many mostly with full colour.
FILLED = '''((name, left, high) => {
	const canvas = document.getElementById(name), ratio = devicePixelRatio, width = canvas.width - left * ratio, rows = Math.round(high * ratio);
	const alpha = canvas.getContext("2d").getImageData(left * ratio, 0, width, rows).data.filter((_, i) => i %% 4 === 3);
	const columns = least => [...Array(width).keys()].filter(x => [...Array(rows).keys()].filter(y => alpha[y * width + x] > least).length > rows / 2);
	return [columns(20).length / width, columns(200).length / width];
})(%s)'''
UNITS = {'ns': 1e-6, '\u00b5s': 1e-3, 'ms': 1, 's': 1e3}
wrong = []


def check(what, ok, got):
	if not ok:
		wrong.append('%s: %s' % (what, got))


def ms(text):
	number, unit = re.match(r'([\d.]+)\s*(\S+)', text).groups()
	return float(number) * UNITS[unit]


browser = Chromium()
try:
	browser.show('naps.html', view='timeline')
	check('the legend', 'off the CPU' in browser.text('#legend') and 'on a CPU' in browser.text('#legend'), browser.text('#legend'))
	for canvas, left, high in (('picture', 190, 22), ('overview', 0, 18)):
		filled, full = browser.evaluate(FILLED % ('"%s", %d, %d' % (canvas, left, high)))
		check('columns of the %s that are filled, and with full colour' % canvas, filled > .95 and full < .05, (filled, full))
	browser.show('naps.html', view='timeline', form='heat map')
	sums = [ms(row['cells'][1][0]) for row in browser.rows('#text tbody tr')]
	column = 10 if len(sums) > 115 else 100	# of 2 s and more, after a slow start
	check('columns of the heat map', len(sums) >= 1200 / column - 5, len(sums))
	check('time in each column', all(.8 * column < n < 1.2 * column for n in sums[len(sums) // 4:-len(sums) // 10]), sums)
	browser.show('naps.html', view='timeline', form='stacks')
	naps = [ms(row['cells'][2][0]) for row in browser.rows('#text tbody tr') if row['cells'][0][0] == '[waiting: sleep]']
	check('naps in the stacks, some of them together', 1190 < sum(naps) < 1600, naps)
	for begin in (.15, .33, .77):
		browser.show('naps.html', view='table', **{'from': '%.2f' % begin, 'to': '%.2f' % (begin + .04)})
		part = float(browser.evaluate('document.body.dataset.sum')) / 1e6
		check('time from %.2f to %.2f s' % (begin, begin + .04), 38 < part < 42, part)
finally:
	browser.close()
print('\n'.join(wrong))
raise SystemExit(bool(wrong))
END
else
	part_skipped 'the timeline of the page: no chromium'
fi
