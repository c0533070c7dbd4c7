# The examples of the manual, and what of their output does not depend on the machine.
# shellcheck shell=bash

# Numbers are N; those that stand in a column, with two blanks before them, are so many N as the column is wide. Bars are one #.
# Of equal lines the first counts: how many there are depends on the machine. Findings and prec's last words are
# not in the manual.
shape() {
	awk '
		/^\[ prec record:/ || /^prec: .*\[[a-z-]+\]$/ || /^      [a-z]/ && found { found = /^prec:/; next }
		{
			found = 0
			gsub(/#+$/, "#")
			gsub(/0x[0-9a-f]+/, "N")
			sub(/%  .+$/, "%  name")
			out = ""
			while (match($0, / *-?[0-9][0-9,.]*/)) {
				number = substr($0, RSTART, RLENGTH)
				if (number ~ /^  / || number ~ /^ / && out ~ /NNN$/)
					gsub(/./, "N", number)
				else
					sub(/-?[0-9][0-9,.]*/, "N", number)
				out = out substr($0, 1, RSTART - 1) number
				$0 = substr($0, RSTART + RLENGTH)
			}
			line = out $0
			sub(/ +#?$/, "", line)
		}
		line != "" && !seen[line]++ { print line }'
}

# blocks PAGE: the commands and the output of each example, in files block.1.commands and block.1.output, and so on.
blocks() {
	sed 's/\\-/-/g; s/\\(dq/"/g; s/\\&//g; s/\\e/\\/g' "$1" | awk '
		/^\.EX/ { on = 1; has = 0; next }
		/^\.EE/ { on = 0; next }
		on && (/^\$ / || more) {
			if (!has++)
				n++
			print(more ? $0 : substr($0, 3)) >("block." n ".commands")
			more = /\\$/
			next
		}
		on && has { print >("block." n ".output") }
		END { print n + 0 }'
}
