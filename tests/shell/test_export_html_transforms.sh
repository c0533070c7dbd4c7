#!/bin/bash
# In the page of prec export functions are dropped, merged, folded and focused on, in any order, as on the stacks by hand.
. "$(dirname "$0")/lib/prec.sh"
need chromium
need python3

python3 - >in.folded <<'END'
import random
random.seed(5)
stacks = {tuple(random.choice('abcd') for _ in range(random.randint(1, 6))) for _ in range(14)}
for n, stack in enumerate(sorted(stacks)):
	print('program;' + ';'.join(stack), 11 + 7 * n)
END
"$PREC" export -q -i in.folded -o in.html
export WORK
PYTHONPATH=$SRC/tests/lib PYTHONDONTWRITEBYTECODE=1 python3 "$SRC/tests/lib/page_transforms.py" || fail "see above"
