# SPDX-License-Identifier: MIT
"""Writes words with a given number of letters.

make_words.py cut WORDS.dat N OUT.dat     the first N letters of words, in their order
make_words.py make N OUT.dat              N letters that look like traces, always the same
"""
import random
import sys

import exchange


def cut(path, n):
    words = []
    for word in exchange.read_symbols(path):
        if n > 0:
            words.append(word[:n])
        n -= len(word)
    return words


def make(n):
    """Returns a word of random repeated pieces, each followed by polls of varying number."""
    generator = random.Random(1)
    pieces = [
        [f"l{generator.randrange(30)}" for _ in range(generator.randrange(5, 40))]
        for _ in range(20)
    ]
    word = []
    while len(word) < n:
        piece = generator.choice(pieces)
        for _ in range(generator.randrange(1, 6)):
            word += piece + ["poll"] * generator.randrange(1, 9)
    return [word[:n]]


def main():
    if sys.argv[1] == "cut":
        _, _, path, n, out = sys.argv
        words = cut(path, int(n))
    else:
        _, _, n, out = sys.argv
        words = make(int(n))
    exchange.write_symbols(out, words)


main()
