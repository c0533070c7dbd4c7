"""
Changes a recording's index (core/perfdata/data_index.h), which is the last of prec's own sections.
data_index.py off FILE		the section's number becomes one that prec skips
data_index.py SEED FILE		one bit of it is changed; if SEED is even, its hash, too, so that only the contents are wrong
"""
import random
import struct
import sys

NUMBER = 211
MASK = (1 << 64) - 1


def mixed(v):
    for _ in range(2):
        v ^= v >> 32
        v = v * 0xd6e8feb86659fd93 & MASK
    return v ^ v >> 32


def hash_of(data):
    h = len(data) * 0x9e3779b97f4a7c15 & MASK
    whole = len(data) // 8 * 8
    for at in range(0, whole, 8):
        h = mixed(h ^ struct.unpack_from('<Q', data, at)[0])
    return mixed(h ^ int.from_bytes(data[whole:], 'little'))


how, path = sys.argv[1:]
data = bytearray(open(path, 'rb').read())
table, nr, size, magic = struct.unpack_from('<4Q', data, len(data) - 32)
assert size == len(data) and magic == 0x314e574f43455250, 'no sections of prec'
entry = table + 24 * (nr - 1)
number, offset, size = struct.unpack_from('<3Q', data, entry)
if number != NUMBER:
    sys.exit('no index')
if how == 'off':
    struct.pack_into('<Q', data, entry, 255)
else:
    r = random.Random(int(how))
    even = int(how) % 2 == 0
    data[r.randrange(offset + 16 * even, offset + size)] ^= 1 << r.randrange(8)
    if even:
        struct.pack_into('<Q', data, offset + 8, hash_of(bytes(data[offset + 16:offset + size])))
with open(path, 'r+b') as f:
    f.write(data)
