#!/bin/bash
# A JVM is asked for the names of its code: while it runs as the command, and at the end where it goes on; who does not answer is said.
. "$(dirname "$0")/lib/prec.sh"
need_events
JVM=$(workload jvm)
at_end 'rm -f $(sed "s,.*,/tmp/perf-&.map /tmp/.java_pid& /tmp/.attach_pid&," pids 2>/dev/null)'
cp /bin/true libjvm.so
any_status "$JVM" none 1 >out
grep -q ended out || skip "no code for this processor"
names() { "$PREC" report -q -i data --stdio -s symbol -F sample,symbol -t '|' 2>/dev/null | awk -F'|' '$2 ~ /java_method/ { n += $1 } END { print (n > 0) }'; }
pid_of() { "$PREC" script -q -i data -F pid 2>/dev/null | sort | uniq -c | sort -n | awk 'END { print $2 }' | tee -a pids; }

# The command: the first questions come while it runs.
"$PREC" record -e cpu-clock:u -o data "$JVM" names 600 >out 2>err || fail "cannot record: $(<err)"
pid=$(pid_of)
expect "names of the command" 1 "$(names)"
grep -q asked out || fail "it was not asked"
! grep -q jvm-unnamed err || fail "$(<err)"
[ ! -e "/tmp/.attach_pid$pid" ] || fail "the sign for the JVM is left"
rm -f "/tmp/perf-$pid.map"
expect "and without the file" 1 "$(names)"
# It is busy when it is asked, and reads the signal after the recorder has stopped to wait for it.
"$PREC" record -e cpu-clock:u -o data "$JVM" late 6000 >out 2>err || fail "cannot record: $(<err)"
pid=$(pid_of)
expect "names of a busy JVM" 1 "$(names)"
grep -q asked out || fail "the busy JVM was not asked"
! grep dumped out || fail "the busy JVM prints the stacks of its threads"
[ ! -e "/tmp/.attach_pid$pid" ] || fail "the sign for the busy JVM is left"
"$PREC" record -q -e cpu-clock:u -o data --no-jit-map "$JVM" names 900 >out 2>err || fail "cannot record: $(<err)"
pid_of >/dev/null
expect "--no-jit-map asks nobody" ended "$(<out)"

# Attached: it is asked once, at the end, and goes on.
attach() {	# ANSWER
	command "$JVM" "$1" 60000 >out & jvm=$!
	echo $jvm >>pids
	await 20 has_run $jvm 50
	any_status "$PREC" record -e cpu-clock:u -o data -p $jvm sleep 0.2 2>err
	kill -0 $jvm || fail "$1: the process ended"
	kill $jvm
	wait $jvm 2>/dev/null || true
}
attach names
expect "names of a process" "1 asked" "$(names) $(<out)"
attach silent
expect_finding jvm-unnamed err "$jvm did not answer"
attach deaf
expect_finding jvm-unnamed err "$jvm did not answer"
attach drips
expect_finding jvm-unnamed err "$jvm did not answer"
attach floods
expect_finding jvm-unnamed err "$jvm is older"
attach old
expect_finding jvm-unnamed err "$jvm is older"
attach deadly
expect_finding jvm-unnamed err "$jvm does not attach"
expect_kept data err

# A real one, where there is one: its interpreter keeps frame pointers by itself, its compilers keep them when they are asked to.
stacks() {	# OPTION: of the samples in the class, how many there are, and how many reach the program's start
	rm -f ready
	command java $1 Stacks.java >ready & jvm=$!
	echo $jvm >>pids
	await 60 grep -q ready ready
	"$PREC" record -e cpu-clock:u -g -o data -p $jvm sleep 1 2>err || fail "$(<err)"
	kill $jvm
	wait $jvm 2>/dev/null || true
	"$PREC" script -i data -F ip,sym 2>/dev/null | awk '/^$/ { n += c ~ /Stacks[.]/; g += c ~ /Stacks[.].*start_thread/; c = "" }
		{ c = c " " $0 } END { print n + 0, g + 0 }'
}
cat >Stacks.java <<'T'
public class Stacks {
	static long spin(long n) { long x = 0; for (long i = 0; i < n; i++) { x += i * i; x ^= x >> 3; } return x; }
	static long recurse(int d) { return d == 0 ? spin(20000) : recurse(d - 1) + 1; }
	public static void main(String[] a) {
		long x = 0;
		for (long i = 0; x != 1; i++) {
			x += recurse(20);
			if (i == 20000) System.out.println("ready");
		}
	}
}
T
if java --version 2>/dev/null | grep -qE '^[a-z]+ (17|[2-9][0-9])'; then
	read -r n whole <<<"$(stacks "")"
	[ $((whole * 100)) -ge $((n * 99)) ] || grep -q stacks-shed err || expect_finding chains-in-jit err 'end in code made at run time'
	echo "java: $whole of $n stacks are whole"
	read -r n whole <<<"$(stacks -XX:+PreserveFramePointer)"
	[ "$n" -gt 30 ] && [ $((whole * 100)) -ge $((n * 99)) ] || fail "-XX:+PreserveFramePointer: $whole of $n stacks are whole"
	! grep -q chains-in-jit err || fail "$(<err)"
	echo "java -XX:+PreserveFramePointer: $whole of $n stacks are whole"
else
	part_skipped "no Java of version 17 or later"
fi

# One that executes another program, which counts the signals that it gets: none is for it.
cat >counts.c <<'T'
#include <signal.h>
#include <stdio.h>
#include <time.h>
static volatile sig_atomic_t nr;
static void count(int signal) { (void)signal; nr++; }
int main(void)
{
	sigset_t none;
	sigemptyset(&none);
	signal(SIGQUIT, count);
	sigprocmask(SIG_SETMASK, &none, NULL);
	while (clock() < CLOCKS_PER_SEC)
		;
	printf("%d signals\n", (int)nr);
	return 0;
}
T
"${CC:-cc}" -O1 -o counts counts.c
any_status "$PREC" record -e cpu-clock:u -o data "$JVM" exec 100 ./counts >out 2>err
expect "another program in its place" "0 signals" "$(tail -1 out)"

# A socket in its place that is somebody else's.
command "$JVM" names 60000 >out & jvm=$!
echo $jvm >>pids
await 20 has_run $jvm 50
cat >other.c <<'T'
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", argv[argc - 1]);
	unlink(at.sun_path);	/* the JVM's, if another recorder asked it */
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 64))	/* nobody is turned away */
		return 1;
	puts("listens");
	fflush(stdout);
	pause();
}
T
"${CC:-cc}" -o other other.c
./other "/tmp/.java_pid$jvm" >listens & other=$!
await 10 grep -q listens listens
"$PREC" record -e cpu-clock:u -o data -p $jvm sleep 0.2 2>err || fail "cannot record: $(<err)"
expect_finding jvm-unnamed err "$jvm is another user's"
kill $jvm $other
wait $jvm $other 2>/dev/null || true
