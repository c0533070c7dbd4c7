#!/bin/bash
# No header includes itself through others.
. "$(dirname "$0")/lib/prec.sh"
cd "$SRC"
sources '*.h' | xargs grep -HE '^#[[:space:]]*include "' |
	sed -E 's/^([^:]+):#[[:space:]]*include "([^"]+)".*/\1 \2/' |
	tsort >/dev/null 2>"$WORK/loops" || { cat "$WORK/loops"; fail "include cycle"; }
