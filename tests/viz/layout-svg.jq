# SPDX-License-Identifier: MIT
# Makes an SVG of a layout (ktail render -f json), so that check-figure can check it.
def texts(anchor; size): .[] |
	"<text text-anchor=\"\(anchor)\" font-size=\"\(size)\" x=\"\(.[0])\" y=\"\(.[1])\">\(.[2] | @html)</text>";
def shape: if (.[2] - .[3] | fabs) < 1 then
	"<ellipse cx=\"\(.[0])\" cy=\"\(.[1])\" rx=\"\(.[2] / 2)\" ry=\"\(.[3] / 2)\"/>"
	else (.[2] / 2) as $x | (.[3] / 2) as $y |
	"<polygon points=\"\(.[0] - $x),\(.[1] - $y) \(.[0] + $x),\(.[1] + $y)\"/>" end;
def line: "<path d=\"\(.path)\"/>", "<polygon points=\"\(.arrow | gsub("[MLZ]"; " "))\"/>";

"<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"Helvetica\" width=\"\(.width)pt\" height=\"\(.height)pt\" viewBox=\"0 0 \(.width) \(.height)\">",
(.states | to_entries[] | select(.value) | "<g class=\"node\" id=\"s\(.key)\">", (.value | shape),
	(.value | (.[2] == .[3]) as $round | .[4] | texts("middle"; if $round then 12 else 10 end)), "</g>"),
(.edges[] | "<g class=\"edge\" id=\"t\(.transitions[0])\">", line, (.texts | texts("start"; 10)), "</g>"),
(.markers[] | "<g class=\"node\" id=\"m\(.state)\">", (.box | shape), "</g>",
	"<g class=\"edge\" id=\"a\(.state)\">", line, "</g>"),
"</svg>"
