#!/bin/bash
# The first screen of the page, 1280 by 800, has the cause of each trouble: those of summaries, waits for a lock, forks, long names, Java, Python.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/troubles.sh"
need chromium
need python3
need strip
need_events kernel
CC=${CC:-cc} CXX=${CXX:-c++}

: >wanted
# shows WHAT FILE REGEX...: all of them are seen when the page of the recording opens.
shows() {
	local what=$1 file=$2
	shift 2
	"$PREC" export -q -i "$file" $wall -o "$file$wall.html"
	for regex; do printf '%s\t%s\t%s\n' "$what" "$file$wall.html" "$regex" >>wanted; done
}
wall=

make_sample_troubles
shows "an idle machine" idle.data '95\.00 %.*(swapper|idle) 0'
shows "lost samples" lost.data '300 .*lost'
shows "throttling" throttled.data 'stopped sampling 3 times'

make_cpu_troubles
shows "a hot loop" hot.data '[6-9][0-9]\.[0-9]+ %[^%]* hot_loop|100\.00 %[^%]* hot_loop'
shows "one bad thread" thread.data '[6-9][0-9]\.[0-9]+ %[^%]* greedy [0-9]'
shows "a storm of page faults" faults.data 'touch_pages' '(exc|handle|asm)_[a-z_]*fault'

if make_code_troubles; then
	shows "broken stacks" broken.data 'call chains .*(without frame pointers|no frame pointer)' 'record --call-graph auto'
	shows "missing symbols" stripped.data '[89][0-9]\.[0-9]+ %[^%]* stripped@0x[0-9a-f]+|100\.00 %[^%]* stripped@0x' 'samples have no symbol: .*stripped.*stripped' 'report --unresolved lists all files'
else
	part_skipped "broken stacks and missing symbols: code of x86 is made here"
fi

# The server's threads wait for its mutex while one of them renders.
cat >server.c <<'END'
#include <pthread.h>
#include <time.h>
pthread_mutex_t jobs_mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long sum;
__attribute__((noinline)) void render(void) { struct timespec t = { .tv_nsec = 2000000 }; for (int i = 0; i < 200000; i++) sum += i; nanosleep(&t, NULL); sum++; }
__attribute__((noinline)) void take_job(void) { pthread_mutex_lock(&jobs_mutex); render(); pthread_mutex_unlock(&jobs_mutex); sum++; }
static void *worker(void *x) { for (int i = 0; i < 40; i++) take_job(); return x; }
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
	return 0;
}
END
if make_wait_troubles; then
	shows "a lock" lock.data '% off the CPU' 'waiting: (futex|condition|lock)[^%]*, in (take_turns|waiter)'
	shows "a slow system call" syscall.data 'waiting: pipe, in (slow_read|wait_in_read)'
	"$CC" -O1 -g -fno-omit-frame-pointer -pthread -o server server.c
	record_trouble server.data --off-cpu --off-cpu-args --call-graph auto -F 999 ./server
	shows "a server that waits for a lock" server.data '[7-9][0-9]\.[0-9]+ % off the CPU' 'waiting: lock jobs_mutex, in take_job, held by server'
	wall=--wall
	shows "the server's time by the wall" server.data 'jobs_mutex[^%]*, in take_job'
	wall=
else
	part_skipped "waits: switches cannot be recorded here"
fi

printf '%s\n' 'for i in {1..200}; do /bin/true; done' 'for i in {1..20}; do echo $i | gzip -9 >/dev/null; done' >forks.sh
record_trouble forks.data -g bash forks.sh
shows "a script that forks" forks.data 'true, [0-9]+ processes' 'gzip, [0-9]+ processes' '[0-9.]+ %  +[0-9.]+ m?s  +[0-9.]+ m?s  +true x [0-9]+'

cat >long.cc <<'END'
#include <functional>
#include <map>
#include <string>
#include <vector>
namespace company { namespace storage { namespace detail {
template <class K, class V, class C = std::less<K>> struct index_of_records {
	std::map<K, std::vector<V>, C> rows;
	__attribute__((noinline)) void insert_record(const K &k, const V &v) { rows[k].push_back(v); }
	__attribute__((noinline)) unsigned lookup_all(unsigned n) { unsigned s = 0; for (volatile unsigned i = 0; i < n; i = i + 1) s += i * rows.size(); return s; }
};
} } }
int main()
{
	company::storage::detail::index_of_records<std::string, std::pair<std::string, std::vector<int>>> index;
	for (int i = 0; i < 2000; i++) index.insert_record("key" + std::to_string(i % 97), { "value" + std::to_string(i), { 1, 2, 3 } });
	return index.lookup_all(300000000) == 7;
}
END
if $CXX -O1 -g -fno-omit-frame-pointer long.cc -o long 2>/dev/null; then
	record_trouble long.data -g -F 997 ./long
	shows "long names" long.data '[6-9][0-9]\.[0-9]+ %[^%]* [a-z:.<>_]*lookup_all'
else
	part_skipped "long names: no compiler of C++"
fi

cat >Main.java <<'END'
public class Main {
	static long collatz(long from, long to) { long sum = 0; for (long i = from; i < to; i++) for (long n = i; n != 1; sum++) n = (n & 1) == 0 ? n / 2 : 3 * n + 1; return sum; }
	public static void main(String[] words) { long sum = 0; for (int i = 0; i < 60; i++) sum += collatz(1, 60000); System.out.println(sum); }
}
END
if command -v javac >/dev/null && javac Main.java 2>/dev/null && "$PREC" record -q --call-graph auto --off-cpu -o java.data java -cp . Main >/dev/null 2>&1; then
	shows "Java" java.data '%[^%]* long Main\.collatz'
else
	part_skipped "Java: none here"
fi

cat >work.py <<'END'
def tally(n):
    counts = {}
    for i in range(n):
        counts[i % 97] = counts.get(i % 97, 0) + 1
    return counts
tally(8000000)
END
python=$(python3 -c 'import sys; print(sys.executable)')
if "$PREC" record -q --call-graph auto --off-cpu -o python.data "$python" work.py >/dev/null 2>&1 && "$PREC" report -q -i python.data --stdio 2>/dev/null | grep tally >/dev/null; then
	shows "Python" python.data '%[^%]* tally \(work\.py\)'
else
	part_skipped "Python: its frames cannot be recorded here"
fi

export WORK
PYTHONPATH=$SRC/tests/lib PYTHONDONTWRITEBYTECODE=1 python3 - <<'END' || fail "see above"
import re
from chromium import Chromium

# The text of what is within the window, a line of the view a line.
SEEN = '''(() => {
	const lines = new Map(), walk = document.createTreeWalker(document.getElementById("view"), NodeFilter.SHOW_TEXT);
	for (let node; (node = walk.nextNode());) {
		const range = document.createRange();
		range.selectNodeContents(node);
		const box = range.getBoundingClientRect(), block = node.parentNode.closest("tr, .finding > div, p, h2, summary, pre");
		if (box.width && box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth)
			lines.set(block, (lines.get(block) || "") + " " + node.data);
	}
	return [...lines.values()].join("\\n");
})()'''
wrong, checked, browser = 0, 0, Chromium()
try:
	for line in open('wanted'):
		what, file, regex = line.rstrip('\n').split('\t')
		browser.call('Emulation.setDeviceMetricsOverride', width=1280, height=800, deviceScaleFactor=1, mobile=False)
		browser.show(file, view='summary')
		text = browser.evaluate(SEEN)
		checked += 1
		if not re.search(regex, text):
			wrong += 1
			print('%s: no %s in\n%s' % (what, regex, text))
	# A telephone shows each tab without scrolling.
	browser.call('Emulation.setDeviceMetricsOverride', width=390, height=844, deviceScaleFactor=1, mobile=True)
	browser.show('idle.data.html', view='summary')
	hidden = browser.evaluate('''[...document.querySelectorAll("#tabs button")].filter(tab => {
		const box = tab.getBoundingClientRect();
		return box.left < 0 || box.right > innerWidth;
	}).map(tab => tab.textContent).join(", ")''')
	checked += 1
	if hidden:
		wrong += 1
		print('tabs that are not seen at 390 pixels: ' + hidden)
finally:
	browser.close()
print('%d looked for, %d not there' % (checked, wrong))
raise SystemExit(wrong > 0)
END
