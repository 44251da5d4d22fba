# SPDX-License-Identifier: MIT
"""take_flexfringe.py FINAL.json MACHINE.gv: converts FlexFringe's result to DOT."""
import json
import sys

import exchange


def main():
    source, machine = sys.argv[1:]
    with open(source, encoding="utf-8") as text:
        model = json.load(text)
    known = {node["id"] for node in model["nodes"]}
    # The root's source is -1; in older versions of FlexFringe, the root itself is -1.
    start = [node["id"] for node in model["nodes"] if node["source"] == -1]
    start = [-1] if -1 in known else start
    if len(start) != 1:
        sys.exit(f"take_flexfringe.py: {source}: {len(start)} states without a source")
    edges = [
        (int(edge["source"]), exchange.decode(edge["name"]), int(edge["target"]))
        for edge in model["edges"]
    ]
    edges = [edge for edge in edges if edge[0] in known and edge[2] in known]
    exchange.write_machine(machine, start[0], edges)


main()
