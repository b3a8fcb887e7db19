#!/usr/bin/env python3
"""Draws figures of a result file against a setting, as SVG: a panel a figure, a line a group."""
import argparse
import html
import sys

import compare
import results

COLOURS = ["#1b6ca8", "#d1495b", "#2e8b57", "#8a5a00", "#6a4c93", "#444444"]
WIDTH, HEIGHT, MARGIN = 360, 240, 60


def panel(figure, groups, top):
    """Returns the SVG elements of one figure; groups maps a name to sorted (x, median) points."""
    points = [point for line in groups.values() for point in line]
    low, high = min(x for x, _ in points), max(x for x, _ in points)
    most = max(y for _, y in points) or 1

    def place(x, y):
        across = (x - low) / (high - low) if high > low else 0.5
        return MARGIN + across * WIDTH, top + HEIGHT - y / most * HEIGHT

    yield f'<text x="{MARGIN}" y="{top - 8}">{html.escape(figure)}, 0 to {results.digits(most)}</text>'
    yield (f'<path d="M{MARGIN} {top}V{top + HEIGHT}H{MARGIN + WIDTH}" fill="none" stroke="#888"/>')
    for x in sorted({x for x, _ in points}):
        yield f'<text x="{place(x, 0)[0]:.1f}" y="{top + HEIGHT + 16}" text-anchor="middle">{x:g}</text>'
    for colour, line in zip(COLOURS * len(groups), groups.values()):
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in (place(*point) for point in line))
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        for a, b in (place(*point) for point in line):
            yield f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>'


def draw(lines, x, figures, by):
    """Returns an SVG document. Raises ValueError when no line has the fields."""
    elements, names, top = [], {}, MARGIN
    for figure in figures:
        found = {}
        for line in lines:
            if isinstance(line.get(figure), (int, float)) and isinstance(line.get(x), (int, float)):
                name = ", ".join(str(line.get(field, "")) for field in by) or figure
                found.setdefault(name, {}).setdefault(float(line[x]), []).append(float(line[figure]))
        if not found:
            raise ValueError(f"no line has both {x} and {figure}")
        groups = {name: sorted((at, results.spread(values)[0]) for at, values in points.items())
                  for name, points in sorted(found.items())}
        names |= groups
        elements += panel(figure, groups, top)
        top += HEIGHT + MARGIN
    for number, name in enumerate(sorted(names)):
        colour = COLOURS[number % len(COLOURS)]
        elements.append(f'<text x="{MARGIN}" y="{top + 16 * number}" fill="{colour}">{html.escape(name)}</text>')
    caption = "; ".join(sorted({f"commit {line.get('commit', '?')}" for line in lines}))
    top += 16 * len(names)
    elements.append(f'<text x="{MARGIN}" y="{top}" fill="#666">{html.escape(x + "; " + caption)}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + 2 * MARGIN}" height="{top + MARGIN}" '
            'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>'
            + "".join(elements) + "</svg>\n")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", metavar="RESULTS.jsonl")
    parser.add_argument("--where", type=compare.pairs, default={}, metavar="FIELD=VALUE,..")
    parser.add_argument("--x", default="utilization_percent", metavar="FIELD")
    parser.add_argument("--figures", default="writes_per_s,cleaning_bytes_per_new_byte", metavar="FIELD,..")
    parser.add_argument("--by", default="object_bytes,variant,distribution", metavar="FIELD,..")
    parser.add_argument("--output", default="-", metavar="FILE.svg")
    o = parser.parse_args(arguments)
    try:
        lines = [line for line in results.read(o.file)
                 if all(str(line.get(name, "")) == value for name, value in o.where.items())]
        svg = draw(lines, o.x, o.figures.split(","), o.by.split(","))
    except (OSError, ValueError) as error:
        print(f"plot: {error}", file=sys.stderr)
        return 2
    if o.output == "-":
        sys.stdout.write(svg)
    else:
        with open(o.output, "w", encoding="utf-8") as file:
            file.write(svg)
    return 0


if __name__ == "__main__":
    sys.exit(main())
