#!/bin/bash
# In recordings of all kinds the tables have the sums of script and report, for any number of threads, and null for what is not there.
. "$(dirname "$0")/lib/prec.sh"
# Runs: slow
need python3

"$(helper mkdata/mkdata)" /dev/stdin in.data <<<$'attr cpu-clock sample=IP,TID,TIME\nsample 7/7 t=1 ip=1'
"$PREC" query -i in.data 'SELECT 1' >/dev/null 2>err || { grep -q 'without SQLite' err && skip "built without SQLite"; fail "$(<err)"; }
for helper in work/shares work/forks work/faults work/bpf; do
	helper $helper >/dev/null
done
mkdir kinds
(cd kinds && "$SRC/tests/lib/recordings") >left_out
files=(kinds/*.data)
for text in "$SRC"/tests/data/*.txt; do
	file=kinds/$(basename "$text" .txt).made
	"$(helper mkdata/mkdata)" "$text" "$file" >/dev/null 2>&1 || { rm -f "$file"; continue; }
	files+=("$file")
done
if with_corpus; then
	for file in "$PREC_CORPUS"/*/*.data "$PREC_CORPUS"/quipper/*; do
		[ ! -f "$file" ] || [ "$(stat -c %s "$file")" -ge 400000 ] || files+=("$file")
	done
fi

cat >same.py <<'P'
import collections, json, re, subprocess, sys

PREC = sys.argv[1]

def run(*words):
    return subprocess.run([PREC, *words], capture_output=True, text=True, errors="surrogateescape", stdin=subprocess.DEVNULL).stdout

def ask(file, sql, *options):
    text = run("query", "-q", "--json", *options, "-i", file, sql)
    return [list(row.values()) for row in json.loads(text)] if text.strip() else None

def same(what, want, got):
    if want != got:
        only = [(k, want.get(k), got.get(k)) for k in set(want) | set(got) if want.get(k) != got.get(k)] if isinstance(want, dict) else (want, got)
        sys.exit("%s: %s: wanted, got: %s" % (file, what, str(only)[:600]))

def sums(rows):
    return {tuple(row[:-2]): (row[-2], row[-1]) for row in rows if row[-2]}

def printed(text, nr):
    """Of lines "tid period event:" (nr 3), or without the first word: by event and thread, how many, and their periods."""
    made = collections.defaultdict(lambda: [0, 0])
    for line in text.splitlines():
        m = re.fullmatch(r" *(-?\d+)? +(\d+) +(\S.*?): *" if nr == 3 else r"()? *(\d+) +(\S.*?): *", line)
        if not m:
            return None
        one = made[m[3], int(m[1])] if nr == 3 else made[m[3],]
        one[0] += 1
        one[1] += int(m[2])
    return {k: tuple(v) for k, v in made.items()}

checked = collections.Counter()
for file in sys.argv[2:]:
    events = {}
    for name, types in re.findall(r"^# event : name = (.*?), , .*?, sample_type = ([A-Z_|]+)", run("report", "--header-only", "-i", file), re.M):
        events.setdefault(name, []).append(types.split("|"))
    rows = ask(file, "SELECT event, count(*) FROM samples GROUP BY event")
    if not rows:
        continue
    checked["recordings"] += 1
    tables = re.findall(r"^([a-z]\w*): ", run("query", "-q", "--schema", "-i", file), re.M)
    # Samples by event and thread, beside script; in each way that tables of samples are read.
    for fields, key, nr in (("tid,period,event", "event, tid", 3), ("period,event", "event", 2)):
        want = printed(run("script", "-q", "-i", file, "-F", fields), nr)
        if not want:
            continue
        if "waits" in tables:	# a name that sums of waits are recorded by is that of all waits
            want = {("offcpu-time:sums" if k[0] == "offcpu-time" else k[0], *k[1:]): v for k, v in want.items()}
        checked[fields] += 1
        for jobs in ("-j1", "-j3"):
            for sql in ("count(*), sum(period) FROM samples", "count(*), sum(period) FROM samples WHERE time IS NULL OR time",
                        "sum(samples), sum(period) FROM sums"):
                got = ask(file, "SELECT %s, %s GROUP BY %s" % (key, sql, key), jobs)
                same("%s %s %s" % (jobs, key, sql), want, {k: v for k, v in sums(got).items() if k[0] != "offcpu-time"})
    if "waits" in tables:
        found = re.findall(r"^ *(\d+)\|(\d+)", run("report", "-q", "--stdio", "-i", file, "-e", "offcpu-time", "-s", "tid,state", "-F", "sample,period,tid",
                                                  "-t", "|", "-g", "none"), re.M)
        want = [[sum(int(n) for n, _ in found), sum(int(ns) for _, ns in found)]]
        for sql in ("count(*), sum(duration) FROM waits", "sum(samples), sum(period) FROM sums WHERE event = 'offcpu-time'",
                    "count(*), sum(period) FROM samples WHERE event = 'offcpu-time' AND time"):
            same(sql, want, ask(file, "SELECT " + sql))
        checked["waits"] += 1
    # The conditions that leave out parts of the recording.
    for tid, cpu in (ask(file, "SELECT DISTINCT tid, cpu FROM sums WHERE tid >= 0 ORDER BY 1, 2") or [])[:4]:
        for column, value in (("tid", tid), ("cpu", cpu)):
            if value is None:
                continue
            for table, sum_ in (("samples", "count(*), sum(period), count(DISTINCT time)"), ("sums", "sum(samples), sum(period)")):
                same("%s = %d" % (column, value), ask(file, "SELECT %s FROM %s WHERE %s + 0 = %d" % (sum_, table, column, value)),
                     ask(file, "SELECT %s FROM %s WHERE %s = %d" % (sum_, table, column, value)))
                checked["conditions"] += 1
    # Files, beside report, of the events that it shows by itself.
    shown = set(re.findall(r"^# Samples: .* of event '(.*)'", run("report", "--stdio", "--no-branch-stack", "-i", file, "-g", "none"), re.M))
    which = "WHERE event IN (%s)" % ", ".join("'%s'" % e.replace("'", "''") for e in shown) if "waits" in tables else ""
    want = collections.Counter()
    for n, dso in re.findall(r"^ *(\d+)\|(.*?) *\|", run("report", "-q", "--stdio", "--no-branch-stack", "-i", file, "-s", "dso,state", "-F", "sample,dso", "-t", "|", "-g",
                                                          "none", "--no-children"), re.M):
        want[dso] += int(n)
    got = {dso or "[unknown]": n for dso, n in ask(file, "SELECT dso, sum(samples) FROM sums %s GROUP BY dso" % which) or []}
    if want and set(want) - {"[unknown]"}:
        for row in (want, got):
            row["[unknown]"] = row.get("[unknown]", 0)
        same("dso", dict(want), got)
        checked["dso"] += 1
    # Records, beside script.
    for table, option, records, sql in (("maps", "--show-mmap-events", "MMAP2?", "count(*)"),
                                        ("switches", "--show-switch-events", "SWITCH(?:_CPU_WIDE)?", "count(*)")):
        found = re.findall(r"PERF_RECORD_%s\b" % records, run("script", "-q", "-i", file, option))
        if found and not file.startswith("kinds/every"):
            same(table, [[len(found)]], ask(file, "SELECT %s FROM %s" % (sql, table)))
            checked[table] += 1
    found = re.findall(r"PERF_RECORD_LOST (\d+)", run("script", "-q", "-i", file, "--show-lost-events"))
    if found:
        same("losses", [[sum(map(int, found))]], ask(file, "SELECT sum(lost) FROM losses WHERE kind = 'records'"))
        checked["losses"] += 1
    # What an event does not record is null, and what it does is not.
    columns = {"TIME": "time", "TID": "tid", "CPU": "cpu", "ADDR": "data_address", "WEIGHT": "weight", "PHYS_ADDR": "phys_address"}
    for event, *counts in ask(file, "SELECT event, count(*), %s FROM samples GROUP BY event" % ", ".join("count(%s)" % c for c in columns.values())):
        if len(events.get(event, [])) != 1:
            continue
        for bit, n in zip(columns, counts[1:]):
            if n and bit not in events[event][0] and not (bit == "WEIGHT" and "WEIGHT_STRUCT" in events[event][0]):
                sys.exit("%s: %s has %d values of %s, which it does not record" % (file, event, n, columns[bit]))
            if bit in ("TID", "CPU") and bit in events[event][0] and n != counts[0]:
                sys.exit("%s: %s has %d of %d values of %s" % (file, event, n, counts[0], columns[bit]))
            checked["nulls"] += 1
    # All rows of each table, whatever the number of threads.
    # Calls are an error where the trace has none: they have a statement of their own.
    for some in ([t for t in tables if t not in ("pairs", "calls")], ["calls"]):
        sql = "; ".join("SELECT '%s:'; SELECT * FROM %s" % (t, t) for t in some)
        one, three = (run("query", "-q", j, "--csv", "-i", file, sql) for j in ("-j1", "-j3"))
        if sorted(one.splitlines()) != sorted(three.splitlines()):
            sys.exit("%s: tables differ with the number of threads: %s" % (file, set(one.splitlines()) ^ set(three.splitlines())))
        missing = [t for t in some if not re.search("^.?%s:.?$" % t, one, re.M)]
        if missing:
            sys.exit("%s: %s are not printed" % (file, missing))
        checked["tables"] += len(some)
print(", ".join("%s %d" % (k, v) for k, v in checked.items()))
for what, least in (("recordings", 10), ("tid,period,event", 8), ("dso", 5), ("maps", 8), ("nulls", 50)):
    assert checked[what] >= least, (what, checked)
P
python3 same.py "$PREC" "${files[@]}" >said 2>&1 || fail "$(tail -1 said)"
cat said
! grep -q . left_out || part_skipped "$(tr '\n' ';' <left_out)"
