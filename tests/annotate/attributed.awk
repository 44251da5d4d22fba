# SPDX-License-Identifier: MIT
# Checks the output of `requests-of --calls`: each copy, launch and graph launch that was not
# captured wrote a doorbell and is attributed to the poll that completes all its requests; each copy
# has commands that agree with its size. Prints the lines that differ; then the exit status is 1.
BEGIN { FS = "\t" }
$1 == "name" { for (i = 1; i <= NF; i++) { at[$i] = i }; next }
NF < 2 { trace = $1; next }
{
	rang = $at["calls"] - $at["captured"]
	good = $at["without_doorbell"] == 0 && $at["tied"] == rang && $at["never"] == 0 &&
		$at["noticed_inside"] + $at["noticed_later"] == rang && $at["disagree"] == 0
	ways = $at["inline"] + $at["direct"] + $at["staged"] + $at["macro"] + $at["mixed"]
	if (!good || (index($1, "emcpy") && ways != rang)) {
		print trace ": " $0
		wrong = 1
	}
	rows++
}
END { exit wrong || rows == 0 }
