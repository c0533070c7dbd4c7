#!/bin/bash
# Summaries of a Java program's waits begin with its own threads: those of its virtual machine are one line, and not in the sums.
. "$(dirname "$0")/lib/prec.sh"
need_events kernel
command -v javac >/dev/null || skip "no javac"

# Two threads hand a lock to and fro; the main one waits for them. It prints the names of all threads but its own.
cat >Turns.java <<'END'
import java.nio.file.*;
public class Turns {
	static final Object lock = new Object();
	static int turn;
	static void play(int me) {
		for (int i = 0; i < 60; i++)
			synchronized (lock) {
				while (turn != me) try { lock.wait(); } catch (InterruptedException e) { return; }
				try { Thread.sleep(10); } catch (InterruptedException e) { return; }
				turn = 1 - me;
				lock.notifyAll();
			}
	}
	public static void main(String[] words) throws Exception {
		Thread a = new Thread(() -> play(0), "player-0"), b = new Thread(() -> play(1), "player-1");
		a.start(); b.start(); a.join(); b.join();
		try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
			for (Path task : tasks) System.out.println(new String(Files.readAllBytes(task.resolve("comm"))).trim());
		}
	}
}
END
javac Turns.java 2>/dev/null || skip "javac cannot compile"
"$PREC" record -q --off-cpu --call-graph auto -o data java -cp . Turns >names 2>err || skip "waits cannot be recorded: $(head -1 err)"
own=$(grep -vc '^java$' names)

for options in '--wall' '-e offcpu-time'; do
	# shellcheck disable=SC2086
	"$PREC" summary -i data $options >page 2>/dev/null
	sed -n '/^threads$/,/^$/p' page >threads
	while read -r name; do
		[ "$name" = java ] || ! grep -F "  $name  (process" threads >/dev/null || fail "$options: '$name' has a row: $(<threads)"
	done <names
	grep -E '^ +[0-9.]+ % .* player-[01]  \(process' threads >/dev/null || fail "$options: no thread of the program: $(<threads)"
	expect "$options: the last row" "$(grep -c ' threads of the JVM$' threads)" "$(grep '%' threads | tail -1 | grep -c ' threads of the JVM$')"
	folded=$(sed -n 's/.* \([0-9]*\) threads of the JVM$/\1/p' threads)
	[ "${folded:-0}" -ge 3 ] && [ "$folded" -le $((own + 20)) ] || fail "$options: $folded of some $own threads: $(<threads)"
done

# Each player waits for the other, or sleeps; the main thread waits for both: of three threads' time nearly all is off the CPU.
"$PREC" summary -i data >page 2>/dev/null
grep -E '^time of its threads: .*\(without [0-9]+ threads of the JVM\)$' page >/dev/null || fail "the line of waits: $(head -3 page)"
off=$("$PREC" summary -i data --json -e offcpu-time 2>/dev/null | grep -o '"name":"player-[01]"[^}]*"period":[0-9]*' | sed 's/.*://' | paste -sd+ | bc)
shares=$(sed -n '3,5s/ %.*//p' page | paste -sd+ | bc)
awk -v s="$shares" -v off="$off" 'BEGIN { exit !(s > 60 && off > 0.8e9) }' || fail "waits of the program: $shares %, $off ns: $(head -6 page)"

# A thread of that name in another program is the program's.
cat >named.c <<'END'
#include <pthread.h>
#include <unistd.h>
static void *wait(void *x) { pthread_setname_np(pthread_self(), "VM Thread"); for (int i = 0; i < 20; i++) usleep(10000); return x; }
int main(void) { pthread_t t; pthread_create(&t, NULL, wait, NULL); pthread_join(t, NULL); return 0; }
END
"${CC:-cc}" -O1 -pthread -D_GNU_SOURCE -o named named.c
"$PREC" record -q --off-cpu -o named.data ./named 2>/dev/null
"$PREC" summary -i named.data --wall 2>/dev/null | grep -F '  VM Thread  (process' >/dev/null || fail "a thread of another program"
