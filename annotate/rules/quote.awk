# SPDX-License-Identifier: MIT
# Turns a text into C strings: one for each line, followed by a comma.
{ gsub(/\\/, "&&"); gsub(/"/, "\\\""); gsub(/\t/, "\\t"); printf "\t\"%s\\n\",\n", $0 }
