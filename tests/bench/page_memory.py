"""page_memory.py FILE: opens each view of the page FILE in headless Chromium, in all forms, one after the other. Prints when the first view
was there, in ms since navigation began, and the most memory that the page's process had, in MiB, then and in the end."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from chromium import Chromium  # noqa: E402

STATES = [{'view': 'flame'}, {'view': 'flame', 'up': '1'}, {'view': 'flame', 'group': 'line'}, {'view': 'flame', 'group': 'address', 'colour': 'kind'},
	  {'view': 'table'}, {'view': 'table', 'group': 'address'}, {'view': 'sandwich'}, {'view': 'tree'}, {'view': 'tree', 'up': '1'},
	  {'view': 'timeline'}, {'view': 'timeline', 'lanes': 'cpus'}, {'view': 'timeline', 'form': 'heat map'},
	  {'view': 'timeline', 'form': 'stacks'}, {'view': 'code'}, {'view': 'summary', 'from': '0.1'}, {'view': 'flame', 'from': '0.2', 'to': '0.7'},
	  {'view': 'sandwich', 'group': 'line', 'up': '1'}, {'view': 'flame', 'search': 'f1'}, {'view': 'summary'}]


def most_memory(browser):
	"""Of the renderers the largest that ever was, in MiB."""
	session, browser.session = browser.session, None
	processes = browser.call('SystemInfo.getProcessInfo')['processInfo']
	browser.session = session
	most = 0
	for process in processes:
		if process['type'] == 'renderer':
			with open('/proc/%d/status' % process['id']) as status:
				most = max(most, int(re.search(r'VmHWM:\s*(\d+)', status.read())[1]))
	return most / 1024


def main():
	browser = Chromium()
	try:
		browser.show(sys.argv[1], view='summary')
		first, opened = browser.evaluate('document.body.dataset.ready'), most_memory(browser)
		for state in STATES:
			browser.show(sys.argv[1], **state)
			if os.environ.get('VERBOSE'):
				print(state, browser.evaluate('document.body.dataset.milliseconds'), '%.0f' % most_memory(browser), file=sys.stderr)
		print('%s %.0f %.0f' % (first, opened, most_memory(browser)))
	finally:
		browser.close()


main()
