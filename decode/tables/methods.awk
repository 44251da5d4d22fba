# SPDX-License-Identifier: MIT
# Turns the tables of methods into C. Usage:
#   awk -f methods.awk methods-memory.txt methods-host.txt methods-copy.txt methods-compute.txt \
#       methods-graphics.txt
#     the arrays of decode/methods.c
#   awk -v names="0xc8b5 ..." -f methods.awk ...
#     C names of the methods, fields and values of these classes (decode/method-names.h)
#
# A table consists of lines of words; the blanks between them have no meaning:
#   class NUMBER NAME [PARENT]          a class; it inherits from PARENT, an earlier class
#   method OFFSET NAME [COUNT STRIDE]   a method, or the first of an array, at that byte offset
#   field HI:LO NAME                    bits of the preceding method
#   value NUMBER NAME                   a value of the preceding field
#   -method NAME, -field NAME, -value NAME    the parent has it, this class does not
# If the class already has an item of that name, the line changes the item's numbers and
# keeps its fields and values. If a value has two names, the first one in the table is used.
# NVIDIA's headers do not give the number of elements of an array. COUNT is the number that fits
# before the next method; for LOAD_INLINE_QMD_DATA, it is the number of dwords of the longest QMD
# that is sent inline (256 bytes, from Hopper on 384).
#
# POSIX awk: hexadecimal numbers are passed through as text, and sorted as text.

/^#/ || NF == 0 { next }

$1 == "class" && (NF == 3 || NF == 4) { begin_class($2, $3, NF == 4 ? $4 : ""); next }
$1 == "method" && (NF == 3 || NF == 5) { add_method($3, $2, NF == 5 ? $4 : 1, NF == 5 ? $5 : 0); next }
$1 == "field" && NF == 3 && split($2, pair, ":") == 2 { add_field($3, pair[1], pair[2]); next }
$1 == "value" && NF == 3 { add_value($3, $2); next }
$1 == "-method" && NF == 2 { need((c, $2) in place); delete place[c, $2]; next }
$1 == "-field" && NF == 2 { need((c, m, $2) in bits); delete bits[c, m, $2]; next }
$1 == "-value" && NF == 2 { need((c, m, f, $2) in number); delete number[c, m, f, $2]; next }
{ need(0) }

END {
	if (failed) {
		exit 1
	}
	if (names != "") {
		print_names()
	} else {
		print_tables()
	}
}

function need(condition) {
	if (!condition) {
		print FILENAME ":" FNR ": does not fit here: " $0 > "/dev/stderr"
		failed = 1
		exit 1
	}
}

# Arrays with the tables: classes[i]; for each class c, n_methods[c], methods[c, i] and
# place[c, method]; for each method, n_fields, fields and bits; for each field, n_values, values and
# number. An item that a class removes stays in the list of names, but has no place, bits or number.

function begin_class(number_, name, parent,   i, p) {
	need(!(number_ in class_name) && (parent == "" || parent in class_name))
	c = number_
	class_name[c] = name
	classes[++n_classes] = c
	for (i = 1; parent != "" && i <= n_methods[parent]; i++) {
		if ((parent, methods[parent, i]) in place) {
			split(place[parent, methods[parent, i]], p, " ")
			add_method(methods[parent, i], p[1], p[2], p[3])
			copy_fields(parent)
		}
	}
	m = f = ""
}

function copy_fields(parent,   i, p) {
	for (i = 1; i <= n_fields[parent, m]; i++) {
		if ((parent, m, fields[parent, m, i]) in bits) {
			split(bits[parent, m, fields[parent, m, i]], p, " ")
			add_field(fields[parent, m, i], p[1], p[2])
			copy_values(parent)
		}
	}
}

function copy_values(parent,   i, v) {
	for (i = 1; i <= n_values[parent, m, f]; i++) {
		v = values[parent, m, f, i]
		if ((parent, m, f, v) in number) {
			add_value(v, number[parent, m, f, v])
		}
	}
}

function add_method(name, offset, count, stride) {
	need(c != "")
	m = name
	f = ""
	if (!((c, m) in place)) {
		methods[c, ++n_methods[c]] = m
	}
	place[c, m] = offset " " count " " stride
}

function add_field(name, hi, lo) {
	need(m != "")
	f = name
	if (!((c, m, f) in bits)) {
		fields[c, m, ++n_fields[c, m]] = f
	}
	bits[c, m, f] = hi " " lo
}

function add_value(name, number_) {
	need(f != "")
	if (!((c, m, f, name) in number)) {
		values[c, m, f, ++n_values[c, m, f]] = name
	}
	number[c, m, f, name] = number_
}

# Sorts item[1] to item[n] by key[1] to key[n], compared as text. Items with equal keys keep
# their order.
function sort(n,   i, j, k, x) {
	for (i = 2; i <= n; i++) {
		k = key[i]
		x = item[i]
		for (j = i - 1; j >= 1 && key[j] "" > k ""; j--) {
			key[j + 1] = key[j]
			item[j + 1] = item[j]
		}
		key[j + 1] = k
		item[j + 1] = x
	}
}

function sort_classes(   i) {
	for (i = 1; i <= n_classes; i++) {
		item[i] = key[i] = classes[i]
	}
	sort(n_classes)
	for (i = 1; i <= n_classes; i++) {
		classes[i] = item[i]
	}
}

# The next three functions fill item[] and return the number of items. They list the methods of
# class c by offset, the fields of method m from the highest bit down, and the values of field f
# in ascending order.
function list_methods(   i, n, p) {
	for (i = 1; i <= n_methods[c]; i++) {
		if ((c, methods[c, i]) in place) {
			item[++n] = methods[c, i]
			split(place[c, item[n]], p, " ")
			key[n] = p[1]
		}
	}
	sort(n)
	return n + 0
}

function list_fields(   i, n, p) {
	for (i = 1; i <= n_fields[c, m]; i++) {
		if ((c, m, fields[c, m, i]) in bits) {
			item[++n] = fields[c, m, i]
			split(bits[c, m, item[n]], p, " ")
			key[n] = sprintf("%02d %02d", 31 - p[1], 31 - p[2])
		}
	}
	sort(n)
	return n + 0
}

function list_values(   i, n) {
	for (i = 1; i <= n_values[c, m, f]; i++) {
		if ((c, m, f, values[c, m, f, i]) in number) {
			item[++n] = values[c, m, f, i]
			key[n] = sprintf("%02d %s", length(number[c, m, f, item[n]]),
				number[c, m, f, item[n]])
		}
	}
	sort(n)
	return n + 0
}

# Prints definitions of names such as KT_C8B5_LAUNCH_DMA, KT_C8B5_LAUNCH_DMA__SRC_TYPE and
# KT_C8B5_LAUNCH_DMA__SRC_TYPE__VIRTUAL.
function print_names(   n, i, wanted) {
	print "/* Generated from decode/tables/methods-*.txt. */"
	n = split(names, wanted, " ")
	for (i = 1; i <= n; i++) {
		c = wanted[i]
		need(c in class_name)
		print_class_names("KT_" toupper(substr(c, 3)) "_")
	}
}

function print_class_names(prefix,   n, i, mine, p) {
	n = list_methods()
	for (i = 1; i <= n; i++) {
		mine[i] = item[i]
	}
	for (i = 1; i <= n; i++) {
		m = mine[i]
		split(place[c, m], p, " ")
		printf "enum { %s%s = %s };\n", prefix, m, p[1]
		print_field_names(prefix m "__")
	}
}

function print_field_names(prefix,   n, i, j, mine, n_mine, p) {
	n = list_fields()
	for (i = 1; i <= n; i++) {
		mine[i] = item[i]
	}
	for (i = 1; i <= n; i++) {
		f = mine[i]
		split(bits[c, m, f], p, " ")
		printf "#define %s%s %s, %s\n", prefix, f, p[1], p[2]
		n_mine = list_values()
		for (j = 1; j <= n_mine; j++) {
			printf "enum { %s%s__%s = %s };\n", prefix, f, item[j],
				number[c, m, f, item[j]]
		}
	}
}

# The functions below write the arrays. A list that several classes share is written once; lists are
# compared as text.

function string(name) {
	if (!(name in known_string)) {
		known_string[name] = 1
		strings[++n_strings] = name
	}
	return "AT(" name ")"
}

function value_list(   n, i, text) {
	n = list_values()
	for (i = 1; i <= n; i++) {
		text = text sprintf("\t{%s, %s},\n", number[c, m, f, item[i]], string(item[i]))
	}
	if (n && !(text in value_at)) {
		value_at[text] = n_value_rows + 0
		value_rows[++n_value_lists] = text
		n_value_rows += n
	}
	return (n ? value_at[text] : 0) ", " n
}

function field_list(   n, i, mine, text, p) {
	n = list_fields()
	for (i = 1; i <= n; i++) {
		mine[i] = item[i]
	}
	for (i = 1; i <= n; i++) {
		f = mine[i]
		split(bits[c, m, f], p, " ")
		text = text sprintf("\t{%s, %s, %s, %s},\n", string(f), p[1], p[2], value_list())
	}
	if (n && !(text in field_at)) {
		field_at[text] = n_field_rows + 0
		field_rows[++n_field_lists] = text
		n_field_rows += n
	}
	return (n ? field_at[text] : 0) ", " n
}

# Lists the methods of class c by offset, as indices into the array of methods.
function member_list(   n, i, mine, text, row) {
	n = list_methods()
	for (i = 1; i <= n; i++) {
		mine[i] = item[i]
	}
	for (i = 1; i <= n; i++) {
		m = mine[i]
		row = place[c, m]
		gsub(/ /, ", ", row)
		row = sprintf("\t{%s, %s, %s},\n", row, string(m), field_list())
		if (!(row in method_at)) {
			method_at[row] = n_method_rows + 0
			method_rows[++n_method_rows] = row
		}
		text = text sprintf("%s%s,%s", (i % 12 == 1 ? "\t" : " "), method_at[row],
			(i % 12 == 0 || i == n ? "\n" : ""))
	}
	if (!(text in member_at)) {
		member_at[text] = n_member_rows + 0
		member_rows[++n_member_lists] = text
		n_member_rows += n
	}
	return member_at[text] ", " n
}

function print_array(type, name, rows, n,   i) {
	printf "static const %s %s[] = {\n", type, name
	for (i = 1; i <= n; i++) {
		printf "%s", rows[i]
	}
	print "};"
}

function print_tables(   i, text) {
	sort_classes()
	for (i = 1; i <= n_classes; i++) {
		c = classes[i]
		class_rows[i] = sprintf("\t{%s, %s, %s},\n", c, string(class_name[c]), member_list())
	}
	print "/* Generated from decode/tables/methods-*.txt. */"
	print "static const struct strings {"
	for (i = 1; i <= n_strings; i++) {
		printf "\tchar n_%s[sizeof(\"%s\")];\n", strings[i], strings[i]
	}
	print "} strings = {"
	for (i = 1; i <= n_strings; i++) {
		printf "\t\"%s\",\n", strings[i]
	}
	print "};"
	print_array("struct value", "values", value_rows, n_value_lists)
	print_array("struct field", "fields", field_rows, n_field_lists)
	print_array("struct method", "methods", method_rows, n_method_rows)
	print_array("uint16_t", "members", member_rows, n_member_lists)
	print_array("struct kt_method_class", "classes", class_rows, n_classes)
}
