#!/bin/bash
# No name from a file becomes markup or script in what is exported.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/page.sh"

evil="</script></title><script>document.body.dataset.error='ran'</script><img src=x onerror=alert(1)>&amp;"
cat >evil.txt <<T
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER read=ID sample_id_all mmap comm task mmap2
feature hostname=$evil arch=x86_64 osrelease=$evil nrcpus=2 cmdline=perf,$evil clockid=1
comm 100/100 "$evil" exec t=1000000000
mmap2 100/100 0x400000+0x1000@0x1000 r-xp "/nowhere/$evil" dev=8:1 ino=77 t=1000001000
sample 100/100 t=1000004000 ip=0x400123 cpu=1 period=250000
T
"$(helper mkdata/mkdata)" evil.txt evil.data
for format in html svg; do
	"$PREC" export -q -i evil.data -o "evil.$format"
	! grep -a 'onerror=alert' "evil.$format" | grep -a '<img' || fail "markup of a name in $format"
done
"$PREC" export -q -i evil.data -o evil.json.gz
gzip -dc evil.json.gz >evil.json
! grep -a '[<>&]' evil.json >/dev/null || fail "markup of a name in JSON"

# The page's policy only runs prec's own code.
grep -q "default-src 'none'; script-src 'sha256-" evil.html || fail "no policy in the page"
[ "$(grep -c '<script' evil.html)" = 2 ] || fail "scripts in the page: $(grep -c '<script' evil.html)"
if command -v xmllint >/dev/null; then
	xmllint --noout evil.svg
fi

need chromium
for state in '' view=flame view=table view=tree view=sandwich view=timeline view=code; do
	dom evil.html "$state" >page.dom	# fails where a script of a name has run
	! grep '<img' page.dom || fail "markup of a name in the view of '$state'"
done
grep -q 'onerror=alert' page.dom || fail "the name is not shown"
