#!/bin/bash
# No object but those of cmd/main.c and core/base/log.c has a variable that the program can change.
. "$(dirname "$0")/lib/prec.sh"
need readelf
bad=0
while read -r o; do
	name=${o#"$BUILD"/}
	case $name in cmd/main.o|core/base/log.o|tests/*) continue;; esac
	[ -f "$SRC/${name%.o}.c" ] || continue		# of a file that is gone
	# Sections by number, then the objects (and thread-local ones) that lie in a writable one. Constant tables
	# of pointers are in .data.rel.ro: written by the loader, read-only for us. What sanitizers add is not ours.
	found=$(readelf -SsW "$o" | awk '
		match($0, /^ *\[ *[0-9]+\]/) {
			n = substr($0, RSTART, RLENGTH); gsub(/[^0-9]/, "", n)
			split(substr($0, RSTART + RLENGTH), f, " ")
			section[n] = f[1]
		}
		$4 == "OBJECT" || $4 == "TLS" {
			s = $7 == "COM" ? ".bss" : section[$7]
			if (s ~ /^\.(data|bss|tdata|tbss)/ && s !~ /^\.data\.rel\.ro/ && $8 !~ /^(__asan|__odr_asan|\.L|__tsan)/)
				print $8 " in " s
		}')
	[ -z "$found" ] || { echo "${name%.o}.c: $found"; bad=1; }
done < <(find "$BUILD" -path "$BUILD/tests" -prune -o -name "*.o" -print)
[ $bad = 0 ] || fail "mutable globals: make them const, or members of what is passed down"
