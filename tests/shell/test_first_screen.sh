#!/bin/bash
# The cause is on the first screen of summary, report and the page: locks, forks, long C++ names, Java, Python; five lines at most stand above it.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
at_end 'end_terminal'
need_events kernel
CC=${CC:-cc}
CXX=${CXX:-c++}
start_terminal 80x24

# on_first WHAT COMMAND REGEX: a row on the screen has it, and at most five lines stand above the first row.
has_rows() {
	first=$(screen | grep -n -m 1 -E '^ *[0-9]+\.[0-9]+ ?%' | cut -d: -f1) || true
	[ -n "$first" ]
}
on_first() {
	local first
	keys "clear; $PREC $2" Enter
	await 30 shows "$3"
	await 20 has_rows	# the browser draws again when names come
	[ "$first" -le 6 ] || fail "$1: $((first - 1)) lines are above the first row: $(screen)"
	shows '^ready>' || keys q
	await 20 shows '^ready>'
}

# in_page WHAT REGEX OPTION...: in what a window of 1280x800 shows of the page of the recording, without scrolling.
in_page() {
	command -v chromium >/dev/null || return 0
	"$PREC" export -q -i data "${@:3}" -o page.html 2>/dev/null
	sed -i 's/<meta http-equiv="Content-Security-Policy"[^>]*>//' page.html
	cat >>page.html <<-'END'
	<script>
	const look = () => {
		if (!document.querySelector("[data-ready]"))
			return setTimeout(look, 50);
		const seen = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
		for (let node = walk.nextNode(); node; node = walk.nextNode()) {
			range.selectNode(node);
			const box = range.getBoundingClientRect();
			if (node.data.trim() && box.width && box.top >= 0 && box.bottom <= innerHeight && node.parentElement.tagName !== "SCRIPT")
				seen.push(node.data.trim().replace(/\s+/g, " "));
		}
		document.body.dataset.seen = seen.join(" | ");
	};
	look();
	</script>
	END
	chromium --headless=new --no-sandbox --disable-gpu --no-first-run --window-size=1280,800 --user-data-dir="$WORK/chromium" \
		--virtual-time-budget=60000 --dump-dom "file://$PWD/page.html" 2>/dev/null | grep -o 'data-seen="[^"]*"' >seen || true
	grep -E -- "$2" seen >/dev/null || fail "$1: the page's first screen: $(<seen)"
}

cat >server.c <<'E2'
#include <pthread.h>
#include <time.h>
static pthread_mutex_t jobs_mutex = PTHREAD_MUTEX_INITIALIZER;
static __attribute__((noinline)) void render(void) { struct timespec t = { .tv_nsec = 2000000 }; nanosleep(&t, NULL); __asm__ volatile(""); }
static __attribute__((noinline)) void take_job(void)
{
	pthread_mutex_lock(&jobs_mutex);
	render();
	pthread_mutex_unlock(&jobs_mutex);
	__asm__ volatile("");
}
static void *worker(void *x) { for (int i = 0; i < 40; i++) take_job(); return x; }
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
	return 0;
}
E2
$CC -O1 -g -fno-omit-frame-pointer -pthread -o server server.c
if "$PREC" record -q --off-cpu --off-cpu-args --call-graph auto -o data ./server 2>/dev/null; then
	on_first "a lock" "summary -i data" 'waiting: lock jobs_mutex, in take_job'
	for options in '' ' --wall'; do
		on_first "a lock" "report -i data$options" 'waiting: lock jobs_mutex'
	done
	keys "clear; $PREC report -i data" Enter
	await 20 shows 'wall-time: [0-9]* samples, .* of wall time'
	await 20 shows '% .*waiting: lock jobs_mutex'
	shows 'Tab cpu-clock' || fail "no key leads to the samples on the CPU: $(screen)"
	shows '% .* take_job' || fail "the function that waits is not on the first screen: $(screen)"
	keys Tab
	await 20 shows 'cpu-clock: [0-9]* samples, .* of CPU'
	! shows 'wall time' || fail "CPU time is called wall time: $(screen)"
	keys q
	await 20 shows '^ready>'
	"$PREC" report -i data 2>/dev/null >piped
	grep -q "of event 'cpu-clock" piped || fail "a pipe has no samples on the CPU: $(<piped)"
	! grep -q wall-time piped || fail "a pipe has wall time that nobody asked for: $(<piped)"
	in_page "a lock" 'waiting: lock jobs_mutex, in take_job, held by server'
	in_page "a lock" 'waiting: lock jobs_mutex, in take_job, held by server' --wall
else
	part_skipped "waits: switches cannot be recorded here"
fi

# A finding that 80 columns do not hold goes on in a second line, with its remedy.
{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CALLCHAIN sample_id_all=1'
	printf '%s\n' 'comm 7/7 "program"' 'mmap2 7/7 0x400000+0x1000@0 r-xp "/usr/lib/x86_64-linux-gnu/libwith_a_long_name.so.1"'
	for i in $(seq 50); do
		echo "sample 7/7 t=$i ip=0x400010 chain=user,0x400010,0x8,0x10"
	done
} >text
"$(helper mkdata/mkdata)" text data
on_first "broken stacks" "report -i data" 'record --call-graph auto'

"$PREC" record -q -F 4999 -e cpu-clock -o data sh -c 'i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i + 1)); done'
on_first "forks" "summary -i data" '% .*  true  ([0-9]* processes)'
in_page "forks" '[89][0-9]\.[0-9]+ % \| [^|]* \| true, [0-9]+ processes'

cat >long.cc <<'E2'
#include <map>
#include <string>
#include <vector>
namespace inventory { namespace detail {
template <class K, class V> struct index {
	std::map<K, std::vector<V>> entries;
	__attribute__((noinline)) unsigned long count_all(const std::vector<std::pair<K, V>> &what) const
	{
		unsigned long n = 0;
		for (const auto &w : what)
			for (const auto &c : w.first)
				n = n * 31 + static_cast<unsigned char>(c);
		return n;
	}
};
} }
int main()
{
	inventory::detail::index<std::string, std::pair<std::string, std::vector<int>>> x;
	std::vector<std::pair<std::string, std::pair<std::string, std::vector<int>>>> v(1000, { std::string(200, 'x'), {} });
	unsigned long n = 0;
	for (int i = 0; i < 1500; i++) {
		n += x.count_all(v);
		__asm__ volatile("" : : "r"(&v) : "memory");
	}
	return n == 1;
}
E2
if $CXX -O1 -g -o long long.cc 2>/dev/null; then
	"$PREC" record -q -g -F 499 -e cpu-clock:u -o data ./long
	on_first "a long name" "summary -i data" '% .*::count_all'
	on_first "a long name" "report -i data" '% .*::count_all'
	in_page "a long name" '::count_all'
else
	part_skipped "C++: no compiler"
fi

cat >App.java <<'E2'
public class App {
	static long hot(long n) { long x = 0; for (long i = 0; i < n; i++) { x += i * i; x ^= x >> 3; } return x; }
	public static void main(String[] a)
	{
		long end = System.nanoTime() + 1000000000L, x = 0;
		while (System.nanoTime() < end) x += hot(200000);
		System.out.println(x);
	}
}
E2
if javac App.java 2>/dev/null; then
	"$PREC" record -q -g -F 499 -e cpu-clock:u -o data java App >/dev/null 2>&1
	on_first "Java" "summary -i data" '% .*App\.hot'
	on_first "Java" "report -i data" '% .*App\.hot'
	in_page "Java" 'App\.hot'
else
	part_skipped "Java: no javac"
fi

cat >app.py <<'E2'
def hot(n):
    s = 0
    for i in range(n):
        s ^= i
    return s
for _ in range(80):
    hot(100000)
E2
if "$PREC" record -q -g -F 499 -e cpu-clock:u --python -o data python3.11 app.py 2>/dev/null; then
	on_first "Python" "summary -i data" '% .*hot (app.py)'
	on_first "Python" "report -i data" '% .*hot (app.py)'
	in_page "Python" 'hot \(app\.py\)'
else
	part_skipped "Python: no Python whose frames are read"
fi
