#!/usr/bin/env python3
"""Profiles a server under one mix of requests and draws where its Java code spends the time, as SVG."""
import argparse
import collections
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import suite

WIDTH, ROW, LEAST = 1200, 18, 0.001
WORKS = {"put4k": "put", "get4k": "get", "put10m": "put-large", "get10m": "get-large",
         "delete": "delete", "list": "list"}


def stacks(events):
    """Returns how often each stack was met, as tuples from the thread inwards. Native calls that wait do not count."""
    found = collections.Counter()
    for event in events:
        values = event["values"]
        frames = [f'{f["method"]["type"]["name"].replace("/", ".").split(".")[-1]}.{f["method"]["name"]}'
                  for f in (values.get("stackTrace") or {}).get("frames", [])]
        if not frames or frames[0] in ("EPoll.wait", "Net.accept", "Net.poll"):
            continue
        thread = (values.get("sampledThread") or {}).get("javaName") or "other"
        found[(re.sub(r"[-0-9]+$", "", thread), *reversed(frames))] += 1
    return found


def tree(found):
    """Returns the stacks as nested nodes {name: [count, children]}."""
    root = {}
    for stack, count in found.items():
        level = root
        for name in stack:
            node = level.setdefault(name, [0, {}])
            node[0] += count
            level = node[1]
    return root


def draw(found, title):
    """Returns an SVG document: a row a depth, a box a method, as wide as its share of the samples."""
    total = sum(found.values())
    boxes, deepest = [], 0

    def place(level, depth, left):
        nonlocal deepest
        for name, (count, children) in sorted(level.items()):
            if count >= total * LEAST:
                deepest = max(deepest, depth)
                boxes.append((depth, left, count, name))
                place(children, depth + 1, left)
            left += count

    place(tree(found), 0, 0)
    height = (deepest + 3) * ROW
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-size="11"'
           f' font-family="sans-serif"><text x="4" y="13">{html.escape(title)}, {total} samples</text>']
    for depth, left, count, name in boxes:
        x, wide = left / total * WIDTH, count / total * WIDTH
        y = height - (depth + 1) * ROW
        fill = f"hsl({20 + hash_of(name) % 40}, 80%, {60 + hash_of(name) % 15}%)"
        label = html.escape(name if len(name) * 6.2 < wide else name[:max(0, int(wide / 6.2) - 1)])
        svg.append(f'<g><title>{html.escape(name)}: {count / total:.1%}</title><rect x="{x:.1f}" y="{y}"'
                   f' width="{wide:.1f}" height="{ROW - 1}" fill="{fill}"/>'
                   f'<text x="{x + 2:.1f}" y="{y + 12}">{label}</text></g>')
    return "\n".join([*svg, "</svg>"]) + "\n"


def hash_of(name):
    """Returns a number that is the same in every run."""
    return sum(ord(c) * (i + 1) for i, c in enumerate(name))


def top(found, most):
    """Returns the methods that were met innermost, with their shares."""
    own = collections.Counter()
    for stack, count in found.items():
        own[stack[-1]] += count
    total = sum(found.values())
    return [(count / total, name) for name, count in own.most_common(most)]


def record(server, options, mix, arguments):
    """Runs the mix twice, the second time under the recorder, and returns the samples."""
    tools = pathlib.Path(suite.java()).resolve().parent
    suite.drive([server], mix, arguments, options, 1)
    with tempfile.TemporaryDirectory() as scratch:
        recording = f"{scratch}/samples.jfr"
        command = [tools / "jcmd", str(server.process.pid)]
        subprocess.run([*command, "JFR.start", "name=flame", "settings=profile"], check=True, capture_output=True)
        suite.drive([server], mix, arguments, options, 1)
        subprocess.run([*command, "JFR.dump", "name=flame", f"filename={recording}"], check=True, capture_output=True)
        text = subprocess.run([tools / "jfr", "print", "--json", "--stack-depth", "64", "--events",
                               "jdk.ExecutionSample,jdk.NativeMethodSample", recording],
                              check=True, capture_output=True, text=True).stdout
    return stacks(json.loads(text)["recording"]["events"])


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", choices=WORKS)
    parser.add_argument("--output", default=str(suite.HERE / "target"), help="directory of the picture")
    chosen = parser.parse_args(arguments)
    mix = WORKS[chosen.work]
    os.makedirs(chosen.output, exist_ok=True)
    options = suite.options([])
    options.result = f"{chosen.output}/profile.jsonl"
    home = suite.HERE.parent
    server = suite.Server("profiled", home, {}, os.environ.get("BENCHMARK_DIRECTORY", chosen.output))
    try:
        found = record(server, options, mix, suite.mixes(options)[mix])
    finally:
        server.close()
    picture = f"{chosen.output}/{chosen.work}.svg"
    pathlib.Path(picture).write_text(draw(found, chosen.work), encoding="utf-8")
    for share, name in top(found, 20):
        print(f"{share:6.1%}  {name}")
    print(f"all of it: {picture}")
    return 1 if options.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
