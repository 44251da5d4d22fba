# SPDX-License-Identifier: MIT
# Turns stream-arguments.tsv into the elements of an array.
BEGIN { FS = "\t" }
!/^#/ { printf "\t{\"%s\", %d},\n", $1, $2 }
