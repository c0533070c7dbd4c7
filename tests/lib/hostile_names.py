"""Text for mkdata: threads, files and functions with names that break what does not quote them.  hostile_names.py >FILE"""
import struct

marks = ["\ufffe", "\uffff", "\u202e", "\u202dx\u202c", "\u200b", "\u200d", "\u2028", "\u2029", "\u0085", "\u009b31m", "\ufeff", "e\u0301" * 9, "\u0300",
         "\U0001fffe", "\U0010ffff", "\U000e0001", "\u05d0\u05d1", "\u0627", "\u212a", "\ufdd0", "\u3000", "\u00a0", "\ud7ff", "\ue000", "\u00ad"]
words = ['"', "'", '""', "'\"", "\\", "\\\\", "\\\"", "\\u0000", "\\n", "<b>", "</script>", "<!--", "-->", "]]>", "<![CDATA[", "&", "&amp;", "&#0;", "&#xfffe;",
         "<?x?>", "<svg/onload=x>", "javascript:x", "=1+1", "+1", "-1", "@x", "=cmd|'/c x'!A1", "\t=1", "%s%n%d", "%", "%00", "${x}", "`x`", "$(x)", "{{x}}", "a;b", "a b",
         "a,b", "a:b", "a|b", "a=b", "#a", "(1)", "fn=(1) x", "calls=1 1", "TN:", "end_of_record", "SF:/x", "1 x", "0", "null", "true", "NaN", "{", "}", "[", "]",
         "../x", "/", "//", " x", "x ", "x\ty", "..", "x;", ";", "*", "?", "~", "!", "a\\"]
controls = [chr(c) + "x" for c in range(1, 32)] + ["x" + chr(c) for c in range(1, 32)] + ["\x7f", "\r\n", "\n", "a\nb", "a\r", "\x1b]0;x\x07", "\x1b[31m"]
broken = [b"\x80", b"\xff", b"\xfe\xff", b"\xc0\x80", b"\xc1\xbf", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xed\xa0\xbd\xed\xb8\x80", b"\xe0\x80\x80", b"\xf0\x80\x80\x80",
          b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"a\xc3(", b"\xc3\x22", b"\xe2\x82<", b"\xef\xbf\xbe", b"\xef\xbf\xbf"]
names = [s.encode() for s in marks + words + controls] + [("x" + s + "y").encode() for s in marks + words] + broken + [b"x" + b + b"y" for b in broken]
names += [b"L" * 60000, "\u00e9".encode() * 30000, b"\xff" * 20000, b'"' * 20000, b"<" * 9000]

def text(name):
    return name + b"\0" * (8 - len(name) % 8)

def record(kind, misc, body):
    print(f"raw type={kind} misc={misc} {body.hex()}")

print("attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN period=1")
print("feature arch=x86_64")
for i, name in enumerate(names):
    pid = 1000 + i
    record(3, 0, struct.pack("<II", pid, pid) + text(name))
    record(10, 2, struct.pack("<IIQQQIIQQII", pid, pid, 0x400000, 0x1000, 0, 0, 0, 0, 0, 5, 2) + text(name))
    record(17, 0, struct.pack("<QIHH", 0xffffffffc0000000 + i * 0x100, 0x100, 1, 0) + text(name))
for i in range(len(names)):
    pid, at = 1000 + i, 0xffffffffc0000000 + i * 0x100
    print(f"sample {pid}/{pid} t={1000 + i} ip={at + 16:#x} mode=kernel period=3 chain=kernel,{at + 16:#x},user,0x400010")
