#!/bin/bash
# No module includes itself through others: a .h and its .c, and its inside (x_impl.h), count as one.
. "$(dirname "$0")/lib/prec.sh"
cd "$SRC"
{ sources '*.h'; sources '*.c'; } | xargs grep -HE '^#[[:space:]]*include "' |
	sed -E 's/^([^:]+)\.[ch]:#[[:space:]]*include "([^"]+)\.[ch]".*/\1 \2/; s/_impl//g' | awk '$1 != $2' |
	tsort >/dev/null 2>"$WORK/loops" || { cat "$WORK/loops"; fail "include cycle"; }
