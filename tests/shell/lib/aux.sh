# Hardware trace in the text that mkdata takes. Sourced behind prec.sh.
# shellcheck shell=bash

le() { # le DIGITS NUMBER: little endian, in hexadecimal
	local v
	v=$(printf "%0$1x" "$2")
	for ((k = $1 - 2; k >= 0; k -= 2)); do
		printf '%s' "${v:k:2}"
	done
}

# words NUMBER...: as the 64-bit words of a record.
words() {
	local n
	for n; do le 16 "$n"; done
}

# auxtrace FILE CPU TID [PORTION [OFFSET]]: FILE as AUXTRACE records of PORTION bytes (100000000), -1 for no CPU or thread.
# REFERENCE: when they were written, as the processor counts.
auxtrace() {
	local file=$1 cpu=$2 tid=$3 portion=${4:-100000000} offset=${5:-0} size at n
	size=$(stat -c %s "$file")
	for ((at = 0; at < size; at += portion)); do
		n=$((size - at < portion ? size - at : portion))
		# The size counts padding to 8 bytes, the next offset does not.
		echo "raw type=71 $(le 16 $(((n + 7) / 8 * 8)))$(le 16 $((offset + at)))$(le 16 "${REFERENCE:-0}")$(le 8 $((cpu < 0 ? 0 : cpu)))$(le 8 $((tid & 0xffffffff)))$(
			le 8 $((cpu & 0xffffffff)))$(le 8 0)"
		printf 'bytes %s%s\n' "$(od -An -v -tx1 -j $at -N $n "$file" | tr -d ' \n')" \
			"$(printf '%*s' $((((n + 7) / 8 * 8 - n) * 2)) '' | tr ' ' 0)"
	done
}
