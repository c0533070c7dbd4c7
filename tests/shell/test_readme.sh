#!/bin/bash
# README.md is short and true: its commands are those that .ci/run runs; folders in CONTRIBUTING.md exist, its recipes are short.
. "$(dirname "$0")/lib/prec.sh"
cd "$SRC"
commands=$(awk '/^## / { on = /Build/ } on && /^(    |\t)make/ { print $1, $2 }' README.md)
expect "the two commands of README.md" $'make demo\nmake test' "$commands"
while read -r line; do
	grep -qE "^(.*[ (])?$line( |\$)" .ci/run || fail ".ci/run does not run '$line'"
done <<<"$commands"
[ "$(wc -l <README.md)" -le 130 ] || fail "README.md has $(wc -l <README.md) lines, and more than 130 are not read"
for c in $(grep -oE '(`|^    (\$ )?)prec [a-z-]+' README.md | sed 's/.*prec //' | sort -u); do
	"$PREC" --list-cmds | grep -qx -- "$c" || fail "README.md has a command '$c' that there is not"
done

while read -r path; do
	[ -e "$path" ] || fail "CONTRIBUTING.md names '$path', which does not exist"
done < <(sed -n '/^## Where things are/,/^## /p' CONTRIBUTING.md | grep -oE '^ *[-|]? *`[a-z0-9_./-]+`' | tr -d '`|* ' | sed 's/^-//')
for d in */; do
	[ "$d" = "${d#build}" ] || continue
	git ls-files -co --exclude-standard "$d" | grep -q . || continue
	grep -q "\`$d" CONTRIBUTING.md || fail "CONTRIBUTING.md does not say what $d is"
done

awk '/^### Add/ { what = $0; n = 0 } /^## / { what = "" } what && /^[0-9]+\. / && ++n > 6 { print what; bad = 1 } END { exit bad }' \
	CONTRIBUTING.md || fail "a recipe has more than six steps: the code wants a table"

# What recipes name is there: files and functions. The root holds nothing else.
recipes=$(sed -n '/^## How to add/,$p' CONTRIBUTING.md)
for path in $(grep -oE '`(core|cmd|auxtrace|arch|tests|man)/[a-z0-9_./-]+`' <<<"$recipes" | tr -d '`'); do
	[ -e "$path" ] || fail "a recipe names '$path', which does not exist"
done
for name in $(grep -oE '`[a-z_0-9]+\(\)`' <<<"$recipes" | tr -d '`()' | sort -u); do
	git grep -qw "$name" -- '*.c' '*.h' || fail "a recipe names '$name()', which does not exist"
done
for name in $(git ls-files | grep -v / | grep -v '^\.'); do
	case $name in
	CONTRIBUTING.md|LICENSE|Makefile|README.md) ;;
	*) fail "'$name' has no place in the root";;
	esac
done
