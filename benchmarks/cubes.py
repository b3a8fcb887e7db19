#!/usr/bin/env python3
"""Measures requests to buckets in 1, 2 and 4 cubes of one server, in turns, and reckons more processors.

With --profile it also times the methods that run under a lock of all cubes (JDK 25 or newer), the waits for
locks, and the pauses of the garbage collector. Build first: mvn -pl benchmarks -am -DskipTests package
"""
import argparse
import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import results
import suite

CUBES = (1, 2, 4)
PROCESSORS = (1, 2, 4, 8, 16)
TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")
# Methods on the way of a request that run under a lock, or a compare-and-set, that all cubes share.
SHARED = {
    "io.volute.versioning.event.ForeignReads::take": "put",
    "io.volute.versioning.event.ForeignReads::add": "get",
    "io.volute.server.accesslog.AccessLog::take": "put,get",
    "io.volute.storage.commit.CommitOrder::passed": "put",
}


def model(cpu, commit, shared, cubes, processors):
    """Returns requests a second, by Amdahl's law for the shared part and one committing thread a cube.

    All times are milliseconds a request: cpu of the server, and those parts of it that a committing thread
    runs, and that a lock of all cubes serializes.
    """
    serial = shared / cpu
    speedup = 1 / (serial + (1 - serial) / processors)
    limit = cubes / commit if commit else float("inf")
    return 1000 * min(speedup / cpu, limit)


def thread_ms(pid):
    """Returns the CPU time of each kind of thread of a process, in milliseconds."""
    used = collections.Counter()
    for stat in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue  # the thread has ended
        name, fields = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
        used[name.rstrip("0123456789-")] += (int(fields[11]) + int(fields[12])) * TICK_MS
    return used


def volute(server, *arguments):
    command = [suite.java(), "-jar", str(server.jar), *arguments, "--endpoint", f"http://127.0.0.1:{server.port}"]
    environment = os.environ | {"VOLUTE_ACCESS_KEY": suite.ACCESS, "VOLUTE_SECRET_KEY": suite.SECRET}
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)


def buckets(cubes):
    """Returns as many buckets for each number of cubes, so that only their places differ."""
    return [f"of-{cubes}-{i}" for i in range(max(CUBES))]


def prepare(server):
    for i in range(max(CUBES)):
        volute(server, "cube", "create", f"cube-{i}")
    for cubes in CUBES:
        for i, bucket in enumerate(buckets(cubes)):
            volute(server, "bucket", "create", bucket, "--cube", f"cube-{i % cubes}")


def measure(server, mix, cubes, o):
    """Returns milliseconds of the server's CPU and of its committing threads for a request."""
    before = thread_ms(server.process.pid)
    lines = suite.drive([server], mix, o.chosen[mix], o, 1, {"cubes": cubes}, ",".join(buckets(cubes)))
    used = thread_ms(server.process.pid)
    used.subtract(before)
    cpu = lines[0]["server_cpu_ms_per_op"]
    return cpu, cpu * used["commit"] / max(1, sum(used.values())), lines[0]["ops_per_s"]


def profile(server, mix, o):
    """Runs the mix on 4 cubes under the recorder. Returns milliseconds under shared locks for a request."""
    tools = pathlib.Path(suite.java()).resolve().parent
    methods = ";".join(name for name, mixes in SHARED.items() if mix in mixes.split(","))
    with tempfile.TemporaryDirectory() as scratch:
        recording = f"{scratch}/locks.jfr"
        command = [tools / "jcmd", str(server.process.pid)]
        subprocess.run([*command, "JFR.start", "name=locks", "jdk.MethodTiming#enabled=true",
                        f"jdk.MethodTiming#filter={methods}", "jdk.MethodTiming#period=endChunk",
                        "jdk.JavaMonitorEnter#enabled=true", "jdk.JavaMonitorEnter#threshold=0ns",
                        "jdk.ThreadPark#enabled=true", "jdk.ThreadPark#threshold=0ns"],
                       check=True, capture_output=True)
        _, _, rate = measure(server, mix, max(CUBES), o)
        subprocess.run([*command, "JFR.stop", "name=locks", f"filename={recording}"], check=True, capture_output=True)
        text = subprocess.run([tools / "jfr", "print", "--json", "--stack-depth", "12", "--events",
                               "jdk.MethodTiming,jdk.JavaMonitorEnter,jdk.ThreadPark,jdk.GarbageCollection",
                               recording], check=True, capture_output=True, text=True).stdout
    return locks(json.loads(text)["recording"]["events"], mix, rate)


def seconds(text):
    """Returns a duration such as PT0.0001S in seconds."""
    return float(text[2:-1])


def user(values):
    """Returns the first method of a stack that is not the JDK's."""
    methods = [frame["method"] for frame in (values.get("stackTrace") or {}).get("frames", [])]
    names = [f'{method["type"]["name"]}.{method["name"]}' for method in methods]
    return next((name for name in names if not name.startswith(("java", "jdk"))), names[0] if names else "?")


def locks(events, mix, rate):
    """Prints the times under shared locks, and the waits; returns the sum of the former for a request in ms."""
    under, waits, pauses = 0.0, collections.defaultdict(list), 0.0
    requests = 0
    timed = [event["values"] for event in events
             if event["type"] == "jdk.MethodTiming" and event["values"]["invocations"] > 0]
    for values in timed:
        requests = max(requests, values["invocations"])
    for values in timed:
        name = f'{values["method"]["type"]["name"].split(".")[-1]}.{values["method"]["name"]}'
        ms = values["invocations"] * seconds(values["average"]) * 1000 / max(1, requests)
        under += ms
        print(f'  {name}: {values["invocations"]} calls, {seconds(values["average"]) * 1e6:.2f} us each')
    for event in events:
        values = event["values"]
        if event["type"] == "jdk.GarbageCollection":
            pauses += seconds(values["sumOfPauses"])
        elif event["type"] == "jdk.JavaMonitorEnter":
            waits[f'monitor {values["monitorClass"]["name"]} in {user(values)}'].append(seconds(values["duration"]))
        elif event["type"] == "jdk.ThreadPark" and "Lock" in str((values.get("parkedClass") or {}).get("name")):
            waits["lock in " + user(values)].append(seconds(values["duration"]))
    for name, times in sorted(waits.items(), key=lambda item: -sum(item[1]))[:12]:
        print(f"  waits for {name}: {len(times)}, {sum(times) * 1000:.1f} ms in all")
    print(f"  pauses of the collector: {pauses * 1000:.0f} ms; {requests} requests, {rate:.0f}/s; "
          f"{under * 1000:.2f} us of a request under locks that all cubes share")
    return under


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mixes", default="put,get")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--duration", default="5", help="seconds of a run")
    parser.add_argument("--home", default=str(suite.HERE.parent), help="checkout of the server's build")
    parser.add_argument("--profile", action="store_true")
    chosen = parser.parse_args(arguments)
    # Few objects: the driver puts them into each bucket before every run of get.
    o = suite.options(["--mixes", chosen.mixes, "--duration", chosen.duration, "--warm-up", "1",
                       "--objects", "500"])
    o.result = os.path.join(tempfile.gettempdir(), "cubes.jsonl")
    server = suite.Server("cubes", chosen.home, {}, o.directory)
    try:
        prepare(server)
        for mix in o.chosen:
            measure(server, mix, max(CUBES), o)  # warms up
            rounds = [{cubes: measure(server, mix, cubes, o) for cubes in CUBES[::1 - 2 * (n % 2)]}
                      for n in range(chosen.rounds)]
            shared = profile(server, mix, o) if chosen.profile else 0.0
            report(mix, rounds, shared)
    finally:
        server.close()
    for complaint in o.complaints:
        print("WRONG: " + complaint)
    return 1 if o.complaints else 0


def report(mix, rounds, shared):
    print(f"{mix}: CPU of the server and of its committing threads, ms a request; requests a second")
    cost = {}
    for cubes in CUBES:
        cpu, commit, rate = zip(*(each[cubes] for each in rounds))
        ratios = [each[cubes][0] / each[1][0] for each in rounds]
        cost[cubes] = statistics.median(cpu), statistics.median(commit)
        print(f"  {cubes} cubes: {results.spread_text(cpu)}, {results.spread_text(commit)}; "
              f"{results.spread_text(rate)}; CPU over that of 1 cube {results.spread_text(ratios)}")
    for cubes in (1, 2, 4, 8, 16):
        cpu, commit = cost[min(cubes, max(CUBES))]
        rates = [model(cpu, commit, shared, cubes, processors) for processors in PROCESSORS]
        print(f"  model, {cubes} cubes: " + ", ".join(
            f"{rate:.0f}/s on {processors}" for rate, processors in zip(rates, PROCESSORS)))


if __name__ == "__main__":
    sys.exit(main())
