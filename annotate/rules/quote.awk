# SPDX-License-Identifier: MIT
# Turns a text into strings of C, one for each line, with a comma behind it.
{ gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); gsub(/\t/, "\\t"); printf "\t\"%s\\n\",\n", $0 }
