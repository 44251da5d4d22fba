# SPDX-License-Identifier: MIT
# Turns qmd.tsv into C. Usage: awk -v part=PART -f generate-qmd.awk qmd.tsv, PART one of
#   names    macros that give "highest bit, lowest bit" of a field, for decode/method-names.h
#   layouts  the tables of decode/qmd.c: one element of rows[] for each line of qmd.tsv that gives a
#            field, and for each layout the indices of its fields in rows[], in order of bits
BEGIN { FS = "\t"; print "/* Generated from decode/tables/qmd.tsv. */" }

/^#/ || /^$/ { next }

$1 == "launch" {
	members++
	member[members] = $2
	called[members] = $3
	next
}

$1 == "version" {
	if (version && part == "names" && version != $2) {
		print_names()
	} else if (version && part == "layouts") {
		add_layout()
	}
	version = $2
	bytes = $3
	classes = $4
	next
}

$1 == "gone" {
	n = split($2, gone, " ")
	for (i = 1; i <= n; i++) {
		delete row[gone[i]]
	}
	next
}

{
	row[$1] = ++rows
	hi[rows] = $2
	lo[rows] = $3
	elements[rows] = $4
	if (part == "layouts") {
		text = text format_row()
	}
}

# Splits NxS or NxS,MxT (count x stride) into the four numbers array[1..4]. For "-", which means not
# an array, they are 1, 0, 1, 0.
function split_elements(spec, array) {
	array[1] = array[3] = 1
	array[2] = array[4] = 0
	if (spec != "-") {
		split(spec, array, /[x,]/)
		if (array[3] == "") {
			array[3] = 1
			array[4] = 0
		}
	}
}

# The macro of an array takes the index, as in KT_QMD_V04_00__CONSTANT_BUFFER_VALID(i). The macro of
# a two-dimensional array takes two indices.
function print_names(   name, of, array, plus) {
	for (name in row) {
		of = row[name]
		split_elements(elements[of], array)
		plus = array[2] ? " + (i) * " array[2] : ""
		plus = plus (array[4] ? " + (j) * " array[4] : "")
		printf "#define KT_QMD_V%s__%s%s %s%s, %s%s\n", version, name,
			(array[4] ? "(i, j)" : array[2] ? "(i)" : ""), hi[of], plus, lo[of], plus
	}
}

function format_row(   array, value, n, i, values) {
	n = $5 == "-" ? 0 : split($5, value, " ")
	for (i = 1; i <= n; i++) {
		values = values " \"" (value[i] == "-" ? "" : value[i]) (i < n ? "\\0\"" : "\"")
	}
	split_elements($4, array)
	return sprintf("\t{\"%s\", %s, %s, %s, %s, %s, %s, %s, %s, %s},\n", $1,
		(n ? substr(values, 2) : "NULL"), $2, $3, array[1] * array[3], array[2], array[3],
		array[4], n, (match($1, /SHIFTED[0-9]$/) ? substr($1, length($1)) : "0"))
}

# Adds the layout of the current version, with its fields sorted by their lowest bit.
function add_layout(   name, n, i, sorted, major, minor, names, k, found) {
	n = 0
	for (name in row) {
		for (i = n++; i > 0 && lo[row[sorted[i]]] + 0 > lo[row[name]] + 0; i--) {
			sorted[i + 1] = sorted[i]
		}
		sorted[i + 1] = name
	}
	for (i = 1; i <= n; i++) {
		order = order (i % 12 == 1 ? "\n\t" : " ") row[sorted[i]] - 1 ","
		at[sorted[i]] = i
	}
	layouts = layouts sprintf("\t{%d, %d, %s, %s, %d, %d, %d, %d, {", substr(version, 1, 2),
		substr(version, 4, 2), bytes,
		lo[row["QMD_MINOR_VERSION" in row ? "QMD_MINOR_VERSION" : "QMD_VERSION"]],
		first, n, first_class, split(classes, names, " "))
	for (i = 1; i <= members; i++) {
		k = split(called[i], names, " ")
		for (found = 1; found <= k && !(names[found] in row); found++) { }
		layouts = layouts (i > 1 ? ", " : "") (found <= k ? at[names[found]] : 0)
	}
	layouts = layouts "}},\n"
	all_classes = all_classes "\t" classes "\n"
	first += n
	first_class += split(classes, names, " ")
}

END {
	if (part == "names") {
		print_names()
		exit
	}
	add_layout()
	print "enum member {"
	for (i = 1; i <= members; i++) {
		print "\tMEMBER_" member[i] ","
	}
	print "\tMEMBERS,\n};"
	print "static const struct row rows[] = {\n" text "};"
	print "static const uint16_t order[] = {" order "\n};"
	gsub(/ /, ", ", all_classes)
	gsub(/\n/, ",\n", all_classes)
	print "static const uint32_t classes[] = {\n" all_classes "};"
	print "static const struct kt_qmd_layout layouts[] = {\n" layouts "};"
}
