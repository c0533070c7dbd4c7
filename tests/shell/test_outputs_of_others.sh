#!/bin/bash
# In a directory where others may write, no output follows another user's link, stays another user's, or waits for another's FIFO.
. "$(dirname "$0")/lib/prec.sh"
need_root
need setpriv
need_events
other() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
"$PREC" record -q -N -e page-faults:u -c 1 -o n.data "$(workload faults)" 50 >/dev/null
"$PREC" script -i n.data >want
echo precious >precious
top=$(mktemp -d /tmp/prec-others.XXXXXX)
at_end 'rm -rf "$top"'
other test -w "$top" && fail "it is another's"
chmod 755 "$WORK"	# the other user's link leads somewhere
cd "$top"
victim=$WORK/precious

# commands: each writes to out (its name is OUT), with the recording before it.
declare -A commands=(
	[record]='record -q -N -e page-faults:u -c 1 -o OUT true'
	[directory]='record -q -N -e page-faults:u -c 1 --threads -o OUT true'
	[switched]='record -q -N -e page-faults:u -c 1 --switch-output -o OUT true'
	[record-archive]='record -q -N -e page-faults:u -c 1 --archive -o OUT true'
	[archive]='archive -i IN -o OUT'
	[verify]='verify --repair --output OUT IN'
	[html]='export -q --format html -o OUT -i IN'
	[folded]='export -q --format folded -o OUT -i IN'
	[parquet]='export -q --format parquet -o OUT -i IN'
	[diff]='diff --format folded -o OUT IN IN'
)
run() {	# NAME: its output is "out"
	local -a words
	read -ra words <<<"${commands[$1]}"
	words=("${words[@]/#OUT/out}")
	status=0
	timeout 20 "$PREC" "${words[@]/#IN/$WORK/n.data}" >said 2>&1 || status=$?
	[ $status != 124 ] || fail "$1: hangs"
}
clean() { rm -rf out out.* said; }

# Where links are protected, and where they are not.
for mode in 1777 777; do
	chmod $mode .
	for name in "${!commands[@]}"; do
		[ $mode = 1777 ] || [ "$name" = record ] || [ "$name" = archive ] || [ "$name" = folded ] || continue
		# Nothing is there: the output is ours, of a mode that lets nobody else write.
		run "$name"
		[ $status = 0 ] || fail "$name: $(<said)"
		for f in $(find . -path './out*'); do
			expect "$name: owner of $f" "0" "$(stat -c %u "$f")"
			[ $((0$(stat -c %a "$f") & 022)) = 0 ] || fail "$name: $f: mode $(stat -c %a "$f")"
		done
		expect "$name: nothing else is left" '' "$(find . -name '*.new-*' -o -name '*.tmp')"
		clean
		# Another's link, file, or FIFO at the name itself is refused with the reason, and stays.
		for what in 'ln -s TO out' 'touch out' 'mkfifo out'; do
			other sh -c "umask 0; ${what/TO/$victim}"
			was=$(ls -ld out)
			run "$name"
			[ $status != 0 ] || fail "$name: $what: is not refused"
			grep -q "belongs to another user (uid 65534)" said || fail "$name: $what: $(<said)"
			expect "$name: $what: what was there" "$was" "$(ls -ld out)"
			expect "$name: $what: nothing is written through it" precious "$(<"$victim")"
			clean
		done
		# At names that could be guessed it is nothing to us, at out.old neither where nothing is renamed.
		for what in 'ln -s TO out.tmp; mkfifo out.next; touch out.old' 'mkfifo out.tmp; ln -s TO out.next; mkdir out.old'; do
			other sh -c "umask 0; ${what/TO/$victim}"
			run "$name"
			[ $status = 0 ] || fail "$name: $what: $(<said)"
			expect "$name: $what: nothing is written through it" precious "$(<"$victim")"
			expect "$name: $what: owner" 0 "$(find . -maxdepth 1 \( -name out -o -name 'out.2*' \) -printf '%U\n' | uniq)"
			clean
		done
	done
done

# Our own link is replaced, not followed.
for name in record archive html diff; do
	ln -s "$victim" out
	run "$name"
	[ $status = 0 ] && [ -f out ] && [ ! -L out ] || fail "$name: our own link: $(<said)"
	expect "$name: what our own link leads to" precious "$(<"$victim")"
	clean
done

# Where there is something to keep, another's OUT.old is no place for it; a link there to a recording costs nobody that.
"$PREC" record -q -N -e page-faults:u -c 1 --threads -o "$WORK/dir.data" true
chmod 755 "$WORK/dir.data"
for what in "ln -s $WORK/dir.data" touch; do
	run record
	other $what out.old
	run record
	[ $status != 0 ] && grep -q "'out.old': .* belongs to another user" said || fail "out.old: $(<said)"
	[ -e "$WORK/dir.data/data" ] || fail 'what a link at out.old leads to is gone'
	clean
done

# script's dumps.
cp "$WORK/n.data" .
"$PREC" script -i n.data --per-event-dump >said 2>&1
rm -f n.data.dummy*.dump
dump=$(echo n.data.*.dump)
expect 'per-event-dump' "$(wc -l <"$WORK/want")" "$(wc -l <"$dump")"
rm "$dump"
other ln -s "$victim" "$dump"
! "$PREC" script -i n.data --per-event-dump >said 2>&1 || fail 'per-event-dump follows a link'
expect 'per-event-dump: nothing is written through it' precious "$(<"$victim")"

# Files that other users could have written are not trusted: names of code made at run time, settings.
other sh -c 'echo "[report]" >config; echo "    percent-limit = 99" >>config'
PREC_CONFIG=$top/config "$PREC" report --stdio -i n.data >out 2>said
grep -q "'$top/config' are not read: the file belongs to another user" said || fail "settings of another: $(<said)"
rm config
mkfifo config
other mkfifo theirs
for f in config theirs; do
	PREC_CONFIG=$top/$f timeout 20 "$PREC" report --stdio -i n.data >out 2>said || fail "a FIFO of settings: $(<said)"
done
cat >jit.txt <<IN
attr cycles type=hardware config=0 sample=IP,TID,TIME,PERIOD sample_id_all=1
feature arch=$(uname -m) hostname=$(uname -n) osrelease=$(uname -r)
comm 99999999/99999999 "demo"
mmap2 99999999/99999999 0x10000+0x10000@0 r-xp "//anon"
sample 99999999/99999999 t=1 ip=0x10003 mode=user period=60
IN
"$(helper mkdata/mkdata)" jit.txt jit.data
map=/tmp/perf-99999999.map
at_end 'rm -f $map'
rm -f $map
named() { "$PREC" report --stdio -s sym -i jit.data "$@" 2>said | grep -c forged || true; }
other sh -c "echo '10000 100 forged' >$map"
expect "names of another's map" 0 "$(named)"
expect "names of another's map that is asked for" 1 "$(named --symfs /)"
chown 0 $map
expect 'names of our own map' 1 "$(named)"
rm $map
echo '10000 100 forged' >ours
other ln -s "$top/ours" $map
expect "names where another's link leads" 0 "$(named)"
rm $map ours
other mkfifo $map
expect 'a FIFO is no map' 0 "$(named)"

# Nor are recordings looked for behind another's link, or awaited from a FIFO in a directory.
other ln -s "$WORK/n.data" theirs.data
expect_status 1 "$PREC" report --stdio -i theirs.data >out 2>said
grep -q "theirs.data': it is another user's symbolic link" said || fail "a link to a recording: $(<said)"
mkdir fifo
mkfifo fifo/data
expect_status 1 timeout 20 "$PREC" report --stdio -i fifo >out 2>said
rm -r fifo theirs.data out

# A link is not followed even where it is put there at the last moment: that is asked of the kernel, by every command, for all that
# it opens where others can write: outputs, inputs, names of code made at run time, settings, caches, temporary files.
if command -v strace >/dev/null; then
	rm -f $map
	echo '10000 100 ours' >$map
	mkdir home
	cp "$WORK/n.data" .
	cp -r "$WORK/dir.data" .
	rm -f config out
	printf '[report]\n' >config
	export HOME=$top/home TMPDIR=$top PREC_CONFIG=$top/config
	unset PERF_CONFIG
	cp "$(workload faults)" program
	commands[kept]='record -q -e page-faults:u -c 1 -o OUT ./program 50'
	commands[offcpu]='record -q -N --off-cpu -o OUT true'
	commands[redact]='archive --redact -i n.data -o OUT'
	commands[add]='buildid-cache -a program'
	commands[list]='buildid-cache -l'
	commands[remove]='buildid-cache -r program'
	commands[purge]='buildid-cache -P'
	commands[dumps]='script -i n.data --per-event-dump'
	commands[report]='report --stdio -i jit.data'
	commands[report-directory]='report --stdio -i dir.data'
	commands[annotate]='annotate --stdio -i n.data'
	commands[script]='script -i n.data'
	commands[summary]='summary -i n.data'
	commands[verify-directory]='verify dir.data'
	commands[diff-text]='diff --stdio n.data n.data'
	commands[pipe]='script -i -'
	"$PREC" archive -i n.data -o "$WORK/archived" >said 2>&1
	commands[unpack]="archive --unpack -i $WORK/archived -o OUT"
	opened=0
	for name in "${!commands[@]}"; do
		rm -rf out out.* n.data.*
		case $name in directory | switched | unpack) ;; *) touch out ;; esac
		read -ra words <<<"${commands[$name]}"
		words=("${words[@]/#OUT/out}")
		status=0
		strace -f -qq -e trace=open,openat,openat2,creat -o calls "$PREC" "${words[@]/#IN/$WORK/n.data}" \
			<"$WORK/n.data" >said 2>&1 || status=$?
		[ $status -lt 3 ] || fail "$name: status $status: $(<said)"
		grep -E '"([^"/]*|\./[^"]*|(home|dir\.data|out)[^"]*|/tmp/[^"]*)", ' calls >here || fail "$name: opens nothing here: $(<calls)"
		expect "$name: what is opened without O_EXCL and O_NOFOLLOW" '' "$(grep -v 'O_CREAT|O_EXCL.*O_NOFOLLOW\|O_NOFOLLOW' here || true)"
		expect "$name: what is written without O_EXCL and O_NOFOLLOW" '' \
			"$(grep -E 'O_(WRONLY|RDWR|CREAT)' here | grep -v 'O_CREAT|O_EXCL.*O_NOFOLLOW\|O_EXCL|O_NOFOLLOW' || true)"
		opened=$((opened + $(wc -l <here)))
	done
	echo "${#commands[@]} commands, $opened paths opened where others can write"
	export TMPDIR=$WORK
else
	part_skipped 'what the kernel is asked: no strace'
fi

# One function creates files.
expect 'what else opens files for writing' '' "$(cd "$SRC" && grep -rnE 'O_CREAT|O_TRUNC|\bcreat\(|mkostemp|mkstemp|fopen\([^)]*"[wa]' \
	core cmd arch auxtrace --include=*.[ch] | grep -v '^core/base/new_file.c:')"
true
