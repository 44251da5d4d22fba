# SPDX-License-Identifier: MIT
"""Lets tests/bench/pairs.sh --turns measure several programs alternately."""
import os


def each():
    """Yields for each turn, when it has come.

    The variables TURN, a FIFO, and TURNS, a number, are set by pairs.sh. Without them there is one turn
    at once.
    """
    fifo = os.environ.get("TURN")
    if not fifo:
        yield 0
        return
    for i in range(int(os.environ["TURNS"])):
        open(fifo + ".ready", "w").close()
        with open(fifo) as f:
            f.read()
        yield i
    open(fifo + ".ready", "w").close()
