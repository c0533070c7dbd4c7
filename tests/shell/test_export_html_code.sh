#!/bin/bash
# The page shows source beside assembly, linked as binutils say, with the function's jumps as arrows, and keeps its heads in view.
. "$(dirname "$0")/lib/prec.sh"
need chromium
need python3
need objdump
need addr2line
need_events
CC=${CC:-cc}

cat >steps.c <<'END'
__attribute__((noinline)) unsigned steps(unsigned n, unsigned *at)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++) {
		if (i % 3 == 0)
			sum += at[i % 64] * 7;
		else if (i % 5 == 0)
			sum ^= at[(i + 1) % 64];
		switch (sum % 11) {
		case 1: at[i % 64] += sum / 3; break;
		case 2: at[i % 64] ^= sum << 2; break;
		case 3: at[i % 64] -= sum / 7; break;
		default: at[i % 64]++;
		}
		__asm__ volatile("" ::: "memory");
	}
	for (unsigned i = 0; i < 64; i++) {
		while (at[i] > 1000)
			at[i] /= 2;
		if (at[i] & 1)
			sum++;
	}
	return sum;
}

int main(void)
{
	unsigned at[64] = { 0 }, sum = 0;

	for (int i = 0; i < 400; i++)
		sum += steps(100000, at);
	return sum == 5;
}
END
$CC -O1 -g -fno-jump-tables -fno-inline steps.c -o steps
"$PREC" record -q -F 1000 -g -o in.data ./steps >/dev/null 2>said || fail "record: $(tail -3 said)"
"$PREC" export -q -i in.data -o in.html
objdump -d --no-show-raw-insn --disassemble=steps steps | sed -nE 's/^ *([0-9a-f]+):\t(.*)/\1 \2/p' >code
[ -s code ] || fail "objdump shows no code"
cut -d' ' -f1 code | addr2line -e steps | sed -E 's/ .*//; s/.*://' | paste -d' ' <(cut -d' ' -f1 code) - >lines
export WORK
PYTHONPATH=$SRC/tests/lib PYTHONDONTWRITEBYTECODE=1 python3 - <<'END' || fail "see above"
import collections
import re
import urllib.parse
from chromium import Chromium

wrong, line_of, addresses = [], dict(line.split() for line in open('lines')), collections.defaultdict(set)
for address, line in line_of.items():
	addresses[line].add(address)
jumps = set()
for line in open('code'):
	found = re.match(r'([0-9a-f]+) (?:j\w+|b\S*|cbn?z|tbn?z)\s.*?\b([0-9a-f]+) <steps', line)
	if found:
		jumps.add((found[1], found[2]))


def check(what, want, got):
	if want != got:
		wrong.append('%s:\n want %s\n got  %s' % (what, want, got))


MARKED = '[...document.querySelectorAll("%s tr.%s")].map(row => row.dataset.%s)'
POINT = '''(row => row.dispatchEvent(new MouseEvent("%s", { bubbles: true })))(document.querySelector("%s"))'''
DRAWN = '[...document.querySelectorAll(".pane svg g")].map(g => [g.dataset.from, g.dataset.to])'
SEEN = '''[...document.querySelectorAll(".pane")].map(pane => [pane, ...pane.querySelectorAll("th")].map(e => e.getBoundingClientRect().top))'''
browser = Chromium()
try:
	browser.show('in.html', view='code', of='steps')
	check('both are shown', [True, True], [browser.text('#code') is not None, browser.text('#assembly') is not None])
	check('all instructions', set(line_of), set(browser.evaluate('[...document.querySelectorAll("#assembly tr[data-address]")].map(r => r.dataset.address)')))
	lines = set(browser.evaluate('[...document.querySelectorAll("#code tr[data-line]")].map(row => row.dataset.line)'))
	check('all lines', set(addresses), lines)
	for line in sorted(lines, key=int):
		browser.evaluate(POINT % ('mouseover', '#code tr[data-line=\\"%s\\"] td' % line))
		check('instructions of line %s' % line, addresses[line], set(browser.evaluate(MARKED % ('#assembly', 'linked', 'address'))))
	for address in sorted(line_of)[::5]:
		browser.evaluate(POINT % ('mouseover', '#assembly tr[data-address=\\"%s\\"] td' % address))
		check('the line of %s' % address, [line_of[address]], browser.evaluate(MARKED % ('#code', 'linked', 'line')))
		on = browser.evaluate('[...document.querySelectorAll(".pane svg g.on")].map(g => [g.dataset.from, g.dataset.to])')
		check('arrows of %s' % address, {jump for jump in jumps if address in jump}, {tuple(jump) for jump in on})
	check('jumps', jumps, {tuple(jump) for jump in browser.evaluate(DRAWN)})
	# An arrow stands where its rows do.
	rows = browser.evaluate('''[...document.querySelectorAll(".pane svg g:not(.crowded)")].map(g => {
		const box = g.firstChild.getBoundingClientRect(), ends = [g.dataset.from, g.dataset.to].map(a =>
			(r => r.top + r.height / 2)(document.querySelector(`#assembly tr[data-address="${a}"]`).getBoundingClientRect()));
		return [Math.abs(box.top - Math.min(...ends)), Math.abs(box.bottom - Math.max(...ends))];
	})''')
	check('arrows that are elsewhere', [], [off for off in rows if max(off) > 1.5])
	# A click keeps the marks, and shows what belongs to it; the heads stay.
	before = browser.evaluate(SEEN)
	last = max(lines, key=lambda line: max(addresses[line]))
	browser.evaluate(POINT % ('click', '#code tr[data-line=\\"%s\\"] td' % last))
	browser.evaluate(POINT % ('mouseover', '#code tr[data-line=\\"%s\\"] td' % min(lines, key=int)))
	check('a click keeps', addresses[last], set(browser.evaluate(MARKED % ('#assembly', 'pinned', 'address'))))
	check('it is in view', True, browser.evaluate('''(() => {
		const pane = document.getElementById("assembly").parentNode.getBoundingClientRect();
		return [...document.querySelectorAll("#assembly tr.pinned")].some(r => (b => b.top >= pane.top && b.bottom <= pane.bottom)(r.getBoundingClientRect()));
	})()'''))
	check('it was scrolled', True, browser.evaluate('document.getElementById("assembly").parentNode.scrollTop > 0'))
	check('heads', before, browser.evaluate(SEEN))
	# The mark is in the address, from which it comes back; Backspace undoes each, and then there is none.
	marked = lambda: set(browser.evaluate(MARKED % ('#code', 'pinned', 'line')))
	state = lambda: dict(urllib.parse.parse_qsl(browser.evaluate('location.hash').lstrip('#')))
	check('the address has the line', last, state().get('mark', '').rpartition(':')[2])
	kept = state()
	browser.show('in.html', view='table')
	browser.show('in.html', **kept)
	check('marked by the address', ({last}, addresses[last]), (marked(), set(browser.evaluate(MARKED % ('#assembly', 'pinned', 'address')))))
	browser.evaluate('document.dispatchEvent(new KeyboardEvent("keydown", { key: "Backspace" }))')
	check('undone', (None, 'steps', 'code'), (state().get('mark'), state().get('of'), state().get('view')))
	check('another is marked at first', False, last in marked())
	# Alone, too.
	browser.show('in.html', view='code', of='steps', code='assembly')
	check('jumps of assembly alone', jumps, {tuple(jump) for jump in browser.evaluate(DRAWN)})
	head = 'document.querySelector(".listing th").getBoundingClientRect().top'
	browser.evaluate('document.getElementById("view").scrollTop = 0')
	at = browser.evaluate(head)
	browser.evaluate('document.getElementById("view").scrollTop = 300')
	check('the head of assembly alone', [True, True], [browser.evaluate('document.getElementById("view").scrollTop') > 100, browser.evaluate(head) > at - 20])
finally:
	browser.close()
for what in wrong[:5]:
	print(what)
print('%d instructions of %d lines, %d jumps' % (len(line_of), len(addresses), len(jumps)))
raise SystemExit(bool(wrong) or len(jumps) < 5)
END
