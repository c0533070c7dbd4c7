#!/bin/bash
# Each instruction of this machine's libraries, and each encoding of x86-64, is as long as objdump and LLVM say.
# Runs: long
. "$(dirname "$0")/lib/prec.sh"
check=$(helper unit/x86_insn_test)
command -v objdump >/dev/null || skip "objdump is not installed"

# ---- libraries ----

libraries=()
for name in libc libm libstdc++ libcrypto libcapstone libpython3.11 libdw libz3; do
	for file in /usr/lib/x86_64-linux-gnu/$name.so.*; do
		[ -f "$file" ] && [ "$(head -c 4 "$file")" = $'\x7fELF' ] || continue
		[[ ${libraries[*]} == *"$(realpath "$file")"* ]] || libraries+=(64 "$(realpath "$file")")
	done
done
[ ${#libraries[@]} -gt 0 ] || skip "no libraries of x86-64"
"$check" "${libraries[@]}" >said || fail "$(tail -40 said)"
cat said

# ---- encodings ----

"$(helper trace/x86_slots)" >slots.bin
echo '.incbin "slots.bin"' | as --64 -o slots.o - || skip "as does not make x86-64"
# Nops are what slots are filled up with.
cat >gnu <<'X'
#!/bin/sh
objdump -dw -M intel64 "$1" | grep -v '	nop$'
X
# Of near branches with an operand-size prefix LLVM tells the length that AMD's processors give them (SDM vol. 2, "Jcc" and
# others: the prefix is ignored), and it takes AMD's extrq and insertq for vmread and vmwrite.
cat >llvm <<'X'
#!/bin/sh
llvm-objdump -d "$1" | grep -v '	nop$' | grep -Ev ': ([0-9a-f]{2} )*66 .*	(j|call|vmread|vmwrite)'
X
chmod +x gnu llvm
"$check" -o ./gnu 64 slots.o >said || fail "objdump: $(tail -40 said)"
cat said
command -v llvm-objdump >/dev/null || { echo "llvm-objdump is not installed: not compared with LLVM"; exit 0; }
"$check" -o ./llvm 64 slots.o >said || fail "LLVM: $(tail -40 said)"
cat said
