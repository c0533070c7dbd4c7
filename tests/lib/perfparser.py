"""What hotspot-perfparser wrote into FILE, as hotspot reads it: "samples N", then for each function, with its inlined ones, in how
many samples it stands. Source: KDAB's perfparser, app/perfunwind.cpp: messages of Qt's QDataStream."""
import collections
import struct
import sys

STRING, LOCATION, SYMBOL, SAMPLE, TRACED = 5, 3, 4, 13, 14


def messages(data):
	if data[:12] != b'QPERFSTREAM\0':
		sys.exit('no stream of perfparser')
	at = 16
	while at < len(data):
		size, = struct.unpack_from('<I', data, at)
		yield data[at + 4:at + 4 + size]
		at += 4 + size


def main(path):
	strings, parents, symbols, found = {}, {}, {}, collections.Counter()
	stacks = []
	for m in messages(open(path, 'rb').read()):
		if m[0] == STRING:
			number, size = struct.unpack_from('>iI', m, 1)
			strings[number] = m[9:9 + size].decode(errors='replace')
		elif m[0] == LOCATION:
			parents[struct.unpack_from('>i', m, 1)[0]] = struct.unpack_from('>i', m, len(m) - 4)[0]
		elif m[0] == SYMBOL:
			number, name = struct.unpack_from('>ii', m, 1)
			symbols[number] = name
		elif m[0] in (SAMPLE, TRACED):
			nr, = struct.unpack_from('>I', m, 21)
			stacks.append(struct.unpack_from('>%di' % nr, m, 25))
	for stack in stacks:
		names = set()
		for place in stack:
			while place >= 0:
				names.add(strings.get(symbols.get(place, -1), '?'))
				place = parents.get(place, -1)
		found.update(names)
	print('\n'.join(['samples %d' % len(stacks)] + ['%d %s' % (nr, name) for name, nr in found.items()]))


main(sys.argv[1])
