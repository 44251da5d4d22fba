# SPDX-License-Identifier: MIT
"""Reads words and writes machines in formats of ktail-exchange(5)."""
import re


def decode(symbol):
    """Returns the letter that kt_words_write_abbadingo() encoded as `symbol`."""
    return re.sub(
        rb"_([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), symbol.encode()
    ).decode()


def read_symbols(path):
    """Returns the words of an Abbadingo file, as lists of encoded letters."""
    with open(path, encoding="utf-8") as lines:
        n_words = int(next(lines).split()[0])
        words = [line.split()[2:] for line in lines if line.strip()]
    if len(words) != n_words:
        raise ValueError(f"{path}: {len(words)} examples, not {n_words}")
    return words


def read_words(path):
    """Returns the words of an Abbadingo file, as lists of letters."""
    known = {}
    return [
        [known.get(s) or known.setdefault(s, decode(s)) for s in word]
        for word in read_symbols(path)
    ]


def write_symbols(path, words):
    """Writes words as an Abbadingo file."""
    with open(path, "w", encoding="utf-8") as out:
        print(len(words), len({s for word in words for s in word}), file=out)
        for word in words:
            print("1", len(word), *word, file=out)


def write_machine(path, start, edges):
    """Writes a DOT file. Edges are (from, letter, to); states are of any hashable type."""
    ids = {start: 0}
    for source, _, target in edges:
        ids.setdefault(source, len(ids))
        ids.setdefault(target, len(ids))
    with open(path, "w", encoding="utf-8") as out:
        print("digraph peer {", file=out)
        for i in ids.values():
            print(f'\ts{i} [label="{i}", shape=doublecircle];', file=out)
        for source, letter, target in edges:
            text = letter.replace("\\", "\\\\").replace('"', '\\"')
            print(f'\ts{ids[source]} -> s{ids[target]} [label="{text}"];', file=out)
        print('\t__start0 [label="", shape=none];', file=out)
        print(f"\t__start0 -> s{ids[start]};\n}}", file=out)
