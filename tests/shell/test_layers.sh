#!/bin/bash
# No file includes one of a layer above its own, and the first comment of each says which layer that is.
. "$(dirname "$0")/lib/prec.sh"
cd "$SRC"

# The layer of a file is its folder.
layer() {
	case $1 in
	cmd/*)				echo cmd;;
	auxtrace/*/*)			local d=${1#auxtrace/}; echo "auxtrace/${d%%/*}";;
	auxtrace/*)			echo auxtrace;;
	arch/*/*)			local d=${1#arch/}; echo "arch/${d%%/*}";;
	core/*/*)			local d=${1#core/}; echo "${d%%/*}";;
	core/*)				echo arch;;	# core/arch.h and core/native.h: what arch/ defines
	*)				echo none;;
	esac
}

# What each layer may include, besides itself.
may() {
	local low='base arch format' reading='base arch format model unwind flow' recording='events open host record'

	case $1 in
	base)		;;
	arch)		echo base;;
	arch/*|format)	echo base arch;;
	events|model)	echo $low;;
	open)		echo $low events;;
	host)		echo $low events open;;
	record)		echo $low events open host model unwind;;
	unwind)		echo $low model;;
	flow)		echo $low model unwind;;
	profile|script)	echo $reading;;
	report|export|browse|diff)
			echo $reading profile;;
	auxtrace)	echo $reading $recording 'arch/*';;
	auxtrace/*)	echo $reading $recording 'arch/*' auxtrace;;
	cmd)		echo $reading $recording profile script report export browse diff auxtrace;;
	*)		return 1;;
	esac
}

bad=0
complain() {
	echo "$*"
	bad=1
}

set -f
while read -r file; do
	own=$(layer "$file")
	allowed=$(may "$own") || complain "$file: core/$own is no layer; see README.md"
	said=$(sed -n '/^\/\*/,/\*\//{s/.*Layer: \([a-z]*\).*/\1/p;/\*\//q}' "$file")
	[ "$said" = "${own%%/*}" ] || complain "$file: its first comment says layer '$said', its folder '${own%%/*}'"
	while read -r included; do
		[ -f "$included" ] || complain "$file: \"$included\" is no path from the top of the tree"
		its=$(layer "$included")
		[ "$its" = "$own" ] && continue
		for l in $allowed; do
			# shellcheck disable=SC2053
			[[ $its = $l ]] && continue 2
		done
		complain "$file (layer $own) may not include $included (layer $its)"
	done < <(sed -n 's/^#[ \t]*include "\([^"]*\)".*/\1/p' "$file")
done < <(sources '*.[ch]')
[ $bad = 0 ] || fail "see above"
