# SPDX-License-Identifier: MIT
# Turns a text into C strings of at most a thousand characters, each followed by a comma. The
# marker is a string of its own. A question mark is escaped, as two begin a trigraph.
function quote(piece)
{
	gsub(/\\/, "&&", piece)
	gsub(/"/, "\\\"", piece)
	gsub(/\?/, "\\?", piece)
	gsub(/\t/, "\\t", piece)
	gsub(/\r/, "\\r", piece)
	gsub(/\n/, "\\n", piece)
	printf "\t\"%s\",\n", piece
}

function put(text)
{
	while (length(text) > 0) {
		quote(substr(text, 1, 1000))
		text = substr(text, 1001)
	}
}

{
	line = $0 "\n"
	while ((at = index(line, "@DATA@")) > 0) {
		put(substr(line, 1, at - 1))
		quote("@DATA@")
		line = substr(line, at + 6)
	}
	put(line)
}
