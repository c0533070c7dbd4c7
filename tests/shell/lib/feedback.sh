# The expected profiles for compilers, from the log of what a program executed; after lib/prec.sh.
# shellcheck shell=bash

FEEDBACK_FLAGS=(-O2 -g -fdebug-info-for-profiling -fno-pie -fno-stack-protector -static -nostdlib -no-pie
	-Wno-unused-command-line-argument -Wl,--build-id=sha1 -Wl,--emit-relocs)

# feedback_truth FORM PROGRAM IPS [TOOLS-PREFIX]: the addresses of IPS as the lines that export --format=FORM writes, sorted. Of
# bolt: branches that were taken, and conditional ones that were not, to what follows them. Of autofdo: "function/inlined...
# offset.discriminator count", and calls "... > callee count".
# With OPEN_END: what stands behind the last branch is not told.
# With LBR=period,depth: what stacks of so many branches hold, each so many branches.
# With EACH=period: samples, each so many instructions, without branches.
feedback_truth() {
	python3 - "$@" <<'EOS'
import collections, json, os, subprocess, sys
form, program, ips = sys.argv[1:4]
prefix = sys.argv[4] if len(sys.argv) > 4 else ''
def lines(*command):
	return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
symbols = []
for line in lines('nm', '-n', '-S', program):
	w = line.split()
	if len(w) == 4 and w[2] in 'tT':
		symbols.append((int(w[0], 16), int(w[1], 16), w[3], w[2]))
size, kind, last = {}, {}, None
for line in lines(prefix + 'objdump', '-d', '--no-show-raw-insn', program):
	w = line.split('\t')
	if len(w) > 1 and line.startswith(' '):
		at = int(w[0].strip().rstrip(':'), 16)
		if last is not None:
			size[last] = at - last
		kind[at], last = w[1].split()[0], at
run = [int(l, 16) for l in open(ips)]
jumps = []	# where it left the line, and the first instruction since the last
first = 0
for i in range(len(run) - 1):
	if run[i + 1] != run[i] + size.get(run[i], 0):
		jumps.append((i, first))
		first = i + 1
insns, branches = collections.Counter(), collections.Counter()
def passes(at):
	op = kind[at]
	return op in CONDITIONAL or op.startswith('b.') or op.startswith('j') and not op.startswith('jmp')
CONDITIONAL = ('loop', 'loope', 'loopne', 'cbz', 'cbnz', 'tbz', 'tbnz')
def goes_on(some):	# conditional branches, the last instruction apart, were not taken
	branches.update((at, at + size[at]) for at in some[:-1] if passes(at))
if 'EACH' in os.environ:
	insns.update(run[int(os.environ['EACH']) - 1::int(os.environ['EACH'])])
elif 'LBR' in os.environ:
	period, depth = map(int, os.environ['LBR'].split(','))
	for n in range(period - 1, len(jumps), period):
		stack = jumps[max(0, n - depth + 1):n + 1]
		for k, (i, start) in enumerate(stack):
			branches[run[i], run[i + 1]] += 1
			if k:
				insns.update(run[start:i + 1])
				goes_on(run[start:i + 1])
else:
	insns.update(run[:jumps[-1][0] + 1] if 'OPEN_END' in os.environ else run)
	branches.update((run[i], run[i + 1]) for i, start in jumps)
	for i, start in jumps:
		goes_on(run[start:i + 1])
	if 'OPEN_END' not in os.environ:
		goes_on(run[first:])
def symbol(at):
	return [s for s in symbols if s[0] <= at][-1]
if form == 'bolt':
	out = []
	for (a, b), n in branches.items():
		x, y = symbol(a), symbol(b)
		out.append('1 %s %x 1 %s %x 0 %d' % (x[2] + '/1' * (x[3] == 't'), a - x[0], y[2] + '/1' * (y[3] == 't'), b - y[0], n))
	print('\n'.join(sorted(out)))
	sys.exit()
asked = sorted(set(insns) | {a for a, b in branches} | {b for a, b in branches})
told = json.loads(subprocess.run(['llvm-symbolizer', '--output-style=JSON', '--inlines', '--no-demangle', '--obj=' + program],
	input='\n'.join('0x%x' % a for a in asked), capture_output=True, text=True).stdout.join('[]').replace('}\n{', '},\n{')
	.replace('}\n]', '}]').replace('][', ','))
frames = {}
for t in told:
	known = t.get('Symbol', [])
	# What the compiler gives no line has none in its functions either.
	whole = all(f['FunctionName'] and f['StartLine'] and f['Line'] for f in known)
	frames[int(t['Address'], 16)] = known if whole else []
def component(d):
	if d & 1:
		return 0
	d >>= 1
	return (d >> 1 & 0xfe0) | (d & 0x1f) if d & 0x20 else d & 0x1f
def copies(d):
	return component(d >> 1 if d & 1 else d >> (14 if d & 0x40 else 7)) or 1
def place(at):
	path, spot = [], None
	for f in reversed(frames[at]):
		path.append((('@' + spot + '/') if spot else '') + f['FunctionName'])
		spot = '%d.%d' % (f['Line'] - f['StartLine'] & 0xffff, component(f['Discriminator']))
	return ''.join(path) + ' ' + spot, f
most = collections.Counter()
for a, n in insns.items():
	if frames[a]:
		p, f = place(a)
		most[p] = max(most[p], n * copies(f['Discriminator']))
calls = collections.Counter()
for (a, b), n in branches.items():
	to = symbol(b)
	if to[0] == b and not kind[a].startswith('ret') and frames[a] and (symbol(a) != to or kind[a].startswith(('call', 'bl'))):
		calls[place(a)[0] + ' > ' + to[2]] += n
print('\n'.join(sorted(['%s %d' % x for x in most.items() if x[1]] + ['%s %d' % x for x in calls.items()])))
EOS
}

# autofdo_lines FILE: a profile in that form.
autofdo_lines() {
	awk '{ match($0, /^ */); depth = RLENGTH; sub(/^ */, "") }
		depth == 0 { n = split($0, f, ":"); path[0] = f[1]; next }
		{ spot = $1; sub(/:$/, "", spot); if (spot !~ /[.]/) spot = spot ".0" }
		$2 ~ /:/ && NF == 2 { split($2, f, ":"); path[depth] = path[depth - 1] "@" spot "/" f[1]; next }
		{ if ($2) print path[depth - 1] " " spot " " $2
		  for (i = 3; i <= NF; i++) { split($i, f, ":"); print path[depth - 1] " " spot " > " f[1] " " f[2] } }' "$1" | sort
}

# feedback_stacks PROGRAM IPS PERIOD DEPTH MAPS: the recording, as mkdata takes it, of branch stacks of IPS: a sample each PERIOD
# branches, with the last DEPTH of them, of which each seventh was mispredicted. MAPS: as elf_maps() has it.
feedback_stacks() {
	local range prot off path
	echo 'feature arch=x86_64'
	echo "attr branches type=hardware config=4 sample=IP,TID,TIME,BRANCH_STACK,IDENTIFIER branch_type=0x8 period=$3" \
		'exclude_kernel sample_id_all ids=1'
	echo 'comm 100/100 "program" exec t=1'
	read -r range prot off _ _ path <"$5"
	printf 'mmap2 100/100 0x%s+%#x@0x%s %s "%s" %s t=2\n' "${range%-*}" $((0x${range#*-} - 0x${range%-*})) "$off" "$prot" "$path" \
		"$(build_id_of "$1")"
	awk -v period="$3" -v depth="$4" 'NR == FNR { if (FNR > 1) follows[before] = $1; before = $1; next }
		FNR > 1 && follows[last] != $1 { from[n % depth] = last; to[n % depth] = $1; n++
			if (n % period == 0) { s = ""
				for (k = n - 1; k >= n - depth && k >= 0; k--)
					s = s (s == "" ? "" : ",") "0x" from[k % depth] ":0x" to[k % depth] ":" (k % 7 ? 2 : 1)
				print "sample 100/100 t=" 1000 + n " ip=0x" $1 " mode=user branch=" s } }
		{ last = $1 }' <(objdump -d --no-show-raw-insn "$1" | awk -F'\t' '/^ / { sub(/^ */, "", $1); sub(/:$/, "", $1); print $1 }') "$2"
}

# clang_takes PROFILE SOURCE FLAG...: clang makes a program of SOURCE with PROFILE.afdo, without a word but that it inlines what
# is hot, and it passes its own test. RUN: what starts programs of another machine.
clang_takes() {
	local profile=$1 source=$2
	shift 2
	clang "${FEEDBACK_FLAGS[@]}" "$@" -Wprofile-instr-unprofiled -Wall -Rpass=sample-profile-inline \
		-fprofile-sample-use="$profile.afdo" -o again "$source" 2>said
	! grep -E 'warning|error' said || fail "clang with $profile.afdo"
	grep "inlined into 'hot' to match profiling context" said >/dev/null || { cat said; fail "what $profile.afdo does to hot()"; }
	${RUN:-} ./again || fail "the program that $profile.afdo makes"
	clang "${FEEDBACK_FLAGS[@]}" "$@" -fprofile-sample-use="$profile.afdo" -S -emit-llvm -o again.ll "$source"
	grep 'function_entry_count", i64' again.ll >counts || fail "$profile.afdo: no function has a count"
}

# compilers_take PROFILE SOURCE FLAG...: the same, and BOLT makes a program of ./program with PROFILE.fdata, of which it ignores
# nothing.
compilers_take() {
	local profile=$1 bolt
	clang_takes "$@"
	bolt=$(command -v llvm-bolt-16 llvm-bolt llvm-bolt-19 | head -1) || true
	[ "$bolt" ] || { part_skipped 'what BOLT says: no llvm-bolt-16'; return 0; }
	"$bolt" program -o bolted -data "$profile.fdata" -reorder-blocks=ext-tsp -split-functions >said 2>&1 || { cat said; fail 'llvm-bolt'; }
	grep -E ' [1-9][0-9]* out of [0-9]* functions in the binary .* have non-empty execution profile' said >/dev/null ||
		{ cat said; fail "what BOLT took of $profile.fdata"; }
	! grep -E 'invalid .*profile|profile for [0-9]* objects was ignored|stale' said || fail "what BOLT ignored of $profile.fdata"
	${RUN:-} ./bolted || fail "the program that BOLT makes with $profile.fdata"
}
