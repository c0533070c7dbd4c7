"""Reads exports as strictly as their languages are written: strict.py KIND FILE [NR] fails where one is not valid, or has not NR rows."""
import csv, gzip, io, json, re, sys, xml.dom.minidom, xml.parsers.expat

kind, path = sys.argv[1:3]
want = int(sys.argv[3]) if len(sys.argv) > 3 else None
data = open(path, "rb").read()
if data[:2] == b"\x1f\x8b":
    data = gzip.decompress(data)

def no_number(word):
    raise ValueError("not JSON: " + word)

def strict_json(text):
    value = json.loads(text, parse_constant=no_number)
    json.dumps(value, ensure_ascii=False).encode()  # no lone surrogate
    return value

def varints(at, end):
    """Fields of a message of protocol buffers: number, value."""
    def varint():
        nonlocal at
        n = shift = 0
        while True:
            byte = data[at]
            at += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n
    while at < end:
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            n = varint()
            if at + n > end:
                raise ValueError("a field beyond the end")
            yield key >> 3, data[at:at + n]
            at += n
        else:
            raise ValueError("a wire type")

if kind != "pprof":
    text = data.decode("utf-8", "strict")
rows = None
if kind == "svg":
    xml.dom.minidom.parseString(data)
    if re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", text):
        raise ValueError("a character that XML 1.0 has not")
elif kind == "json":
    strict_json(text)
elif kind == "jsonl":
    lines = text.split("\n")
    if lines.pop():
        raise ValueError("the last line does not end")
    for line in lines:
        strict_json(line)
    rows = len(lines)
elif kind == "csv":
    csv.field_size_limit(1 << 30)
    table = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    if len({len(row) for row in table}) != 1:
        raise ValueError("rows of different length")
    for row in table[1:]:
        for cell in row:
            if cell[:1] in tuple("=+-@\t\r") and not re.fullmatch(r"-?[0-9.]+", cell):
                raise ValueError("a formula: %r" % cell[:40])
    rows = len(table) - 1
elif kind == "folded":
    lines = text.split("\n")
    if lines.pop():
        raise ValueError("the last line does not end")
    for line in lines:
        if not re.fullmatch(r"[^\x00-\x1f\x7f]+ [0-9]+", line):
            raise ValueError("no folded line: %r" % line[:80])
    rows = len(lines)
elif kind == "callgrind":
    for line in text.split("\n"):
        if not re.fullmatch(r"|#.*|[a-z]+:.*|(fn|fl|fi|fe|ob|cfn|cfi|cfl|cob)=\([0-9]+\)( [^\x00-\x1f]+)?|calls=[0-9]+ .*|[-+*0-9][-+*0-9x ]*", line):
            raise ValueError("no line of callgrind: %r" % line[:80])
elif kind == "pprof":
    for number, value in varints(0, len(data)):
        if number == 6:
            value.decode("utf-8", "strict")
elif kind == "html":
    # HTML, 13.2.3.5: control-character-in-input-stream, noncharacter-in-input-stream.
    wrong = re.search(".{0,9}[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff\U0001fffe\U0010ffff]", text)
    if wrong:
        raise ValueError("a character that HTML has not: %r" % wrong.group())
if want is not None and rows != want:
    raise ValueError("%s rows, not %d" % (rows, want))
