# Recordings of traces of the program tests/data/called.c, whose functions are known, and its calls by the generator's log; after
# lib/prec.sh.
# shellcheck shell=bash

# called_program NAME [FLAG...]: compiles it, linked at a fixed address.
called_program() {
	gcc -Wl,--build-id=sha1 -O1 -g -static -nostdlib -fno-stack-protector -fcf-protection=none -no-pie -o "$1" "${@:2}" "$SRC/tests/data/called.c"
}

# elf_maps PROGRAM: what of it is mapped to run, as /proc/PID/maps has it. (That it is this file, PT_BUILD_ID=$(build_id_of PROGRAM)
# says.)
elf_maps() {
	readelf -lW "$1" | awk -v path="$PWD/$1" '$1 == "LOAD" && / E / {
		print substr($3, 3), substr($2, 3), substr($6, 3) }' | while read -r at off size; do
		printf '%x-%x r-xp %x 00:00 1 %s\n' $((0x$at & ~4095)) $(((0x$at + 0x$size + 4095) & ~4095)) $((0x$off & ~4095)) "$PWD/$1"
	done
}

# called_log PROGRAM IPS TIMES [begun|later]: the calls that the log of instructions holds, one a line in order of their ends: function, begin,
# end (of TIMES), instructions, own instructions, level, and whether its begin or end was not seen (b, e, be, -). A line
# "function total own instructions" of sums for each function, with a * before it, follows. With begun: in order of their begins,
# who calls before whom it calls, and without sums; with later, begins and ends are when the instruction behind the call or return
# ran, between which and that the thread may have waited. CALLED_TOOLS: the prefix of the objdump for the program, if it is of another machine.
called_log() {
	python3 - "$@" <<'EOS'
import os, subprocess, sys
program, ips, times = sys.argv[1:4]
begun, later = len(sys.argv) > 4, sys.argv[4:] == ['later']
symbols, kinds, sizes = [], {}, {}
for line in subprocess.run(['nm', '-n', program], capture_output=True, text=True).stdout.splitlines():
	at, kind, name = line.split()
	if kind in 'tT':
		symbols.append((int(at, 16), name))
for line in subprocess.run([os.environ.get('CALLED_TOOLS', '') + 'objdump', '-d', '--no-show-raw-insn', program], capture_output=True, text=True).stdout.splitlines():
	word = line.split('\t')
	if len(word) > 1 and line.startswith(' '):
		kinds[int(word[0].strip().rstrip(':'), 16)] = word[1].split()[0]
names = {}
def name(ip):
	if ip not in names:
		names[ip] = [n for at, n in symbols if at <= ip][-1]
	return names[ip]
starts = {at for at, n in symbols}
run = [(int(a, 16), int(b)) for a, b in zip(open(ips), open(times))]
stack, done, own, totals = [], [], {}, {}
low = 0
class Call:
	def __init__(self, ip, at, nr, kind, seen):
		self.name, self.begin, self.first, self.kind, self.own, self.seen = name(ip), at, nr, kind, 0, seen
def end(at, nr, seen):
	c = stack.pop()
	outermost = all(o.name != c.name for o in stack)
	mark = ('' if c.seen else 'b') + ('' if seen else 'e')
	done.append((c.name, c.begin, at, nr - c.first, c.own, len(stack), mark or '-', c.first))
	if outermost:
		t = totals.setdefault(c.name, [0, 0])
		t[0] += at - c.begin
		t[1] += nr - c.first
for nr, (ip, at) in enumerate(run):
	if not stack:
		stack.append(Call(ip, at, nr, 'call', False))
	elif nr:
		before, then = run[nr - 1][0], run[nr - (not later)][1]
		kind = kinds[before]
		if kind.startswith('call') or kind in ('bl', 'blr'):
			stack.append(Call(ip, then, nr, 'call', True))
		elif kind == 'ret':
			while stack[-1].kind == 'tail':
				end(then, nr, True)
			end(then, nr, True)
		elif name(ip) != stack[-1].name:
			if ip in starts:
				stack.append(Call(ip, then, nr, 'tail', True))
			else:
				while stack[-1].name != name(ip):
					end(then, nr, True)
	stack[-1].own += 1
	own[stack[-1].name] = own.get(stack[-1].name, 0) + 1
# What the last instruction did is done, though nothing ran after it.
if kinds[run[-1][0]] == 'ret':
	while stack[-1].kind == 'tail':
		end(run[-1][1], len(run), True)
	end(run[-1][1], len(run), True)
while stack:
	end(run[-1][1], len(run), False)
if begun:
	done.sort(key=lambda c: (c[-1], c[5]))
for c in done:
	print(*c[:-1])
if begun:
	sys.exit()
for n in sorted(own):
	print('*', n, *totals[n], own[n])
EOS
}
