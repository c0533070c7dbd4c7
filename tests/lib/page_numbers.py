"""For test_export_html_kinds.sh: the numbers in each view of the page beside those of report, for the recordings in this folder."""
import collections
import decimal
import os
import re
import subprocess
import sys
import time

from chromium import Chromium

PREC = os.environ['PREC']
BIG = 2000	# stacks, above which a tree is not opened whole

# Of each recording: options of report and of export; of each event that is looked at its number in the page, name and unit; the
# time of the first sample and a range of time from there, in seconds; which views. Some bounds of the ranges are times of samples,
# which belong to the range; of the million samples, whose times are kept to the microsecond, none is within one after a bound.
ALL = 'summary flame table sandwich tree timeline code'
Kind = collections.namedtuple('Kind', 'name report export events first range views')
KINDS = [
	Kind('threads', [], [], [(0, 'instructions', 'count')], '1', ('0.022', '0.066000077'), ALL),
	Kind('events', [], [], [(0, 'cpu-clock', 'ns'), (1, 'page-faults', 'count')], '1', ('0.0219', '0.066000011'), ALL),
	Kind('inlines', [], [], [(0, 'cpu-clock', 'ns')], '1.00000001', ('0.00000004', '0.0000001'), ALL),
	Kind('waits', [], ['-e', 'offcpu-time'], [(0, 'offcpu-time', 'ns')], '1.000001', ('0.0005', '0.0019'), ALL),
	Kind('tracepoints', [], [], [(0, 'sys:hit', 'count')], '1', ('0.011', '0.033000055'), ALL),
	Kind('branches', ['--no-branch-stack'], [], [(0, 'branches', 'count')], '1', ('0.011', '0.033000055'), ALL),
	Kind('trace', ['--itrace=i100ig'], ['--itrace=i100ig'], [(0, 'instructions:u', 'count')], None, None, ALL),
	Kind('one', [], [], [(0, 'instructions', 'count')], '1', ('0', '0'), ALL),
	Kind('none', [], [], [(0, 'instructions', 'count')], '0', None, ALL),
	Kind('many', [], [], [(0, 'cpu-clock', 'ns')], '1', ('0.01', '1.52'), ALL),
	Kind('million', [], [], [(0, 'instructions', 'count')], '1', ('0.25', '0.4999993'), ALL),
]


def fail(text):
	sys.exit('failed: ' + text)


def expect(what, want, got):
	if want != got:
		fail('%s:\n want %s\n got  %s' % (what, want, got))


# ---- as the page writes numbers ----

def fixed(value, digits):
	return str(decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-digits), rounding=decimal.ROUND_HALF_UP))


def percent(part, whole):
	return fixed(100 * part / whole if whole else 0, 2) + ' %'


def amount(value, unit):
	if unit == 'count':
		return re.sub(r'\B(?=(\d{3})+$)', '\u202f', '%d' % value)
	factor, name = [s for s in ((1, 'ns'), (1e3, '\u00b5s'), (1e6, 'ms'), (1e9, 's')) if s[0] <= value or s[0] == 1][-1]
	v = value / factor
	return fixed(v, 0 if factor == 1 and v == int(v) else 1 if v >= 100 else 2 if v >= 10 else 3) + ' ' + name


# ---- what report says ----

class Report:
	"""Of one event and some filters: stacks, outermost first, as {(name, ...): [weight, samples]}, and sums by other keys."""
	def __init__(self, kind, event, filters=()):
		self.annotate = ['-i', kind.name + '.data', '-q', *kind.report, *filters]
		self.options = [*self.annotate, '--stdio', '-e', event[1]]
		self.unit, self.stacks = event[2], collections.defaultdict(lambda: [0, 0])
		for at, value in enumerate(('period', 'count')):
			for line in self.lines('--no-children', '-g', 'folded,0,caller,function,' + value, '-s', 'pid'):
				match = re.match(r'(\d+) (.*)$', line)
				if match:
					self.stacks[tuple(plain(name) for name in match[2].split(';'))][at] += int(match[1])
		if not self.stacks:	# without call chains: what ran
			for row in self.rows('sym'):
				self.stacks[(plain(row[2][4:]),)] = [row[0], row[1]]
		rows = self.rows('tgid')
		self.sum, self.samples = sum(row[0] for row in rows), sum(row[1] for row in rows)
		rest = [whole - sum(stack[at] for stack in self.stacks.values()) for at, whole in enumerate((self.sum, self.samples))]
		if rest[1]:	# without a stack, or an address
			self.stacks[('[unknown]',)] = rest

	def lines(self, *options):
		done = subprocess.run([PREC, 'report', *self.options, *options], capture_output=True, text=True)
		if done.returncode and 'there are no call chains' in done.stderr:
			return []
		if done.returncode:
			fail('report: ' + done.stderr)
		return done.stdout.splitlines()

	def rows(self, keys):
		"""[weight, samples, key ...] of each row."""
		rows = [[word.strip() for word in line.split('|')] for line in
			self.lines('--no-children', '-g', 'none', '-t', '|', '-s', keys, '-F', 'period,sample,' + keys) if line.strip()]
		return [[int(row[0]), int(row[1]), *row[2:]] for row in rows]

	def tree(self, up):
		"""By path: [weight of all that goes through there, samples, weight that ends there]; callers @up from what ran."""
		nodes = collections.defaultdict(lambda: [0, 0, 0])
		for stack, (weight, number) in self.stacks.items():
			stack = stack[::-1] if up else stack
			for depth in range(len(stack)):
				node = nodes[stack[:depth + 1]]
				node[0] += weight
				node[1] += number
			nodes[stack][2] += weight
		return nodes

	def functions(self):
		"""By name: [own weight, weight of all stacks that have it, own samples]."""
		functions = collections.defaultdict(lambda: [0, 0, 0])
		for stack, (weight, number) in self.stacks.items():
			functions[stack[-1]][0] += weight
			functions[stack[-1]][2] += number
			for name in set(stack):
				functions[name][1] += weight
		return functions

	def around(self, of, up):
		"""By name the weight of what the outermost @of calls, or of what calls it."""
		sums = collections.Counter()
		for stack, (weight, _) in self.stacks.items():
			if of in stack:
				at = stack.index(of)
				near = stack[max(at - 1, 0):at] if up else stack[at + 1:at + 2]
				sums.update({name: weight for name in near})
		return sums


def plain(name):
	return name.replace(' (inlined)', '')


# ---- the views ----

OPEN_ALL = '''(() => {
	for (let b; (b = [...document.querySelectorAll("#tree button")].find(b => b.textContent === "\\u25b8")); )
		b.click();
})()'''


class Views:
	def __init__(self, browser, kind, report, all_of_event, event, state):
		self.browser, self.kind, self.report, self.unit, self.all = browser, kind, report, event[2], all_of_event
		self.event, self.state = event, {'event': event[0], **state}

	def show(self, view, **state):
		self.browser.show(self.kind.name + '.html', view=view, **self.state, **state)
		self.where = '%s %s %s %s' % (self.kind.name, self.event[1], view, {**self.state, **state})
		got = self.browser.evaluate('[+document.body.dataset.sum, +document.body.dataset.samples]')
		expect(self.where + ': sum, samples', [self.report.sum, self.report.samples], got)
		if not self.report.samples and view not in ('timeline', 'code'):
			text = self.browser.text('#view .empty')
			if not text or not re.match('No sample passes|There are no samples', text):
				fail('%s: nothing is said of no samples: %s' % (self.where, text))
		return self.report.samples > 0

	def says(self, selector, begin):
		text = self.browser.text(selector)
		if not text or not text.startswith(begin):
			fail('%s: want %s, got %s' % (self.where, begin, text))

	def text_of(self, weight):
		return amount(weight, self.unit)

	def share(self, weight):
		return percent(weight, self.report.sum)

	def sums(self, title, rows):
		"""A table of the summary: the ten largest of at least 0.1 %, and the rest as one."""
		got = [[cell[0] for cell in row['cells']] for row in self.browser.rows('table[data-name="%s"] tbody tr' % title)]
		largest = sorted((weight for weight, _ in rows), reverse=True)
		nr = len([w for i, w in enumerate(largest[:10]) if not i or 1000 * w >= self.report.sum])
		want = [[self.share(w), self.text_of(w)] for w in largest[:nr]]
		if len(rows) > nr:
			want.append([self.share(sum(largest[nr:])), self.text_of(sum(largest[nr:])), '%d more' % (len(rows) - nr)])
		expect('%s: %s' % (self.where, title), want[:nr], [row[:2] for row in got[:nr]])
		expect('%s: %s, the rest' % (self.where, title), want[nr:], got[nr:])
		known = {(name, self.text_of(weight)) for weight, name in rows}
		for row in got[:nr]:
			if (row[2], row[1]) not in known:
				fail('%s: %s: %s is not what report has' % (self.where, title, row))

	def summary(self):
		if not self.show('summary'):
			return
		want = (self.text_of(self.report.sum), self.event[1], amount(self.report.samples, 'count'), percent(self.report.sum, self.all.sum))
		expect(self.where + ': in all', 'Shown: %s of %s in %s samples, %s of the recording.' % want, self.browser.text('#total'))
		self.sums('Functions, self', [(f[0], name) for name, f in self.report.functions().items() if f[0]])
		self.sums('Libraries', [(row[0], row[2]) for row in self.report.rows('dso')])
		self.sums('Processes', [(row[0], task_name(row[2])) for row in self.report.rows('tgid')])
		self.sums('Threads', [(row[0], task_name(row[2])) for row in self.report.rows('tid')])

	def waits(self):
		"""The sums of intervals; a wait that was no sleep is one for a CPU."""
		self.show('summary')
		sums = collections.Counter()
		for row in self.report.rows('state'):
			sums['off CPU' if row[2] == 'blocked' else 'runnable'] += row[0]
		got = {row['cells'][1][0]: row['cells'][0][0] for row in self.browser.rows('table[data-name="Not running"] tbody tr')}
		expect(self.where + ': not running', {kind: self.text_of(ns) for kind, ns in sums.items()}, got)

	def flame(self):
		for up in (0, 1):
			if not self.show('flame', up=up):
				continue
			width = self.browser.evaluate('(c => c.width / devicePixelRatio)(document.querySelector("#view canvas"))')
			got = [(int(row['data']['depth']), *(cell[0] for cell in row['cells'])) for row in self.browser.rows('#text tbody tr')]
			wide = [(weight, number, path) for path, (weight, number, _) in self.report.tree(up).items()
				if weight / self.report.sum >= .5 / width]
			wide.sort(key=lambda node: -node[0])
			want = [(len(path) - 1, path[-1], self.share(weight), self.text_of(weight), amount(number, 'count'))
				for weight, number, path in wide]
			expect(self.where + ': weights', [row[2:4] for row in want[:200]], [row[2:4] for row in got])
			if len(want) <= 200:
				expect(self.where, sorted(want), sorted(got))
			elif collections.Counter(got) - collections.Counter(want):
				fail('%s: frames that report has not' % self.where)

	def table(self):
		if not self.show('table'):
			return
		got = [(plain(row['cells'][3][0]), int(row['data']['self']), int(row['data']['total']), row['cells'][2][0],
			row['cells'][0][0], row['cells'][1][0]) for row in self.browser.rows('#table tbody tr')]
		want = [(name, own, total, amount(number, 'count'), self.share(own), self.share(total))
			for name, (own, total, number) in self.report.functions().items()]
		expect(self.where, sorted(want), sorted(got))

	def sandwich(self):
		functions = self.report.functions()
		for of in sorted(functions, key=lambda name: functions[name][:2])[::max(1, len(functions) // 3)] or ['f0']:
			if not self.show('sandwich', of=of):
				return
			own, total, _ = functions[of]
			want = (self.share(own), self.text_of(own), self.share(total), self.text_of(total))
			expect(self.where, 'self %s (%s), total %s (%s)' % want, self.browser.text('#of'))
			for table, up in (('callers', True), ('callees', False)):
				rows = self.browser.rows('#%s tbody tr[data-depth="0"]' % table)
				want = {name: [self.share(weight), self.text_of(weight)] for name, weight in self.report.around(of, up).items()}
				expect('%s: %s' % (self.where, table), want, {self.name_of(row): row['cells'][0][:2] for row in rows})

	@staticmethod
	def name_of(row):
		"""Of a row of a tree: behind the mark that opens it."""
		return plain(row['cells'][2][1])

	def tree(self):
		for up in (0, 1):
			if not self.show('tree', up=up):
				continue
			nodes = self.report.tree(up)
			if len(nodes) < BIG:	# whole
				self.browser.evaluate(OPEN_ALL)
			path, got = [], {}
			for row in self.browser.rows('#tree tbody tr'):
				path[int(row['data']['depth']):] = [self.name_of(row)]
				got[tuple(path)] = tuple(cell[:2] for cell in (row['cells'][0], row['cells'][1]))
			want = {at: ([self.share(total), self.text_of(total)], [self.share(ends), self.text_of(ends)])
				for at, (total, _, ends) in nodes.items()}
			expect(self.where, sorted(want.items()), sorted(got.items()))

	def timeline(self):
		for lanes, key in (('threads', 'tid'), ('cpus', 'cpu')):
			self.show('timeline', lanes=lanes)
			got = [tuple(cell[0] for cell in row['cells'][:2]) for row in self.browser.rows('#text tbody tr')]
			got = [lane for lane in got if lane[1] not in ('0', '0 ns')]
			rows = self.report.rows(key)
			names = [task_name(row[2]) if key == 'tid' else cpu_name(row[2]) for row in rows]
			want = [(name, self.text_of(row[0])) for name, row in zip(names, rows)]
			if len(want) <= 1000:
				expect(self.where, sorted(want), sorted(got))
			else:	# the busiest
				busiest = sorted((row[0] for row in rows), reverse=True)[:1000]
				expect(self.where, [self.text_of(weight) for weight in busiest], [lane[1] for lane in got])
				if set(got) - set(want):
					fail('%s: lanes that report has not: %s' % (self.where, set(got) - set(want)))

	def code(self):
		self.show('code', code='assembly')
		functions = self.browser.evaluate('[...document.querySelectorAll("#function option")].map(o => o.value)')
		if self.kind.name in ('inlines', 'trace') and not functions:
			fail(self.where + ': no code')
		for of in [of for of in functions if of][:3]:
			self.show('code', code='assembly', of=of)
			rows = {row['data']['address']: int(row['data']['self']) for row in self.browser.rows('#code tr[data-address]')}
			own, _, number = self.report.functions()[of]
			if self.kind.name not in ('inlines', 'trace'):	# no code is known of a made-up kernel: all is at the beginning
				expect(self.where, {'%x' % (0xffffffff81000000 + 256 * int(of[1:])): own}, rows)
				self.says('#of', 'self %s (%s, %s samples)' % (self.share(own), self.text_of(own), amount(number, 'count')))
				continue
			done = subprocess.run([PREC, 'annotate', *self.report.annotate, '--show-total-period', of], capture_output=True, text=True)
			found = (re.match(r' *(\d+) : +([0-9a-f]+):', line) for line in done.stdout.splitlines())
			want = {match[2]: int(match[1]) for match in found if match and match[1] != '0'}
			expect(self.where, want, {at: weight for at, weight in rows.items() if weight})


def task_name(text):
	"""Of report's "7:name"."""
	return '%s %s' % tuple(text.split(':', 1)[::-1])


def cpu_name(number):
	return 'CPU unknown' if int(number) < 0 else 'CPU %d' % int(number)


def nanoseconds(text):
	return int(decimal.Decimal(text) * 10**9)


def times_of(first, begin, end):
	"""A range of time as report has it, of times from the first sample on."""
	at = [nanoseconds(first) + nanoseconds(t) for t in (begin, end)]
	return '--time', ','.join('%d.%09d' % divmod(t, 10**9) for t in at)


def dragged(browser, kind, event):
	"""A range that the mouse selects in the timeline above: what the address then says, and all else is of."""
	browser.drag('#overview', .25, .75)
	state = dict(part.split('=') for part in browser.evaluate('location.hash').lstrip('#').split('&'))
	if 'from' not in state or 'to' not in state:
		fail('%s: the mouse selects no range: %s' % (kind.name, state))
	report = Report(kind, event, times_of(kind.first, state['from'], state['to']))
	got = browser.evaluate('[+document.body.dataset.sum, +document.body.dataset.samples]')
	expect('%s: selected with the mouse' % kind.name, [report.sum, report.samples], got)
	if not report.samples:
		fail('no samples are selected')


def check(browser, kind):
	page = kind.name + '.html'
	done = subprocess.run([PREC, 'export', '-q', '-i', kind.name + '.data', *kind.export, '-o', page], capture_output=True, text=True)
	if done.returncode:
		fail('export of %s: %s' % (kind.name, done.stderr))
	for event in kind.events:
		whole = Report(kind, event)
		shown = [(whole, {})]
		if kind.range:
			begin, end = kind.range
			shown.append((Report(kind, event, times_of(kind.first, begin, end)), {'from': begin, 'to': end}))
		if kind.name in ('threads', 'waits'):
			shown.append((Report(kind, event, ('--tid', '7')), {'thread': '7'}))
		if kind.name == 'threads':
			shown.append((Report(kind, event, ('--cpu', '0')), {'cpu': '0'}))
		for report, state in shown:
			if state and kind.name != 'one' and not 0 < report.samples < whole.samples:
				fail('%s: %s leaves %d of %d samples' % (kind.name, state, report.samples, whole.samples))
			views = Views(browser, kind, report, whole, event, state)
			for view in kind.views.split():
				getattr(views, view)()
			if kind.name == 'waits' and 'from' not in state:
				views.waits()
	if kind.name == 'million':
		browser.show(page, view='summary')
		if 'kept to the microsecond' not in browser.text('#facts'):
			fail('how exact times are is not said')
	if kind.name == 'threads':
		browser.show(page, view='summary')
		dragged(browser, kind, kind.events[0])


def main():
	browser = Chromium()
	try:
		for kind in [k for k in KINDS if not sys.argv[1:] or k.name in sys.argv[1:]]:
			if os.path.exists(kind.name + '.data'):
				began = time.monotonic()
				check(browser, kind)
				print('%s: %.1f s' % (kind.name, time.monotonic() - began))
	finally:
		browser.close()


main()
