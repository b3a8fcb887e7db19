#!/usr/bin/env python3
"""Measures PUTs to three cubes of a local cluster in turns: all at the owner of the store, or one at each node.

Connections go to the owner of the cube (0 hops) or to another node (1 hop). The output has the CPU of the nodes
for a request, by node and by part, and what owners ask each other before writes. All processes are on this
machine, so only CPU and its ratios mean something. Build first: mvn -pl benchmarks -am -DskipTests package
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import cubes
import results
import suite

NODES = 3
BUCKETS = [f"of-{n}" for n in range(NODES)]
CASES = [(places, hops) for places in (1, NODES) for hops in (0, 1)]
METRICS = 110
PROCESS = re.compile(r"^(\S+) +\S+ +process ([0-9]+)$", re.MULTILINE)
CALLS, WAITED = "volute_cluster_exchange_calls_total", "volute_cluster_exchange_wait_seconds_total"
FORWARDED = "volute_cluster_forwarded_requests_total"
PUTS = re.compile(r'^volute_requests_total\{.*operation="PutObject"', re.MULTILINE)
PARTS = {"commit": "committing threads", "C": "compilers", "GC": "collector"}


def entries(places, hops):
    """Returns the nodes that connections go to, in turn: the bucket of connection n is in cube n modulo 3."""
    if places == 1:
        return [0] if hops == 0 else list(range(1, NODES))
    return [(cube + hops) % NODES for cube in range(NODES)]


def counters(text):
    """Returns the sum of each counter of a page of metrics over its labels, and that of PUTs."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, value = re.split(r"[{ ]", line, maxsplit=1)[0], line.rsplit(" ", 1)[1]
            name = "puts" if PUTS.match(line) else name
            found[name] = found.get(name, 0.0) + float(value)
    return found


class Cluster:
    """ZooKeeper, three bookies and three nodes as child processes, on a fresh directory."""

    name = "cluster"

    def __init__(self, o):
        self.port, self.entries, self.at = o.port, [0], [0] * NODES
        self.scratch = tempfile.mkdtemp(prefix="owners-", dir=o.directory)
        self.command = str(pathlib.Path(o.home) / "volute")
        environment = os.environ | {"VOLUTE_ACCESS_KEY": suite.ACCESS, "VOLUTE_SECRET_KEY": suite.SECRET}
        with open(f"{self.scratch}/output", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [self.command, "cluster", "local", "--data", f"{self.scratch}/data", "--port", str(o.port)],
                env=environment, stdout=log, stderr=subprocess.STDOUT)
        self.pids = self._await_ready()

    def _await_ready(self):
        while True:
            text = pathlib.Path(f"{self.scratch}/output").read_text(encoding="utf-8")
            if "The cluster is ready" in text:
                return {name: int(pid) for name, pid in PROCESS.findall(text)}
            if self.process.poll() is not None:
                shutil.rmtree(self.scratch, ignore_errors=True)
                raise RuntimeError(f"the cluster ended before it was ready:\n{text}")
            time.sleep(0.2)

    def nodes(self):
        return [self.pids[f"node{n + 1}"] for n in range(NODES)]

    def arguments(self, prefix=""):
        endpoints = [f"http://127.0.0.1:{self.port + node}" for node in self.entries]
        return [f"--{prefix}name", self.name, f"--{prefix}endpoint", ",".join(endpoints),
                f"--{prefix}access-key", suite.ACCESS, f"--{prefix}secret-key", suite.SECRET,
                f"--{prefix}server-pid", ",".join(map(str, self.nodes()))]

    def volute(self, *arguments):
        environment = os.environ | {"VOLUTE_ACCESS_KEY": suite.ACCESS, "VOLUTE_SECRET_KEY": suite.SECRET}
        subprocess.run([self.command, *arguments, "--endpoint", f"http://127.0.0.1:{self.port}"],
                       env=environment, check=True, stdout=subprocess.DEVNULL)

    def place(self, places):
        """Moves cube n to node n modulo the number of places."""
        for cube in range(NODES):
            if self.at[cube] != cube % places:
                self.at[cube] = cube % places
                self.volute("cluster", "move", f"cube-{cube}", f"node{self.at[cube] + 1}")

    def counters(self):
        found = {}
        for node in range(NODES):
            url = f"http://127.0.0.1:{self.port + METRICS + node}/metrics"
            with urllib.request.urlopen(url) as page:
                for name, value in counters(page.read().decode()).items():
                    found[name] = found.get(name, 0.0) + value
        return found

    def cpu(self):
        """Returns the milliseconds of each node, of the bookies and ZooKeeper, and of parts of the nodes."""
        used = {}
        for name, pid in self.pids.items():
            threads = cubes.thread_ms(pid)
            node = name.startswith("node")
            used[name if node else "others"] = used.get(name if node else "others", 0) + sum(threads.values())
            for thread, ms in threads.items() if node else ():
                part = PARTS.get(thread.split(" ")[0].rstrip("12"), "rest")
                used[part] = used.get(part, 0) + ms
        return used

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=120)
        shutil.rmtree(self.scratch, ignore_errors=True)


def measure(cluster, case, o):
    """Returns a result line with milliseconds of CPU and calls of owners for a request."""
    cluster.entries = entries(*case)
    cpu, counts = cluster.cpu(), cluster.counters()
    line, = suite.drive([cluster], "put", o.chosen["put"], o, 1, {"places": case[0], "hops": case[1]},
                        ",".join(BUCKETS))
    cpu = {name: ms - cpu.get(name, 0) for name, ms in cluster.cpu().items()}
    counts = {name: value - counts.get(name, 0) for name, value in cluster.counters().items()}
    nodes = sum(ms for name, ms in cpu.items() if name.startswith("node"))
    requests = max(1.0, counts["puts"])
    # The counters and the threads include the warm-up, so they are taken as shares.
    shares = {name: line["server_cpu_ms_per_op"] * ms / nodes for name, ms in cpu.items()}
    return {"cpu": line["server_cpu_ms_per_op"], "rate": line["ops_per_s"], "p50": line["p50_ms"], **shares,
            "calls": counts.get(CALLS, 0) / requests, "waited": 1000 * counts.get(WAITED, 0) / requests,
            "hops": counts.get(FORWARDED, 0) / requests}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--duration", default="8", help="seconds of a run")
    parser.add_argument("--warm-up", default="20", help="seconds of each case before the first round")
    parser.add_argument("--connections", default="12")
    parser.add_argument("--port", type=int, default=19000, help="first of the cluster's ports")
    parser.add_argument("--home", default=str(suite.HERE.parent), help="checkout of the cluster's build")
    chosen = parser.parse_args(arguments)
    o = suite.options(["--mixes", "put", "--duration", chosen.duration, "--warm-up", "2",
                       "--connections", chosen.connections])
    o.home, o.port = chosen.home, chosen.port
    o.result = os.path.join(tempfile.gettempdir(), "owners.jsonl")
    warm = suite.options(["--mixes", "put", "--duration", chosen.warm_up, "--warm-up", "0",
                          "--connections", chosen.connections])
    warm.result = o.result
    cluster = Cluster(o)
    try:
        for n, bucket in enumerate(BUCKETS):
            cluster.volute("cube", "create", f"cube-{n}")
            cluster.volute("bucket", "create", bucket, "--cube", f"cube-{n}")
        rounds, placed = [], 0
        for n in range(-1, chosen.rounds):
            found = {}
            for case in CASES[::1 if n % 2 else -1]:
                if case[0] != placed:
                    placed = case[0]
                    cluster.place(placed)
                found[case] = measure(cluster, case, warm if n < 0 else o)
            rounds.append(found)
        report(rounds[1:])
    finally:
        cluster.close()
    for complaint in o.complaints + warm.complaints:
        print("WRONG: " + complaint)
    return 1 if o.complaints + warm.complaints else 0


def report(rounds):
    """Prints medians of the cases, and ratios to one place without a hop within one round."""
    for case in CASES:
        lines = [each[case] for each in rounds]
        ratios = [each[case]["cpu"] / each[CASES[0]]["cpu"] for each in rounds]
        print(f"{case[0]} owners, {case[1]} hops: CPU of the nodes {results.spread_text([x['cpu'] for x in lines])}"
              f" ms a PUT, over that of 1 owner without hops {results.spread_text(ratios)}")
        print("  " + ", ".join(f"{name} {results.digits(statistics.median(x.get(name, 0) for x in lines))}"
                               for name in lines[0] if name != "cpu"))


if __name__ == "__main__":
    sys.exit(main())
