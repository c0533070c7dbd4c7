# Memory of a kernel that never was, for tests of what is read from it. Sourced behind prec.sh and aux.sh.
# shellcheck shell=bash

unhex() { # the hexadecimal digits on standard input as bytes
	local part
	sed 's/[^0-9a-f]//g; s/../\\x&/g' | tr -d '\n' | while IFS= read -r -d '' -n 4000 part || [ "$part" ]; do printf '%b' "$part"; done
}

# kcore MAPS OUT: an ELF core of the code that MAPS names, in the form of /proc/PID/maps, one segment for each.
kcore() {
	local range prot off path at nr
	nr=$(wc -l <"$1")
	{
		echo "7f454c46020101000000000000000000$(le 4 4)$(le 4 62)$(le 8 1)$(le 16 0)$(le 16 64)$(le 16 0)$(le 8 0)"
		echo "$(le 4 64)$(le 4 56)$(le 4 "$nr")$(le 4 0)$(le 4 0)$(le 4 0)"
		at=4096
		while read -r range prot off _ _ path; do
			local from=0x${range%-*} size=$((0x${range#*-} - 0x${range%-*}))
			echo "$(le 8 1)$(le 8 7)$(le 16 $at)$(le 16 "$from")$(le 16 0)$(le 16 $size)$(le 16 $size)$(le 16 4096)"
			at=$((at + size))
		done <"$1"
	} | unhex >"$2"
	truncate -s 4096 "$2"
	while read -r range prot off _ _ path; do
		dd if="$path" iflag=skip_bytes,count_bytes bs=65536 skip=$((0x$off)) count=$((0x${range#*-} - 0x${range%-*})) \
			status=none >>"$2"
	done <"$1"
}
