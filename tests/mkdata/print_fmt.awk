# From format files of tracepoints to C: for each a function, on a line of its own, that prints the hit in `raw` by its
# `print fmt`, with what print_fmt.h defines. A constant that the format names but does not tell is no value of a table.
FNR == 1 {
	n = split(FILENAME, path, "/")
	event = path[n - 2] ":" path[n - 1]
	fields = ""
}
/^\tfield:/ {
	split($0, part, ";")
	sub(/^\tfield: */, "", part[1])
	sub(/^\toffset:/, "", part[2])
	sub(/^\tsize:/, "", part[3])
	sub(/^\tsigned:/, "", part[4])
	decl = part[1]
	is_signed = part[4] + 0 && decl !~ /^__(data|rel)_loc/
	dims = ""
	if (sub(/\[\]$/, "", decl)) {	# the end of the record
		dims = "[]"
		part[3] = 1
	}
	if (match(decl, /\[[0-9]+\]$/)) {
		dims = substr(decl, RSTART)
		decl = substr(decl, 1, RSTART - 1)
		part[3] /= substr(dims, 2) + 0 ? substr(dims, 2) + 0 : 1
	}
	name = decl
	sub(/.*[ *]/, "", name)
	type = dims != "" && decl ~ /^char / ? "char" : (is_signed ? "int" : "uint") (8 * part[3]) "_t"
	fields = fields sprintf("struct { char before_%s[%d]; %s %s%s; } __attribute__((packed)); ", name, part[2], type, name, dims)
}
/^print fmt: / {
	fmt = substr($0, 12)
	gsub(/\{ *[A-Za-z_][A-Za-z0-9_]* *,/, "{ UNKNOWN,", fmt)
	printf "static void print_%d(void) { const union { %s} *REC = (void *)raw; print_line(\"%s\", %s); }\n", nr++, fields, event, fmt
}
