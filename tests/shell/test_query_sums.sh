#!/bin/bash
# Statements that do not name the time give what SQLite makes of the same samples, whichever conditions and order they have.
. "$(dirname "$0")/lib/prec.sh"
need python3

cat >in.txt <<'X'
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,WEIGHT read=ID sample_id_all mmap comm task mmap2
attr page-faults:u config=2 exclude_kernel exclude_hv sample=IP,TID,TIME,IDENTIFIER read=ID sample_id_all
feature hostname=vm arch=x86_64 nrcpus=4
comm 100/100 "one" exec t=1000
fork 100/101 parent=100/100 t=1001
comm 100/101 "the other" t=1002
mmap2 100/100 0x400000+0x1000@0x1000 r-xp "/nowhere/prog" dev=8:1 ino=77 t=1003
repeat 300
  sample 100/{i%2+100} t={2000+i} ip={i%7+4194304} cpu={i%3} period={i%5+1} weight={i%11*i%13}
end
sample 100/100 t=5000 ip=0x400001 cpu=3 period=1 weight=0xffffffffffffffff
sample 100/101 t=5001 ip=0x700000 cpu=3 period=1 weight=0x8000000000000000
repeat 50
  sample 100/{i%2+100} t={6000+i} ip={i%7+4194304} event=page-faults:u
end
X
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" query -i in.data 'SELECT 1' >/dev/null 2>err || { grep -q 'without SQLite' err && skip "built without SQLite"; fail "$(<err)"; }
"$PREC" query -q --json -i in.data 'SELECT time, event, comm, tid, cpu, dso, address, weight FROM samples' >samples.json

cat >statements <<'S'
SELECT event, count(*) FROM samples GROUP BY event
SELECT tid, comm, count(*) FROM samples GROUP BY tid, comm
SELECT weight, count(*) FROM samples GROUP BY weight
SELECT cpu, weight, count(*), count(weight), sum(tid) FROM samples GROUP BY cpu, weight
SELECT weight, tid, count(*) FROM samples GROUP BY weight, tid HAVING count(*) > 2 ORDER BY count(*) DESC, weight, tid
SELECT count(*) FROM samples WHERE weight > 5
SELECT count(*) FROM samples WHERE weight < 0
SELECT count(*) FROM samples WHERE weight = -1
SELECT count(*) FROM samples WHERE weight >= 5 AND weight <= 6
SELECT count(*) FROM samples WHERE weight = '5'
SELECT count(*) FROM samples WHERE weight > 4.5
SELECT count(*) FROM samples WHERE weight IS NULL
SELECT count(*) FROM samples WHERE weight <> 5
SELECT tid, count(*) FROM samples WHERE weight IN (1, 2, 5, NULL) GROUP BY tid
SELECT tid, count(*) FROM samples WHERE tid IN (100, 101) AND cpu IN (0, 1) GROUP BY tid ORDER BY tid DESC
SELECT count(*) FROM samples WHERE comm = 'the other'
SELECT count(*) FROM samples WHERE comm = 'THE OTHER' COLLATE NOCASE
SELECT count(*) FROM samples WHERE comm > 'p'
SELECT count(*) FROM samples WHERE comm = 5 OR tid = 100
SELECT count(*) FROM samples WHERE comm = x'6f6e65'
SELECT comm, count(*) FILTER (WHERE weight > 5), count(*) FROM samples GROUP BY comm
SELECT count(DISTINCT weight), count(*) FROM samples
SELECT weight / 2 AS half, count(*) FROM samples GROUP BY half
SELECT DISTINCT weight, tid FROM samples ORDER BY weight DESC, tid
SELECT tid, count(*) OVER (PARTITION BY tid) AS n FROM samples ORDER BY tid, n LIMIT 3
SELECT a.tid, count(*) FROM samples a JOIN (SELECT DISTINCT weight FROM samples) b ON a.weight = b.weight GROUP BY a.tid
SELECT (SELECT count(*) FROM samples WHERE weight = 3), count(*) FROM samples
SELECT tid, (SELECT count(*) FROM samples b WHERE b.weight < a.tid AND b.tid = a.tid) FROM samples a GROUP BY tid
SELECT tid, count(*) AS n FROM samples GROUP BY tid UNION ALL SELECT cpu, count(*) FROM samples GROUP BY cpu ORDER BY 1, 2
SELECT tid, count(*), max(weight), min(weight) FROM samples GROUP BY tid
SELECT tid, count(*), group_concat(DISTINCT cpu) IS NULL FROM samples GROUP BY tid
SELECT weight, count(*), min(time) FROM samples GROUP BY weight
SELECT count(*) FROM samples WHERE time > 2100 AND weight > 3
SELECT a.weight, count(*) FROM samples a LEFT JOIN samples b ON a.time = b.time AND b.weight > 5 WHERE a.time < 2050 GROUP BY a.weight
SELECT event, dso, count(*) FROM samples WHERE event LIKE 'page%' GROUP BY event, dso
SELECT count(*) FROM samples WHERE tid = 1
SELECT tid, count(*) FROM samples WHERE tid = 1 GROUP BY tid
SELECT address, weight, count(*) FROM samples GROUP BY address, weight
WITH s AS (SELECT tid, weight FROM samples) SELECT tid, weight, count(*) FROM s GROUP BY tid, weight
SELECT tid, count(*) FROM samples GROUP BY tid ORDER BY tid DESC LIMIT 1
S
cat >same.py <<'P'
import json, sqlite3, subprocess, sys

db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE samples (time INTEGER, event TEXT, comm TEXT, tid INTEGER, cpu INTEGER, dso TEXT, address INTEGER, weight INTEGER)")
rows = json.load(open("samples.json"))
assert len(rows) == 352, len(rows)
db.executemany("INSERT INTO samples VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [list(row.values()) for row in rows])
for statement in open("statements"):
    want = [list(row) for row in db.execute(statement)]
    out = subprocess.run([sys.argv[1], "query", "-q", "--json", "-i", "in.data", statement], capture_output=True)
    assert not out.returncode, (statement, out.stderr)
    got = [list(row.values()) for row in json.loads(out.stdout)]
    if "ORDER BY" not in statement:
        want.sort(key=repr)
        got.sort(key=repr)
    assert got == want, (statement, got, want)
P
python3 same.py "$PREC" 2>err || fail "$(tail -1 err)"
