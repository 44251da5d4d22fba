# SPDX-License-Identifier: MIT
# Turns a table of this folder into the elements of a C array.
# Usage: awk -v table=NAME -f generate.awk FILE
# NAME is api, classes, controls, ioctls, layouts or statuses. Methods and QMDs have generators of
# their own, methods.awk and generate-qmd.awk.
# POSIX awk: hexadecimal numbers are passed through as text.
BEGIN { FS = "\t"; print "/* Generated from decode/tables/" table ".tsv. */" }

/^#/ || /^$/ { next }

function release(text,   part, n) {
	if (text == "-") {
		return "0"
	}
	n = split(text, part, ".")
	return part[1] * 1000000 + (n > 1 ? part[2] * 1000 : 0) + (n > 2 ? part[3] : 0)
}

table == "classes" {
	printf "\t{%s, \"%s\", KT_CLASS_%s, %s, %s},\n", $1, $2, toupper($3),
		($4 == "-" ? "NULL" : "\"" $4 "\""), ($5 == "-" ? "0" : $5)
}

table == "ioctls" {
	printf "\t{KT_IOCTL_%s, %s, \"%s\"},\n", toupper($1), $2, $3
}

table == "controls" {
	prefix = $2 ~ /^NV_/ ? "" : "NV" toupper(substr($1, 3, 4)) "_CTRL_"
	printf "\t{%s, \"%s%s\", %s, %s, KT_CONTROL_%s},\n", $1, prefix, $2,
		($3 == "-" ? "0" : $3), ($4 == "-" ? "UINT32_MAX" : release($4)),
		($5 == "-" ? "UNKNOWN" : toupper($5))
}

table == "statuses" {
	printf "\t{%s, \"NV_%s\", %s},\n", $1, $2, ($3 == "-" ? "UINT32_MAX" : release($3))
}

table == "layouts" {
	printf "\t{KT_STRUCT_%s, %s, %s, %s, {", toupper($1), $2, release($3),
		($4 == "-" ? "UINT32_MAX" : release($4))
	n = split($5, field, " ")
	for (i = 1; i <= n; i++) {
		split(field[i], part, /[@:]/)
		printf "%s[KT_ROLE_%s] = {%s, %s}", (i > 1 ? ", " : ""), toupper(part[1]),
			part[2], part[3]
	}
	print "}},"
}

# Turns "A", "A*B", "AxN" or "A*BxN" into the members bytes, rows and unit of a kt_api_function: the
# number of bytes is the product of the arguments A and B and of the constant N.
function bytes(text,   unit, factor) {
	split(text, unit, "x")
	split(unit[1], factor, "*")
	return (text == "-" ? "-1" : factor[1]) ", " (factor[2] == "" ? "-1" : factor[2]) ", " \
		(unit[2] == "" ? "1" : unit[2])
}

# Turns "launch:H", "H=N" or "H~K" into a kt_api_kernel.
function kernel(text,   part) {
	split(text, part, /[:=~]/)
	return text == "" ? "{KT_API_KERNEL_NONE, 0, 0}" : \
		text ~ /^launch:/ ? "{KT_API_KERNEL_LAUNCHED, " part[2] ", 0}" : \
		"{KT_API_KERNEL_" (text ~ /=/ ? "NAMED" : "ALIASED") ", " part[1] ", " part[2] "}"
}

function enumerator(text) {
	gsub(/-/, "_", text)
	return toupper(text)
}

table == "api" {
	printf "\t{\"%s\", %s, KT_API_KIND_%s, KT_API_PHASE_%s, %s, %s},\n", $1,
		($2 == "-" ? "NULL" : $2 == "void" ? "\"\"" : "\"" $2 "\""), enumerator($3),
		($4 == "-" ? "NONE" : $4), bytes($5), ($7 == "-" ? "false" : "true") ", " kernel($8)
}
