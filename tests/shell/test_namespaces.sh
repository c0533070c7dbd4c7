#!/bin/bash
# Files and names of functions that only a process in namespaces of its own sees are found while it lives.
. "$(dirname "$0")/lib/prec.sh"
need_root
need unshare
export HOME=$PWD	# no cache of build ids
mkfifo stop started
cp "$(workload spin)" spin.copy
# Its own numbers, its own /tmp: with a program in it, and the names that a JIT compiler writes.
cat >inside <<'S'
mount -t tmpfs none /tmp || exit
cp spin.copy /tmp/only_inside
printf '%s\n' '7f0000001000 100 made_at_run_time' >/tmp/perf-$$.map
echo $$ >started
read -r line <stop
S
unshare -p -m -f true 2>err || skip "no namespaces here: $(cat err)"
unshare -p -m -f sh -e inside 2>err & unshare=$!
read -r own_pid <started
at_end 'exec 5<>stop; echo >&5; wait $unshare'
pid=$(pgrep -P $unshare)
[ "$pid" != "$own_pid" ] || skip 'it has no number of its own'

id=$(readelf -n spin.copy | sed -n 's/.*Build ID: //p')
at=$(readelf -sW spin.copy | awk '$8 == "spin" { print "0x" $2 }')
cat >in.txt <<T
attr cpu-clock type=software config=0 sample=IP,TID,TIME sample_id_all ids=1
feature hostname=$(uname -n)
feature osrelease=$(uname -r)
feature arch=$(uname -m)
comm $pid/$pid "inside" t=1
mmap2 $pid/$pid 0x10000000+0x100000@0 r-xp "/tmp/only_inside" buildid=$id t=2
mmap2 $pid/$pid 0x7f0000001000+0x1000@0 r-xp "//anon" t=2
sample $pid/$pid ip=$((0x10000000 + at)) t=3
sample $pid/$pid ip=0x7f0000001010 t=4
T
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" script -i in.data -F ip,sym >got 2>err
expect 'the functions' 'spin made_at_run_time' "$(awk '{ print $2 }' got | xargs)"
"$PREC" report -i in.data -q --stdio --sort sym >got 2>err
expect 'report too' 'made_at_run_time spin' "$(awk 'NF { print $NF }' got | sort | xargs)"

# Without a build id, who knows what it is; of another machine it is something else; a link leads nowhere else.
sed 's/ buildid=[^ ]*//' in.txt >none.txt
sed "s/hostname=.*/hostname=elsewhere/" in.txt >elsewhere.txt
for what in none elsewhere; do
	"$(helper mkdata/mkdata)" $what.txt $what.data
	! "$PREC" script -i $what.data -F ip,sym 2>err | grep -w spin || fail "$what: it is taken for what was recorded"
done
echo '7f0000001000 100 of_the_host' >leads_out
nsenter -t "$pid" -m -p sh -c "ln -sf '$PWD/leads_out' /tmp/perf-$own_pid.map" || skip 'no nsenter'
! "$PREC" script -i in.data -F ip,sym 2>err | grep of_the_host || fail 'a link leads out'

# At record time: where the kernel gives no build ids, they are read as the process sees its files, while it runs.
need_events
mkfifo done
cat >inside <<'S'
mount -t tmpfs none /tmp
cp spin.copy /tmp/only_here
/tmp/only_here -1 0 &
read -r line <done
kill $!
S
exec "$PREC" record -q --no-buildid-mmap -e cpu-clock:u -o data unshare -m sh -e inside >out 2>err & prec=$!
await 60 grep -qsa only_here data	# it was taken out of the ring
exec 5<>done
echo >&5
wait $prec || fail "cannot record: $(cat err)"
# As digits: a build id may have a byte that is a newline.
od -An -v -tx1 data | tr -d ' \n' | grep "$id" >/dev/null || fail 'the build id of a file in a namespace was not recorded'
