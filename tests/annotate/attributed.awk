# SPDX-License-Identifier: MIT
# Of what `requests-of --calls` prints: each copy, launch and graph launch that was not
# captured rang a doorbell, is tied to where all its requests are seen to be done, and each
# copy's commands agree with its size. Lines that are not so are printed, exit status 1.
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
