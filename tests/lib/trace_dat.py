# trace_dat.py PERF.DATA OUT: its tracing data, and its samples of tracepoints, as a file of trace-cmd.
# The form: trace-cmd, Documentation/trace-cmd/trace-cmd.dat.v6.5.txt; of a page: header_page in tracefs.
import struct
import sys

PERF_SAMPLE_IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW = (1 << i for i in range(11))
IDENTIFIER = 1 << 16
PERF_RECORD_SAMPLE, HEADER_TRACING_DATA, PAGE = 9, 1, 4096

with open(sys.argv[1], "rb") as f:
    perf = f.read()
attr_size, attrs_at, _, data_at, data_size = struct.unpack_from("<5Q", perf, 16)
features = struct.unpack_from("<4Q", perf, 72)
sample_type = struct.unpack_from("<Q", perf, attrs_at + 24)[0]	# the same of all events


def section(wanted):
    at = data_at + data_size
    for bit in range(256):
        if features[bit // 64] >> bit % 64 & 1:
            if bit == wanted:
                return struct.unpack_from("<2Q", perf, at)
            at += 16
    sys.exit("no tracing data")


def samples():
    at = data_at
    while at < data_at + data_size:
        kind, _, size = struct.unpack_from("<IHH", perf, at)
        field, time = at + 8, 0
        if kind == PERF_RECORD_SAMPLE:
            for bit in (IDENTIFIER, PERF_SAMPLE_IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD):
                if sample_type & bit == TIME:
                    time = struct.unpack_from("<Q", perf, field)[0]
                field += 8 if sample_type & bit else 0
            length = struct.unpack_from("<I", perf, field)[0]
            yield time, perf[field + 4:field + 4 + length]
        at += size


def page(time, raw):
    raw += b"\0" * (-len(raw) % 4)
    event = struct.pack("<II", 0, len(raw) + 4) + raw
    return (struct.pack("<QQ", time, len(event)) + event).ljust(PAGE, b"\0")


if sample_type & (READ | CALLCHAIN) or not sample_type & RAW:
    sys.exit("samples with other fields")
at, size = section(HEADER_TRACING_DATA)
formats = perf[at:at + size]
version_end = formats.index(b"\0", 10)
events = b"".join(page(*sample) for sample in sorted(samples()))
out = formats[:10] + b"6" + formats[version_end:] + struct.pack("<I", 1) + b"options  \0\0\0flyrecord\0"
begin = (len(out) + 16 + PAGE - 1) // PAGE * PAGE
with open(sys.argv[2], "wb") as f:
    f.write((out + struct.pack("<QQ", begin, len(events))).ljust(begin, b"\0") + events)
