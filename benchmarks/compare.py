#!/usr/bin/env python3
"""Compares two result files: ratios of medians of figures that were measured with equal settings.
With one file of runs of two servers in turn: the ratios of each round.

Exit status: 0 compared, 1 a figure fails its bound, 2 nothing to compare, different machines or
wrong arguments.
"""
import argparse
import json
import re
import sys

import results

FIGURES = ["ops_per_s", "writes_per_s", "operations_per_s", "p50_ms", "p99_ms", "p999_ms", "p99.9_ms",
           "server_cpu_ms_per_op", "cpu_ms_per_write", "cleaning_bytes_per_new_byte"]


def pairs(text):
    """Reads NAME=VALUE,NAME=VALUE; a comma separates only where a name follows."""
    found = {}
    for each in re.split(r",(?=[a-z0-9._-]+=)", text) if text else []:
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise argparse.ArgumentTypeError(f"expected NAME=VALUE,.. but found {each}")
        found[name] = value
    return found


class ResultSet:
    """The chosen lines of a file, by their settings."""

    def __init__(self, name, lines, chosen, ignored):
        among = [line for line in lines if self._has(line, chosen)]
        wanted = dict(chosen)
        if among:
            wanted.setdefault("commit", str(among[-1].get("commit", "")))
        self.name, self.by_key = name, {}
        for line in among:
            if self._has(line, wanted):
                key = tuple(p for p in results.settings(line) if p[0] not in chosen and p[0] not in ignored)
                self.by_key.setdefault(key, []).append(line)
        self.lines = [line for group in self.by_key.values() for line in group]
        self.left_out = len(lines) - len(self.lines)
        self.errors = sum(int(line.get("errors") or 0) for line in self.lines)

    @staticmethod
    def _has(line, wanted):
        return all(str(line.get(name, "")) == value for name, value in wanted.items())

    def values(self, field):
        return sorted({str(line.get(field, "")) for line in self.lines})


def figure_values(lines, figure):
    rate = figure.endswith("_per_s")
    return [float(line[figure]) for line in lines
            if isinstance(line.get(figure), (int, float)) and not (rate and results.is_paced(line))]


def verdict(figure, a, b):
    if len(a) == 1 or len(b) == 1:
        return "unknown"
    (middle_a, low_a, high_a), (middle_b, low_b, high_b) = results.spread(a), results.spread(b)
    if low_a <= high_b and low_b <= high_a:
        return "within_spread"
    return "better" if figure.endswith("_per_s") == (middle_b > middle_a) else "worse"


def compare(a, b, figures, fail_below=None, fail_above=None):
    """Returns (rows, settings only in A, settings only in B); a row is (settings, comparisons)."""
    rows = []
    for key in [k for k in a.by_key if k in b.by_key]:
        compared = []
        for figure in figures:
            of_a, of_b = figure_values(a.by_key[key], figure), figure_values(b.by_key[key], figure)
            if of_a and of_b:
                middle_a, middle_b = results.spread(of_a)[0], results.spread(of_b)[0]
                ratio = 1.0 if middle_a == middle_b else middle_b / middle_a if middle_a else float("inf")
                more = figure.endswith("_per_s")
                bound = fail_below if more else fail_above
                fails = bound is not None and (ratio < bound if more else ratio > bound)
                compared.append({"figure": figure, "a": of_a, "b": of_b, "ratio": ratio,
                                 "verdict": verdict(figure, of_a, of_b), "fails": fails})
        if compared:
            rows.append((dict(key), compared))

    def alone(one, other):
        return [dict(key) for key, lines in one.by_key.items()
                if key not in other.by_key and any(figure_values(lines, f) for f in figures)]

    return rows, alone(a, b), alone(b, a)


def common(rows):
    if len(rows) < 2:
        return {}
    shared = set(rows[0][0].items())
    for settings, _ in rows:
        shared &= set(settings.items())
    return {name: value for name, value in rows[0][0].items() if (name, value) in shared}


def text(settings):
    return " ".join(f"{name}={value}" for name, value in settings.items())


def print_table(a, b, rows, only_a, only_b):
    for name, each in (("A", a), ("B", b)):
        extra = f", {each.left_out} others left out" if each.left_out else ""
        extra += f", WITH {each.errors} ERRORS" if each.errors else ""
        print(f"{name} {each.name}: commit {', '.join(each.values('commit'))}, {len(each.lines)} lines{extra}")
        for machine in each.values("machine"):
            print(f"  on {machine}")
    shared = common(rows)
    if shared:
        print("in all: " + text(shared))
    for settings, compared in rows:
        print("\n" + text({k: v for k, v in settings.items() if k not in shared}))
        print(f"  {'':28} {'A':30} {'B':30} B/A")
        for each in compared:
            words = {"within_spread": "within the spread", "better": "better, beyond the spread",
                     "worse": "WORSE, beyond the spread", "unknown": "one run: no spread"}[each["verdict"]]
            print(f"  {each['figure']:28} {results.spread_text(each['a']):30} "
                  f"{results.spread_text(each['b']):30} {each['ratio']:.3f}  {words}"
                  + ("  FAILS" if each["fails"] else ""))
    for name, only in (("A", only_a), ("B", only_b)):
        if only:
            print(f"\nin {name} only:")
            for settings in only:
                print("  " + text(settings))
    if not rows:
        print("no figure was measured with equal settings in both files")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a", metavar="A.jsonl")
    parser.add_argument("b", metavar="B.jsonl", nargs="?", help="may be the same file with another --b")
    parser.add_argument("--a", dest="chosen_a", type=pairs, default={}, metavar="FIELD=VALUE,..",
                        help="only such lines of A; without a commit: the commit of the last line")
    parser.add_argument("--b", dest="chosen_b", type=pairs, default={}, metavar="FIELD=VALUE,..")
    parser.add_argument("--ignore", default="", metavar="FIELD,..", help="settings that may differ")
    parser.add_argument("--figures", default=",".join(FIGURES), metavar="NAME,..")
    parser.add_argument("--fail-below", type=float, metavar="R", help="least ratio B/A of a throughput")
    parser.add_argument("--fail-above", type=float, metavar="R", help="greatest ratio B/A of other figures")
    parser.add_argument("--any-machine", action="store_true", help="compare results of different machines")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    ignored = set(options.ignore.split(","))
    try:
        if options.b is None:
            of_a = ResultSet(options.a, results.read(options.a), options.chosen_a, ignored)
            return 0 if results.print_ratios(of_a.lines) else 2
        a = ResultSet(options.a, results.read(options.a), options.chosen_a, ignored)
        b = ResultSet(options.b, results.read(options.b), options.chosen_b, ignored)
    except (OSError, ValueError) as error:
        print(f"compare: cannot read results: {error}", file=sys.stderr)
        return 2
    same = len(a.values("machine")) <= 1 and a.values("machine") == b.values("machine")
    if not same and not options.any_machine:
        print("compare: the results are of different machines (--any-machine compares them)\n  A: "
              + "; ".join(a.values("machine")) + "\n  B: " + "; ".join(b.values("machine")), file=sys.stderr)
        return 2
    rows, only_a, only_b = compare(a, b, options.figures.split(","), options.fail_below, options.fail_above)
    if options.json:
        print(json.dumps({"sameMachine": same, "common": common(rows), "onlyInA": only_a, "onlyInB": only_b,
                          "rows": [{"settings": s, "figures": f} for s, f in rows]}))
    else:
        print_table(a, b, rows, only_a, only_b)
    if not rows:
        return 2
    return 1 if any(each["fails"] for _, compared in rows for each in compared) else 0


if __name__ == "__main__":
    sys.exit(main())
