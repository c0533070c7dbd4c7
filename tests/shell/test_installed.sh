#!/bin/bash
# Each goal of make installs what it wants that is not there, though another goal installed before it; nothing twice.
. "$(dirname "$0")/lib/prec.sh"
unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES
# A machine without these, and an installer that installs nothing but tells what it was to.
mkdir -p bin build tree/.ci
ln -s /usr/bin/* /bin/* bin/ 2>/dev/null || true
rm -f bin/{jq,tmux,qemu-aarch64,shellcheck}
cp "$SRC/Makefile" tree
printf '#!/bin/sh\necho "$@" >>../asked\n' >tree/.ci/deps
chmod +x tree/.ci/deps
goal() {	# GOAL...: what it asks for, of the four
	: >asked
	# There are no sources: it fails when all is installed.
	PATH=$PWD/bin make -C tree "$@" >make.said 2>&1 || true
	tr ' ' '\n' <asked | awk '/^(jq|tmux|qemu-user|shellcheck)$/' | sort | xargs
}
expect "for the demo" "" "$(goal demo)"
expect "before the tests, in a dry run" "" "$(goal -n test)"
grep -qE '^\.ci/deps .*-- .*jq' make.said || fail "the dry run does not tell: $(cat make.said)"
expect "for the tests, after the demo" "jq tmux" "$(goal test)"
expect "for the tests, a second time" "" "$(goal test)"
expect "for lint" shellcheck "$(goal lint TIDY=no)"
expect "for tests in emulation" qemu-user "$(goal test-all)"
expect "for all of them, a second time" "" "$(goal demo test-all lint TIDY=no)"
