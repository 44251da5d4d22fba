# SPDX-License-Identifier: MIT
"""Lets tests/bench/pairs.sh --turns start programs together and measure them one after another."""
import os


def wait():
    """Says that the program is ready, and waits for its turn, if the variable TURN names a FIFO."""
    fifo = os.environ.get("TURN")
    if fifo:
        open(fifo + ".ready", "w").close()
        with open(fifo) as f:
            f.read()
