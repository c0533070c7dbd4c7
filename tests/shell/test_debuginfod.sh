#!/bin/bash
# A server of debug information gives names: where it has them, has them not, is slow, broken, or refuses. Nobody is asked unasked.
. "$(dirname "$0")/lib/prec.sh"
need cc
need debuginfod
need python3
need_events
python3 -c 'import ctypes; ctypes.CDLL("libdebuginfod.so.1")' 2>/dev/null || skip "no libdebuginfod.so.1"
export DEBUGINFOD_CACHE_PATH=$PWD/cache no_proxy='*' NO_PROXY='*'

cat >prog.c <<'T'
static volatile long s;
static __attribute__((noinline)) void hidden(long i) { s += i; }
int main(void) { for (long i = 0; i < 40000000; i++) hidden(i); return 0; }
T
mkdir served
cc -O1 -g -Wl,--build-id -o prog prog.c
objcopy --only-keep-debug prog served/prog.debug
strip -s prog
cp prog served/prog
"$PREC" record -q -N -o data -e cpu-clock:u ./prog
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')

names() { "$PREC" report -i data --stdio -s sym,srcline "$@" 2>err | grep -cw hidden || true; }
forget() { rm -rf cache; }

# The server of Debian, on a port that is free.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
debuginfod -p "$port" -d :memory: -F served >server.log 2>&1 &
url=http://127.0.0.1:$port
await 60 grep -E 'fts traversed|found [0-9]+ .*debuginfo|groom' server.log >/dev/null
get() { python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1]).read()' "$1" 2>/dev/null; }
await 60 get "$url/buildid/$id/debuginfo"

# Not asked: it is not there, and the server hears nothing.
before=$(grep -c GET server.log || true)
expect "nobody was asked" 0 "$(names)"
expect "the server heard nothing" "$before" "$(grep -c GET server.log || true)"

# Asked by the option, by the environment; then it is in the cache.
expect "by the option" 1 "$(names --debuginfod="$url" | sed 's/[1-9][0-9]*/1/')"
grep prog.c <("$PREC" report -i data --stdio -s sym,srcline --debuginfod="$url" 2>/dev/null) >/dev/null || fail "no lines"
forget
[ "$(DEBUGINFOD_URLS=$url names)" -ge 1 ] || fail "by the environment: $(<err)"
[ "$(DEBUGINFOD_URLS=$url names --no-debuginfod)" = 0 ] || fail "--no-debuginfod asks"
forget
"$PREC" report -i data --stdio -v --debuginfod="$url" 2>err >/dev/null
grep "prog': debuginfod has its debug information: '$PWD/cache/$id/debuginfo'" err >/dev/null || fail "-v says not what it got: $(<err)"
# The program itself, too, where it is gone: its code is for annotate.
await 60 get "$url/buildid/$id/executable"
mv prog gone
forget
"$PREC" annotate -i data --stdio --debuginfod="$url" hidden >out 2>err
grep -E '[0-9] .*(add|mov)' out >/dev/null || fail "there is no code: $(cat out err)"
mv gone prog
# Not the kernel's.
! grep -E 'GET /buildid/[0-9a-f]+/.*vmlinux' server.log || fail "a kernel"

# It has it not: no failure, and the reason stays.
forget
mv served/prog.debug away
expect_status 129 "$PREC" report -i data --debuginfod 2>err
grep 'no server is named' err >/dev/null || fail "it says: $(<err)"
kill %1 && wait %1 2>/dev/null || true

# server BODY: a server of Python, whose handler does that; its address in url.
server() {
	cat >server.py <<-T
		import http.server, sys, threading
		class H(http.server.BaseHTTPRequestHandler):
		    def do_GET(self):
		        $1
		    def log_message(self, *a):
		        print(*a, file=open("asked", "a"))
		s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
		print(s.server_address[1], flush=True)
		s.serve_forever()
	T
	rm -f asked port
	python3 server.py >port 2>server.err &
	await 30 test -s port
	url=http://127.0.0.1:$(<port)
	forget
}
server 'self.send_error(404)'
expect "not found" 0 "$(names --debuginfod="$url")"
[ -s asked ] || fail "it was not asked"
! grep 'debuginfod\]' err || fail "that it has no file is no failure"
forget
"$PREC" report -i data --unresolved --debuginfod="$url" 2>/dev/null | grep -A1 'stripped' >/dev/null || fail "the reason is gone"

server 'self.send_response(200); self.send_header("Content-Length", "12"); self.end_headers(); self.wfile.write(b"not an ELF!\n")'
expect "broken" 0 "$(names --debuginfod="$url")"
server 'self.send_error(500)'
expect "an error" 0 "$(names --debuginfod="$url")"

# Another file than it was asked for.
cat >other.c <<'T'
void hidden(void) { }
int main(void) { return 0; }
T
cc -g -Wl,--build-id -o other other.c
server 'b = open("other", "rb").read(); self.send_response(200); self.send_header("Content-Length", str(len(b))); self.end_headers(); self.wfile.write(b)'
expect "another file" 0 "$(names --debuginfod="$url")"

# It never answers: reported, and no other file waits for it.
server 'open("asked", "a").write(self.path + "\n"); threading.Event().wait()'
expect "slow" 0 "$(DEBUGINFOD_TIMEOUT=1 names --debuginfod="$url")"
expect_finding debuginfod err "sent nothing for 1 s"
expect "asked once" 1 "$(sort -u asked | wc -l)"

# Refused.
forget
expect "refused" 0 "$(names --debuginfod=http://127.0.0.1:1)"
expect_finding debuginfod err 'http://127.0.0.1:1'
