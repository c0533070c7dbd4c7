#!/bin/bash
# An archive that is redacted has no host, user, path, argument or stack of who recorded it in its bytes, and still the profile.
. "$(dirname "$0")/lib/prec.sh"
need cc
need zstd
need_events
need_root
unshare -u true 2>/dev/null || skip "no namespaces here"
host=quizzicalhost user=zebrauser dir=walrusdir arg=--password=ocelotarg thread=lemurthread
mkdir -p "home/$user/$dir"
cat >"home/$user/$dir/prog.c" <<'T'
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
static volatile long s;
static char copy[1000];
__attribute__((noinline)) void tapir(long i) { s += i; }	/* ibexsource */
__attribute__((noinline)) void visible(long i) { tapir(i); s++; }	/* ibexsource */
int main(int n, char **v)
{
	char local[1000];
	strcpy(local, n > 1 ? v[1] : "");
	strcpy(copy, getenv("USER"));
	prctl(PR_SET_NAME, "lemurthread");
	for (long i = 0; i < 20000000; i++) visible(i + local[0]);	/* ibexsource */
	return 0;
}
T
(cd "home/$user/$dir" && cc -O1 -g -fno-omit-frame-pointer -o prog "$PWD/prog.c")
prog=$PWD/home/$user/$dir/prog

# bytes FILE: all of it, and what zstd packed in it.
bytes() {
	local at
	cat "$1"
	{ LC_ALL=C grep -aobP '\x28\xb5\x2f\xfd' "$1" || true; } | cut -d: -f1 | while read -r at; do
		tail -c +$((at + 1)) "$1" | zstd -dcq 2>/dev/null || true
	done
}
has() { bytes "$2" | grep -a -- "$1" >/dev/null; }

for how in "-g" "--call-graph dwarf,65528" "-z -g"; do
	# shellcheck disable=SC2086
	unshare -u sh -c 'hostname "$1"; shift; exec "$@"' - $host env USER=$user HOME="$PWD/home/$user" "$PREC" record -q -o data -e cpu-clock:u \
		-F 200 $how "$prog" $arg
	"$PREC" archive data -o plain 2>/dev/null
	"$PREC" archive --code data -o plain.code 2>/dev/null
	"$PREC" archive --code --redact data -o redacted 2>/dev/null
	has ibexsource plain.code || fail "$how: the source of code is not kept"
	! has ibexsource redacted || fail "$how: the source is in what was redacted"
	"$PREC" archive --redact data -o redacted 2>/dev/null
	"$PREC" archive --redact=names data -o hashed 2>/dev/null
	has $host plain && has $user plain && has $dir plain && has ocelotarg plain || fail "$how: the test sees nothing"
	for word in $host $user $dir ocelotarg; do
		! has "$word" redacted || fail "$how: '$word' is in what was redacted"
	done
	for word in $host $user $dir ocelotarg tapir visible prog lemur; do
		! has "$word" hashed || fail "$how: '$word' is in what was hashed"
	done
	# The profile is the same, also where nothing else is.
	rm -rf home/$user.gone "$HOME/.debug"
	mv "home/$user" home/$user.gone
	# Of what was unwound callers are told by their call, and in a chain by where that returns to: offsets differ by one.
	for by in sym comm "sym -g caller" "dso,srcline --no-children -g none"; do
		# shellcheck disable=SC2086
		"$PREC" report -i plain --stdio -q -s $by 2>/dev/null >want
		# shellcheck disable=SC2086
		"$PREC" report -i redacted --stdio -q -s $by 2>/dev/null >got
		expect_same "$how: by $by" want got
	done
	expect "$how: by names that are hashes" "$("$PREC" report -i plain --stdio -q --no-children -g none -s sym 2>/dev/null | awk "NF { print \$1 }")" \
		"$("$PREC" report -i hashed --stdio -q --no-children -g none -s sym 2>/dev/null | awk "NF { print \$1 }")"
	mv home/$user.gone "home/$user"
	for perf in $(perfs); do
		expect "$how: samples by $perf" "$("$PREC" script -i redacted -G -F event 2>/dev/null | wc -l)" \
			"$("$perf" script -i redacted -G -F event 2>/dev/null </dev/null | wc -l)"
	done
done
grep -c $thread <("$PREC" report -i redacted --stdio -s comm 2>/dev/null) >/dev/null || fail "threads keep their names"
expect_status 129 "$PREC" archive --redact=all data 2>/dev/null
