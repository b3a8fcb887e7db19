"""Reads result lines and reduces them. A result file has one flat JSON object a line."""
import json
import statistics

# Fields that describe how a figure was measured. Lines with equal settings belong together.
SETTINGS = [
    "kind", "experiment", "mix", "op", "workload", "target", "settings", "through", "variant",
    "distribution", "store", "policy", "size", "object_bytes", "bytes", "objects", "connections",
    "threads", "rate_percent", "rate", "background_puts", "actors", "get_percent", "batch",
    "prefixes", "payload", "versioning", "capacity_bytes", "segment_bytes", "reserve_segments",
    "utilization_percent", "duration_s", "warm_up_s", "seed",
]

# A value that follows from another setting and from a measurement is no setting.
DERIVED = {"rate_percent": {"rate"}, "utilization_percent": {"objects", "background_puts"}}

# Kinds of lines whose request rate was given, so that throughput is no result.
PACED = {"window", "ratio", "complaint"}


def read(path):
    """Returns the lines of a file. Raises ValueError with the line number for a bad line."""
    lines = []
    with open(path, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            if text.strip():
                try:
                    line = json.loads(text)
                except ValueError as error:
                    raise ValueError(f"{path}, line {number}: {error}") from error
                if not isinstance(line, dict):
                    raise ValueError(f"{path}, line {number}: not a JSON object")
                lines.append(line)
    return lines


def settings(line):
    """Returns the settings of a line as a tuple of pairs in a fixed order."""
    derived = set().union(*(names for name, names in DERIVED.items() if name in line))
    return tuple((name, str(line[name])) for name in SETTINGS if name in line and name not in derived)


def is_paced(line):
    return float(line.get("rate") or 0) > 0 or line.get("kind") in PACED


def spread(values):
    """Returns (median, least, most)."""
    return statistics.median(values), min(values), max(values)


def digits(number):
    """Formats a number with about four digits."""
    size = abs(number)
    places = 0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 10 else 3
    return f"{number:.{places}f}"


def spread_text(values):
    median, least, most = spread(values)
    if len(values) == 1:
        return digits(median)
    return f"{digits(median)} [{digits(least)}..{digits(most)}]"


def print_ratios(lines):
    """Prints ratios of the second server to the first, of the rounds of runs with two servers."""
    rounds = {}
    for line in lines:
        rounds.setdefault((line.get("begin"), line.get("round")), []).append(line)
    pairs = [pair for pair in rounds.values() if len(pair) == 2]
    print(f"ratios B/A of {len(pairs)} rounds, median [least..greatest]")
    for figure in ("ops_per_s", "p50_ms", "p99_ms", "p999_ms", "server_cpu_ms_per_op"):
        ratios = [b[figure] / a[figure] for a, b in pairs if a.get(figure) and b.get(figure)]
        if ratios:
            print(f"  {figure:24} {spread_text(ratios)}")
    return len(pairs)
