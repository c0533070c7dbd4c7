#!/bin/bash
# No file includes one of a layer above its own: a folder is a layer.
. "$(dirname "$0")/lib/prec.sh"
cd "$SRC"

# Sets LAYER to the layer of a file: its folder. The folders of core/record/ and core/show/ are layers of their own.
layer() {
	local d

	case $1 in
	cmd/*)				LAYER=cmd;;
	auxtrace/*/*)			d=${1#auxtrace/}; LAYER="auxtrace/${d%%/*}";;
	auxtrace/*)			LAYER=auxtrace;;
	arch/*/*)			d=${1#arch/}; LAYER="arch/${d%%/*}";;
	core/record/*/*|core/show/*/*)	d=${1#core/*/}; LAYER="${d%%/*}";;
	core/*/*)			d=${1#core/}; LAYER="${d%%/*}";;
	core/*)				LAYER=arch;;	# core/arch.h and core/native.h: what arch/ defines
	*)				LAYER=none;;
	esac
}

# Sets ALLOWED to the layers that a layer may include besides itself.
may() {
	local low='base ui compression arch tracepoint binary perfdata'
	local reading="$low model unwind read"
	local recording='events bpf open host trigger live loop'

	case $1 in
	base)		ALLOWED=;;
	ui|compression|arch|tracepoint)
			ALLOWED='base';;
	arch/*)		ALLOWED='base arch';;
	binary)		ALLOWED='base ui compression arch';;
	perfdata)	ALLOWED='base ui compression arch binary';;
	model|events)	ALLOWED="$low";;
	unwind)		ALLOWED="$low model";;
	read)		ALLOWED="$low model unwind";;
	sched)		ALLOWED="$reading";;
	hists)		ALLOWED="$reading sched";;
	code)		ALLOWED="$reading";;
	profile)	ALLOWED="$reading sched hists code";;
	script)		ALLOWED="$reading sched";;
	report|export|browse|diff)
			ALLOWED="$reading sched hists code profile";;
	query)		ALLOWED="$reading sched hists code profile export diff";;
	bpf)		ALLOWED="$low events";;
	open)		ALLOWED="$low events bpf";;
	host|trigger)	ALLOWED="$low events bpf open";;
	live)		ALLOWED="$low events bpf open model unwind";;
	loop)		ALLOWED="$low events bpf open host trigger live model unwind sched";;
	auxtrace)	ALLOWED="$reading $recording arch/*";;
	auxtrace/*)	ALLOWED="$reading $recording arch/* auxtrace";;
	cmd)		ALLOWED="$reading $recording sched hists code profile script report export browse diff query auxtrace";;
	*)		return 1;;
	esac
}

bad=0 file='' own='' LAYER='' ALLOWED=''
complain() {
	echo "$*"
	bad=1
}

# For each file: its name, and each that it includes, on a line each.
set -f
awk 'FNR == 1 { print "file " FILENAME }
	match($0, /^#[ \t]*include "/) { sub(/^#[ \t]*include "/, ""); sub(/".*/, ""); print "includes " $0 }' $(sources '*.[ch]') >"$WORK/lines"
while read -r what name; do
	case $what in
	file)	file=$name
		layer "$file"
		own=$LAYER
		may "$own" || complain "$file: core/$own is no layer; see CONTRIBUTING.md";;
	*)	[ -f "$name" ] || complain "$file: \"$name\" is no path from the top of the tree"
		layer "$name"
		[ "$LAYER" = "$own" ] && continue
		for l in $ALLOWED; do
			# shellcheck disable=SC2053
			[[ $LAYER = $l ]] && continue 2
		done
		complain "$file (layer $own) may not include $name (layer $LAYER)";;
	esac
done <"$WORK/lines"
[ $bad = 0 ] || fail "see above"
