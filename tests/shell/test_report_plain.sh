#!/bin/bash
# Samples without chains and the like are summed up in a table of their own: the result is that of the general one.
. "$(dirname "$0")/lib/prec.sh"

# Threads that change names, exec and exit; addresses in files, in two processes' copies of one file, and in none; two events.
awk 'BEGIN {
	print "attr a type=software config=0 ids=1 sample=IDENTIFIER,IP,TID,TIME,CPU,PERIOD sample_id_all"
	print "attr b type=software config=1 ids=2 sample=IDENTIFIER,IP,TID,TIME,CPU sample_id_all period=3"
	print "attr c type=software config=2 ids=3 sample=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN sample_id_all"
	print "feature arch=x86_64"
	print "mmap -1/0 0xffffffff80000000+0x1000000@0xffffffff80000000 \"[kernel.kallsyms]_text\""
	for (pid = 100; pid < 130; pid++) {
		print "comm " pid "/" pid " \"worker" pid % 7 "\" t=1"
		printf "mmap2 %d/%d 0x%x+0x10000@0x1000 r-xp \"/no/such/prog\" t=2\n", pid, pid, 65536 * (pid % 5 + 1)
		printf "mmap2 %d/%d 0x700000+0x10000@0 r-xp \"/no/such/lib.so\" t=2\n", pid, pid
	}
	seed = 7
	for (t = 10; t < 20000; t++) {
		seed = (seed * 1103515245 + 12345) % 2147483648
		r = int(seed / 1024); pid = 100 + r % 32; tid = r % 11 ? pid : 0
		mode = r % 5 == 0 ? "kernel" : r % 37 == 0 ? "hypervisor" : "user"
		ip = mode == "kernel" ? sprintf("0xffffffff80%06x", r % 300) : sprintf("0x%x", (r % 3 ? 65536 * (r % 7) : 7340032) + r % 501)
		event = r % 13 == 0 ? "b" : r % 17 == 0 ? "c" : "a"
		printf "sample %d/%d t=%d ip=%s mode=%s period=%d cpu=%d event=%s%s\n", pid, tid, t, ip, mode, r % 9, r % 3, event,
			event == "c" ? " chain=user,0x10010,0x10020" : ""
		if (r % 401 == 0) print "comm " pid "/" pid " \"other" r % 3 "\" exec t=" t
		if (r % 907 == 0) print "exit " pid "/" pid " t=" t
	}
}' >in.txt
"$(helper mkdata/mkdata)" in.txt in.data
for keys in comm,dso,sym comm dso sym pid,sym tid,dso,sym comm_nodigit,sym sym,srcline symoff; do
	"$PREC" report --stdio -n -g none --no-children -s "$keys" -i in.data >plain 2>plain.err
	# A filter that lets all pass asks for each sample by itself.
	"$PREC" report --stdio -n -g none --no-children -s "$keys" --cpu 0-2 -i in.data >general 2>general.err
	expect_same "-s $keys" general plain
done
"$PREC" report --stdio -n -i in.data -j1 >one 2>messages
"$PREC" report --stdio -n -i in.data -j2 >two 2>messages
expect_same "by two threads" one two
expect "all samples" 19990 "$("$PREC" report --stdio -n -s comm -g none --no-children -i in.data 2>/dev/null | awk '!/^#/ && NF { n += $2 } END { print n }')"
