# SPDX-License-Identifier: MIT
"""Words in and machines out, as ktail-exchange(5) says."""
import re


def decode(symbol):
    """What kt_words_write_abbadingo() made of a letter, undone."""
    return re.sub(
        rb"_([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), symbol.encode()
    ).decode()


def read_symbols(path):
    """The examples of an Abbadingo file, symbols as they stand there."""
    with open(path, encoding="utf-8") as lines:
        n_words = int(next(lines).split()[0])
        words = [line.split()[2:] for line in lines if line.strip()]
    if len(words) != n_words:
        raise ValueError(f"{path}: {len(words)} examples, not {n_words}")
    return words


def read_words(path):
    """The same with our letters."""
    known = {}
    return [
        [known.get(s) or known.setdefault(s, decode(s)) for s in word]
        for word in read_symbols(path)
    ]


def write_symbols(path, words):
    """Words as an Abbadingo file."""
    with open(path, "w", encoding="utf-8") as out:
        print(len(words), len({s for word in words for s in word}), file=out)
        for word in words:
            print("1", len(word), *word, file=out)


def write_machine(path, start, edges):
    """A DOT file: edges are (from, letter, to), states anything that hashes."""
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
