"""A page in headless Chromium, driven over a pipe by the DevTools protocol: shows states of the page, reads what it says."""
import json
import os
import re
import subprocess
import tempfile
import urllib.parse

# The page is ready, and the text beside a flame graph, which is written after the picture, is there.
READY = '''new Promise((done, failed) => {
	const look = () => {
		const body = document.body, view = document.getElementById("view");
		if (!location.href.startsWith(%s))
			setTimeout(look, 2);
		else if (body && body.dataset.error)
			failed(new Error(body.dataset.error));
		else if (body && body.dataset.ready &&
			 (body.dataset.view !== "flame" || !view.querySelector("canvas") || view.querySelector("#text")))
			done(true);
		else
			setTimeout(look, 2);
	};
	look();
})'''

# To another state of the page that is shown: behind the page's own listener all is drawn.
CHANGE = '''new Promise(done => {
	const wanted = %s;
	if (location.hash === wanted)
		return done(true);
	addEventListener("hashchange", () => done(true), { once: true });
	location.hash = wanted;
})'''

# The rows of a table, each {data, cells: [[text, title], ...]}.
ROWS = '''[...document.querySelectorAll(%s)].map(row => ({ data: { ...row.dataset },
	cells: [...row.cells].map(cell => [cell.textContent, cell.title, cell.className]) }))'''


class Chromium:
	def __init__(self):
		self.folder = tempfile.TemporaryDirectory(prefix='chromium.', dir=os.environ.get('WORK'), ignore_cleanup_errors=True)
		their_in, self.out = os.pipe()
		self.inward, their_out = os.pipe()
		# Without the last one more than 200 changes of the address within ten seconds are held back.
		options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync',
			   '--disable-background-networking', '--disable-component-update', '--window-size=1280,800',
			   '--user-data-dir=' + self.folder.name, '--remote-debugging-pipe', '--disable-ipc-flooding-protection']
		command = 'exec 3<&%d 4>&%d; exec chromium "$@"' % (their_in, their_out)
		with open(os.path.join(self.folder.name, 'log'), 'wb') as log:
			self.process = subprocess.Popen(['bash', '-c', command, 'bash', *options, 'about:blank'], pass_fds=(their_in, their_out),
							stdin=subprocess.DEVNULL, stdout=log, stderr=log)
		os.close(their_in)
		os.close(their_out)
		self.number, self.waiting, self.session, self.url = 0, b'', None, None
		target = self.call('Target.createTarget', url='about:blank')['targetId']
		self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
		self.call('Page.enable')

	def close(self):
		try:
			self.session = None
			self.call('Browser.close')
			self.process.wait(10)
		except (RuntimeError, OSError, subprocess.TimeoutExpired):
			self.process.kill()
			self.process.wait()
		self.folder.cleanup()

	def message(self):
		"""The next message; messages end with a NUL."""
		while b'\0' not in self.waiting:
			more = os.read(self.inward, 1 << 20)
			if not more:
				raise RuntimeError('chromium has gone: ' + open(os.path.join(self.folder.name, 'log'), errors='replace').read()[-500:])
			self.waiting += more
		text, self.waiting = self.waiting.split(b'\0', 1)
		return json.loads(text)

	def call(self, method, **params):
		self.number += 1
		request = {'id': self.number, 'method': method, 'params': params}
		if self.session:
			request['sessionId'] = self.session
		text = json.dumps(request).encode() + b'\0'
		while text:
			text = text[os.write(self.out, text):]
		while True:
			answer = self.message()
			if answer.get('id') == self.number:
				if 'error' in answer:
					raise RuntimeError('%s: %s' % (method, answer['error']))
				return answer['result']

	def evaluate(self, expression):
		answer = self.call('Runtime.evaluate', expression=expression, awaitPromise=True, returnByValue=True)
		if 'exceptionDetails' in answer:
			raise RuntimeError('in the page: %s' % json.dumps(answer['exceptionDetails'])[:500])
		return answer['result'].get('value')

	def show(self, file, **state):
		"""Show the page @file in a state, as {'view': 'flame', 'from': '0.5'}."""
		text = '#' + urllib.parse.urlencode(state)
		url = 'file://' + urllib.parse.quote(os.path.realpath(file))
		if url != self.url:
			self.url = url
			self.call('Page.navigate', url=url + text)
		else:
			self.evaluate(CHANGE % json.dumps(text))
		for again in (True, True, False):
			try:
				return self.evaluate(READY % json.dumps(url + '#'))
			except RuntimeError as e:	# what was asked just before the page changed
				if not again or not re.search('context|navigated', str(e)):
					raise

	def rows(self, selector):
		return self.evaluate(ROWS % json.dumps(selector))

	def text(self, selector):
		"""What the first such element says; None: there is none."""
		return self.evaluate('(e => e && e.textContent)(document.querySelector(%s))' % json.dumps(selector))

	def drag(self, selector, begin, end):
		"""With the mouse over an element, from and to a share of its width."""
		box = self.evaluate('(r => [r.left, r.top, r.width, r.height])(document.querySelector(%s).getBoundingClientRect())' %
				    json.dumps(selector))
		y = box[1] + box[3] / 3
		for kind, share, buttons in (('mousePressed', begin, 1), ('mouseMoved', end, 1), ('mouseReleased', end, 0)):
			self.call('Input.dispatchMouseEvent', type=kind, x=box[0] + share * box[2], y=y, button='left', buttons=buttons, clickCount=1)
