"""For test_export_html_transforms.sh: stacks of in.folded changed by hand, beside what each view of in.html says."""
import collections
import random
import sys

from chromium import Chromium


def fail(text):
	sys.exit('failed: ' + text)


def expect(what, want, got):
	if want != got:
		fail('%s:\n want %s\n got  %s' % (what, want, got))


def without_repeats(stack):
	return tuple(name for at, name in enumerate(stack) if not at or stack[at - 1] != name)


# By kind: is the stack kept, and what becomes of it.
KINDS = {
	'only': (lambda s, f: f in s, lambda s, f: s),
	'focus': (lambda s, f: f in s, lambda s, f: s[s.index(f):]),
	'drop': (lambda s, f: f not in s, lambda s, f: s),
	'merge': (lambda s, f: True, lambda s, f: tuple(name for name in s if name != f)),
	'fold': (lambda s, f: True, lambda s, f: s[:s.index(f) + 1] if f in s else s),
	'recursion': (lambda s, f: True, lambda s, f: without_repeats(s)),
}


def read():
	stacks = {}
	for line in open('in.folded'):
		stack, weight = line.rsplit(' ', 1)
		stacks[tuple(stack.split(';'))[1:]] = int(weight)
	return stacks


def changed(stacks, keep, change):
	out = collections.Counter()
	for stack, weight in stacks.items():
		if keep(stack):
			out[change(stack)] += weight
	return out


def transformed(stacks, transforms):
	for text in transforms:
		kind, of = (text + ' ').split(' ')[:2]
		keep, change = KINDS[kind]
		stacks = changed(stacks, lambda s: keep(s, of), lambda s: change(s, of))
	return stacks


# What views say of @stacks.
def functions(stacks):
	rows = {}
	for stack, weight in stacks.items():
		for name in set(stack):
			rows.setdefault(name, [0, 0])[1] += weight
		if stack:
			rows[stack[-1]][0] += weight
	return rows


def tree(stacks, up):
	nodes = collections.Counter()
	for stack, weight in stacks.items():
		stack = stack[::-1] if up else stack
		for depth in range(len(stack)):
			nodes[stack[:depth + 1]] += weight
	return sorted((len(path) - 1, path[-1], weight) for path, weight in nodes.items())


class Page:
	def __init__(self, browser):
		self.browser = browser

	def sum(self):
		return int(self.browser.evaluate('document.body.dataset.sum'))

	def transforms(self):
		return self.browser.evaluate('new URLSearchParams(location.hash.slice(1)).get("transforms")')

	def functions(self):
		return {row['cells'][3][1]: [int(row['data']['self']), int(row['data']['total'])] for row in self.browser.rows('#table tbody tr')}

	def flame(self):
		return sorted((int(row['data']['depth']), row['cells'][0][0], int(row['cells'][2][0])) for row in self.browser.rows('#text tbody tr'))

	def tree(self):
		"""Of the call tree, which is opened whole, rows as {path: weight}."""
		self.browser.evaluate('''(() => {
			for (let shut; (shut = [...document.querySelectorAll("#tree button")].find(b => b.textContent === "\\u25b8"));)
				shut.click();
		})()''')
		rows, path = {}, []
		for row in self.browser.rows('#tree tbody tr'):
			path[int(row['data']['depth']):] = [row['cells'][2][1]]
			rows[tuple(path)] = int(row['cells'][0][1].replace('\u202f', ''))
		return rows

	def press(self, key):
		shift = 8 if key.isupper() and len(key) == 1 else 0
		params = {'key': key, 'modifiers': shift, 'windowsVirtualKeyCode': ord(key.upper()) if len(key) == 1 else 8}
		if len(key) == 1:
			params['text'] = key
		self.browser.call('Input.dispatchKeyEvent', type='keyDown', **params)
		self.browser.call('Input.dispatchKeyEvent', type='keyUp', **params)
		self.browser.evaluate('new Promise(done => setTimeout(done, 0))')


def lists(page, stacks):
	"""Lists of transforms in the address: the sum, functions, flame graphs and trees in both directions."""
	random.seed(7)
	for _ in range(40):
		transforms = [kind if kind == 'recursion' else kind + ' ' + random.choice('abcd')
			      for kind in random.choices(list(KINDS), k=random.randint(1, 3))]
		want, text = transformed(stacks, transforms), '\n'.join(transforms)
		page.browser.show('in.html', view='table', transforms=text)
		expect('sum of %s' % transforms, sum(want.values()), page.sum())
		expect('functions of %s' % transforms, functions(want), page.functions())
		for up in ('', '1'):
			page.browser.show('in.html', view='flame', transforms=text, up=up)
			expect('flame graph of %s, up=%s' % (transforms, up), tree(want, up), page.flame())
			page.browser.show('in.html', view='tree', transforms=text, up=up)
			expect('tree of %s, up=%s' % (transforms, up), tree(want, up),
			       sorted((len(path) - 1, path[-1], weight) for path, weight in page.tree().items()))


def subtrees(page, stacks):
	"""z on a row of the call tree: what goes through there, with the place as root; where callers stand below, what it leads to."""
	for up in ('', '1'):
		page.browser.show('in.html', view='tree', up=up)
		for number, path in enumerate(page.tree()):
			if number % 5:
				continue
			size = len(path)
			want = changed(stacks, lambda s: s[-size:][::-1] == path, lambda s: s[:len(s) - size + 1]) if up else \
				changed(stacks, lambda s: s[:size] == path, lambda s: s[size - 1:])
			page.browser.evaluate('document.querySelectorAll("#tree tbody tr")[%d].focus()' % number)
			page.press('z')
			page.browser.show('in.html', view='flame', up=up, transforms=page.transforms())
			expect('%s, up=%s: the subtree' % (path, up), tree(want, up), page.flame())
			page.browser.show('in.html', view='tree', up=up)
			page.tree()


def keys(page, stacks):
	"""Each key adds one, Backspace takes one away; the menu of the right button does the same."""
	page.browser.show('in.html', view='table')
	names = [name for name, _ in sorted(functions(stacks).items(), key=lambda row: -row[1][0])]
	keys = {'f': 'only', 'd': 'drop', 'm': 'merge', 'o': 'fold', 'F': 'focus'}
	for key, kind in keys.items():
		page.browser.evaluate('document.querySelector("#table tbody tr").focus()')
		page.press(key)
		expect(key, '%s %s' % (kind, names[0]), page.transforms())
		expect('after ' + key, functions(transformed(stacks, [page.transforms()])), page.functions())
		page.press('Backspace')
		expect('Backspace after ' + key, (None, functions(stacks)), (page.transforms(), page.functions()))
	page.browser.show('in.html', view='flame')
	root = max(tree(stacks, False), key=lambda node: (-node[0], node[2]))[1]
	left, top = page.browser.evaluate('(r => [r.left, r.top])(document.getElementById("picture").getBoundingClientRect())')
	for kind in ('mousePressed', 'mouseReleased'):
		page.browser.call('Input.dispatchMouseEvent', type=kind, x=left + 5, y=top + 5, button='right', buttons=2, clickCount=1)
	items = page.browser.evaluate('[...document.querySelectorAll("#menu button")].map(button => button.textContent)')
	expect('the menu is of', root, page.browser.text('#menu .of-menu'))
	page.browser.evaluate('document.querySelectorAll("#menu button")[%d].click()' % next(i for i, text in enumerate(items) if text.startswith('m ')))
	page.press('R')
	expect('two', 'merge %s\nrecursion' % root, page.transforms())
	page.press('Backspace')
	expect('one', 'merge %s' % root, page.transforms())
	page.browser.evaluate('document.querySelector("#filters .chip").click()')
	expect('none', (None, sum(stacks.values())), (page.transforms(), page.sum()))


def sandwich(page, stacks):
	"""The picture has callers above, callees below: a click on the row above shows that function."""
	page.browser.show('in.html', view='sandwich', of='b')
	callers = collections.Counter()
	for stack, weight in stacks.items():
		at = stack.index('b') if 'b' in stack else 0
		if at:
			callers[stack[at - 1]] += weight
	page.browser.evaluate('''(() => {
		const canvas = document.getElementById("picture"), levels = canvas.getBoundingClientRect().height / ROW;
		for (let level = 0; level < levels; level++) {
			canvas.onmousemove({ offsetX: 1, offsetY: level * ROW + 5, clientX: 0, clientY: 0 });
			if (document.getElementById("tip").textContent.split("\\n").some(line => line === "b"))
				return canvas.onclick({ offsetX: 1, offsetY: (level - 1) * ROW + 5 });
		}
	})()''')
	of = page.browser.evaluate('new URLSearchParams(location.hash.slice(1)).get("of")')
	expect('the heaviest caller of b', callers.most_common(1)[0][0], of)


def main():
	browser = Chromium()
	try:
		page, stacks = Page(browser), read()
		for part in (lists, subtrees, keys, sandwich):
			part(page, stacks)
	finally:
		browser.close()


main()
