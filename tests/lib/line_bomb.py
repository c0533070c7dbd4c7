# line_bomb.py ROWS OUT: a program whose table of lines is compressed, and has so many rows for one address.
# The table's form: DWARF 4, 6.2.4; of a compressed section: the ELF specification, Elf64_Chdr.
import struct
import subprocess
import sys
import zlib

rows, out = int(sys.argv[1]), sys.argv[2]
SHF_COMPRESSED, ELFCOMPRESS_ZLIB = 0x800, 1


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def table(main):
    header = struct.pack("<BBBbBB", 1, 1, 1, -5, 14, 13) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]) + b"\0bomb.c\0\0\0\0\0"
    program = b"\0\x09\x02" + struct.pack("<Q", main) + bytes([19]) * rows + b"\x02\x40\0\x01\x01"	# each row: the next line
    unit = struct.pack("<HI", 4, len(header)) + header + program
    return struct.pack("<I", len(unit)) + unit


def section_header(elf, name):
    at, entry, count, names = struct.unpack_from("<Q", elf, 40)[0], 64, *struct.unpack_from("<HH", elf, 60)
    strings = struct.unpack_from("<Q", elf, at + names * entry + 24)[0]
    for i in range(count):
        begin = strings + struct.unpack_from("<I", elf, at + i * entry)[0]
        if elf[begin:elf.index(b"\0", begin)] == name:
            return at + i * entry
    sys.exit("no such section")


with open("bomb.c", "w") as f:
    f.write("int main(void) { return 0; }\n")
run("gcc", "-g", "-gdwarf-4", "-O1", "-no-pie", "-Wl,--build-id", "-o", out, "bomb.c")
main = next(int(line.split()[0], 16) for line in run("nm", out).splitlines() if line.endswith(" T main"))
lines = table(main)
with open("lines.bin", "wb") as f:
    f.write(struct.pack("<IIQQ", ELFCOMPRESS_ZLIB, 0, len(lines), 1) + zlib.compress(lines, 9))
run("objcopy", "--update-section", ".debug_line=lines.bin", out)
with open(out, "r+b") as f:
    elf = f.read()
    header = section_header(elf, b".debug_line")
    f.seek(header + 8)
    f.write(struct.pack("<Q", struct.unpack_from("<Q", elf, header + 8)[0] | SHF_COMPRESSED))
