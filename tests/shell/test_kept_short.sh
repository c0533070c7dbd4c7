#!/bin/bash
# What ran for a moment only, where only it could see its file, or in no file, is kept, or it is said that it was gone.
. "$(dirname "$0")/lib/prec.sh"
need cc
need objcopy
need xxd
need setpriv
need strace
need_root
need_events
mkdir home
export HOME=$PWD/home

# prog MS: so much CPU time is spent in the function wombat. prog MS unlink: without a file from the start; memfd: nor ever in one.
cat >prog.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static volatile long n;
__attribute__((noinline)) void wombat(long ms)
{
	struct timespec t;
	do {
		for (int i = 0; i < 100000; i++) n++;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms);
}
static void run_from_memory(char **argv)
{
	static char bytes[65536];
	int to = memfd_create("secret", MFD_CLOEXEC), from = open("/proc/self/exe", O_RDONLY);
	for (long got; (got = read(from, bytes, sizeof(bytes))) > 0;)
		if (write(to, bytes, got) != got) _exit(8);
	argv[2] = 0;
	fexecve(to, argv, (char *[]){ 0 });
	_exit(9);
}
int main(int argc, char **argv)
{
	if (argc > 2 && argv[2][0] == 'u') unlink(argv[0]);
	if (argc > 2 && argv[2][0] == 'm') run_from_memory(argv);
	wombat(atol(argv[1]));
	return 0;
}
C
cc -O1 -static -Wl,--build-id=0x00112233445566778899aabbccddeeff -o prog prog.c
objcopy -O binary --only-section=.note.gnu.build-id prog note
# make_prog NAME: a program whose function has that name, and no other has its build id.
make_prog() {
	{
		head -c 16 note
		md5sum <<<"$1" | xxd -r -p -l 16
	} >note.own
	objcopy --redefine-sym "wombat=$1" --update-section .note.gnu.build-id=note.own prog "$1"
}

# A script for each way to be gone, of a program and its ms.
# shellcheck disable=SC2016
mount_own='mount -t tmpfs none /mnt && cp $1 /mnt/inside && rm $1 && /mnt/inside $2'
in_chroot() { echo "mkdir root; mv $1 root/inside; chroot root /inside $2; rm -r root"; }
in_user() { echo "unshare -U -r sh -c './$1 $2; rm $1'"; }
in_user_mount() { echo "unshare -U -r -m sh -ec '$mount_own' - $1 $2"; }
in_mount() { echo "unshare -m sh -ec '$mount_own' - $1 $2"; }
in_pid() { echo "unshare -p --fork sh -c './$1 $2; rm $1'"; }
in_pid_mount() { echo "unshare -p -m --fork sh -ec '$mount_own' - $1 $2"; }
in_deleted() { echo "./$1 $2 unlink"; }
in_memfd() { echo "./$1 $2 memfd; rm $1"; }

record() { "$PREC" record -q -e cpu-clock:u "$@" >out 2>err || fail "cannot record: $(cat err)"; }
named() {
	[ ! -e "$1" ] || fail "$1 is still there"
	"$PREC" report -i data -q --stdio -s sym 2>err | grep -w "$1" >/dev/null || fail "$2: no name: $(cat err)"
}

for kind in chroot user user_mount mount pid pid_mount deleted memfd; do
	case $kind in
	user*)	flags=-Ur;;
	mount)	flags=-m;;
	pid*)	flags='-p -m --fork';;
	*)	flags=;;
	esac
	# shellcheck disable=SC2086
	if [ "$flags" ] && ! unshare $flags true 2>/dev/null; then
		part_skipped "$kind: no such namespaces here"
		continue
	fi
	for ms in 200 $([ $kind = chroot ] || [ $kind = user ] && echo 800); do
		make_prog "only_$kind$ms"
		"in_$kind" "only_$kind$ms" "$ms" >inside
		record -o data sh -e inside
		named "only_$kind$ms" "$kind, $ms ms"
	done
done
for how in --per-thread --overwrite -z --no-buildid-mmap '--call-graph auto' -a '-m 4K'; do
	name=how$(tr -dc a-z <<<"$how")
	make_prog "$name"
	# shellcheck disable=SC2086
	record $how -o data sh -c "exec ./$name 200 unlink"
	named "$name" "$how"
done

# A user, who may not look into map_files, nor lock much memory: his own program is kept by /proc/PID/exe.
top=$(mktemp -d /tmp/prec-short.XXXXXX)
at_end 'rm -rf "$top"'
chmod 755 "$top"
mkdir -m 777 "$top/users" "$top/poor"
make_prog users_own
mv users_own "$top/users/"
cp "$PREC" "$top/"
as_user() { (cd "$top/$1" && HOME=$PWD exec setpriv --reuid 65534 --regid 65534 --clear-groups "${@:2}"); }
as_user users ../prec record -v -e cpu-clock:u -o data sh -c 'exec ./users_own 200 unlink' >out 2>err || fail "a user: $(cat err)"
if grep 'no rings for the side band' err >/dev/null; then
	part_skipped 'rings of their own for a user: ulimit -l is too low'
else
	as_user users ../prec report -i data -q --stdio -s sym >out 2>err || fail "a user's: $(cat err)"
	grep users_own out >/dev/null || fail "a user's: no name: $(cat out err)"
fi
# Without the memory the side band goes where the samples go, whose rings are no smaller for it.
(ulimit -l 0 && as_user poor ../prec record -v -e cpu-clock:u -o data true) >out 2>err || fail "who may lock nothing: $(cat err)"
grep 'no rings for the side band' err >/dev/null || fail "memory that may not be locked is: $(cat err)"
! grep 'rings of [0-9]* KiB, not' err || fail 'samples have smaller rings'

# Nobody sees this one in time: the recorder is stopped meanwhile.
make_prog unseen
cat >inside <<'S'
kill -STOP $PPID
mkdir root; mv unseen root/unseen_inside
chroot root /unseen_inside 50
rm -r root
kill -CONT $PPID
S
"$PREC" record -e cpu-clock:u -o data sh -e inside >out 2>err || fail "cannot record: $(cat err)"
expect_finding binaries-gone err '1 binary that ran was gone before it could be kept: /unseen_inside'
expect_kept data err

# Very short: each is kept, or it is said that it is not.
rm -rf home/.debug
for i in $(seq 10); do make_prog "very$i"; done
{
	echo 'mount -t tmpfs none /mnt; cp very* /mnt'
	for i in $(seq 10); do echo "/mnt/very$i 2"; done
} >inside
if unshare -m true 2>/dev/null; then
	"$PREC" record -e cpu-clock:u -o data unshare -m sh -e inside >out 2>err || fail "cannot record: $(cat err)"
	gone=$(sed -nE 's/^prec: ([0-9]+) binar.* gone before .*/\1/p' err)
	expect 'those kept and those gone' 10 $((${gone:-0} + $("$PREC" buildid-cache -l | grep -c '/mnt/very' || true)))
fi

# Not wanted: nothing of it is opened or mapped.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
for not in -N ''; do
	# shellcheck disable=SC2086
	strace -f -e trace=openat,mmap -o "trace$not" "$PREC" record -q $not -e cpu-clock:u -o data ./very1 50 2>err
done
expect 'with -N' 0 "$(grep -cE '"/proc/[0-9]+/(map_files|exe|root)|mmap\(NULL, 135168, .*MAP_SHARED' trace-N || true)"
grep '"/proc/[0-9]*/map_files' trace >/dev/null || fail 'nothing is opened without it either'
grep 'mmap(NULL, 135168, .*MAP_SHARED' trace >/dev/null || fail 'and no ring is mapped'
