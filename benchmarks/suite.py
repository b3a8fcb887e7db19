#!/usr/bin/env python3
"""Measures the usual mixes of requests against server processes, and writes result lines.

Without --b-settings or --b-home each mix runs on a fresh server. With one of them two servers, A
and B, run side by side and are measured in turn: what B's settings or B's build cost.
Build first: mvn -pl benchmarks -am -DskipTests package
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

import compare
import results

HERE = pathlib.Path(__file__).resolve().parent
ACCESS, SECRET = "AKVOLUTEBENCHMARK", "only-for-a-store-that-is-measured"
READY = re.compile(r"ready on http://[^ ]*:([0-9]+)")
# The options of ./volute.
JVM = ["-Xms64m", "-Xmx512m", "-XX:MaxDirectMemorySize=512m", "-XX:+UseParallelGC",
       "-XX:+ExitOnOutOfMemoryError", "-Djdk.serialFilter=!*", "-Dfile.encoding=UTF-8",
       "--enable-native-access=ALL-UNNAMED"]
DELETES_PER_SECOND_MAX = 10_000
# Before each round of a pair that is warm.
PAUSE_S = 0.5


def mixes(o):
    """Returns the load driver's arguments for each mix."""
    small = ["--size", o.size]
    large = ["--size", o.large_size, "--objects", str(max(16, o.objects // 200))]
    objects = ["--objects", str(o.objects)]
    time = ["--duration", str(o.duration), "--warm-up", str(o.warm_up)]
    # A run of deletes is short: every object must be put first.
    short = o.duration / 4
    deletes = ["--objects", str(int(DELETES_PER_SECOND_MAX * 1.25 * short)), "--duration", str(short),
               "--warm-up", str(short / 4)]
    return {
        "put": ["--op", "put", *small, *time],
        "get": ["--op", "get", *small, *objects, *time],
        "overwrite": ["--op", "put", *small, *objects, *time],
        "mixed": ["--op", "mixed", *small, *objects, *time],
        "delete": ["--op", "delete", *small, *deletes],
        "list": ["--op", "list", "--size", "1K", *objects, *time],
        "put-large": ["--op", "put", *large, *time],
        "get-large": ["--op", "get", *large, *time],
        "population": ["--op", "population", "--size", "16M", *time],
        "versioned": ["--op", "put", *small, *objects, "--versioning", "enabled", *time],
    }


def java():
    """Returns the java command that environment.sh finds."""
    found = subprocess.run(["sh", "-c", '. "${0%/*}/environment.sh" && echo "$java"', __file__],
                           capture_output=True, text=True, check=False)
    if found.returncode:
        sys.exit(found.stderr)
    return found.stdout.strip()


class Server:
    """A server process on a fresh data directory, removed at the end."""

    def __init__(self, name, home, settings, directory):
        self.name, virtual_machine = name, java()
        self.scratch = tempfile.mkdtemp(prefix="suite-", dir=directory)
        # Versions before 0.1.0 build it in admin-cli.
        self.jar = jar = max(pathlib.Path(home).glob("*/target/volute.jar"), key=lambda each: each.stat().st_mtime)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("VOLUTE_")}
        environment |= {"VOLUTE_ACCESS_KEY": ACCESS, "VOLUTE_SECRET_KEY": SECRET}
        for key, value in settings.items():
            variable = "VOLUTE_" + key.upper().replace(".", "_").replace("-", "_")
            environment[variable] = value.replace("{scratch}", self.scratch)
        command = [virtual_machine, *JVM, "-jar", str(jar), "server", "--data", f"{self.scratch}/data",
                   "--listen", "127.0.0.1:0"]
        self.log = open(f"{self.scratch}/output", "w+", encoding="utf-8")
        self.process = subprocess.Popen(command, env=environment, stdout=self.log, stderr=subprocess.STDOUT)
        self.port = self._await_ready()

    def _await_ready(self):
        with open(self.log.name, encoding="utf-8") as log:
            seen = ""
            while True:
                try:
                    self.process.wait(timeout=0.1)
                except subprocess.TimeoutExpired:
                    pass
                seen += log.read()
                ready = READY.search(seen)
                if ready:
                    return int(ready.group(1))
                if self.process.poll() is not None:
                    raise RuntimeError(f"server {self.name} ended before it was ready:\n{seen}")

    def arguments(self, prefix=""):
        return [f"--{prefix}name", self.name, f"--{prefix}endpoint", f"http://127.0.0.1:{self.port}",
                f"--{prefix}access-key", ACCESS, f"--{prefix}secret-key", SECRET,
                f"--{prefix}server-pid", str(self.process.pid)]

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=120)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "killed"
        self.log.close()
        shutil.rmtree(self.scratch, ignore_errors=True)
        if status != 0:
            raise RuntimeError(f"server {self.name} ended with status {status}")


class External:
    """A server that runs already. Its buckets stay."""

    def __init__(self, o):
        self.name, self.o = o.name, o

    def arguments(self, prefix=""):
        given = ["--name", self.o.name, "--endpoint", self.o.endpoint, "--access-key", self.o.access_key,
                 "--secret-key", self.o.secret_key, "--region", self.o.region]
        return given + (["--server-pid", self.o.server_pid] if self.o.server_pid else [])

    def close(self):
        pass


def drive(servers, mix, arguments, o, runs, extra=None, bucket=None):
    """Runs the load driver and returns its result lines; adds them to the result file."""
    with tempfile.TemporaryDirectory() as scratch:
        found = f"{scratch}/lines"
        command = [str(HERE / "run-load.sh"), *servers[0].arguments()]
        if len(servers) == 2:
            command += servers[1].arguments("b-")
        command += [*arguments, "--connections", str(o.connections),
                    "--bucket", bucket or f"suite-{mix}", "--runs", str(runs), "--result", found]
        status = subprocess.run(command, check=False).returncode
        lines = results.read(found) if os.path.exists(found) else []
    with open(o.result, "a", encoding="utf-8") as file:
        for line in lines:
            line |= {"kind": "suite", "mix": mix} | (extra or {})
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
    if status or not lines or not all(line["ops"] for line in lines):
        o.complaints.append(f"{mix}: errors, or a run without operations")
    return lines


def measure_alone(o):
    for mix, arguments in o.chosen.items():
        server = External(o) if o.endpoint else Server("volute", o.home, o.settings, o.directory)
        try:
            lines = drive([server], mix, arguments, o, o.runs)
            most = statistics.median(line["ops_per_s"] for line in lines) if lines else 0
            for share in o.shares if mix in ("put", "get") and most else []:
                drive([server], mix, [*arguments, "--rate", f"{most * share / 100:.1f}"], o, o.runs,
                      {"rate_percent": share})
        finally:
            server.close()


def measure_pair(o):
    servers = []
    try:
        servers.append(Server("A", o.home, o.settings, o.directory))
        servers.append(Server("B", o.b_home or o.home, o.b_settings, o.directory))
        rate = ["--rate", str(o.rate)] if o.rate else []
        settled = mixes(argparse.Namespace(**vars(o) | {"warm_up": PAUSE_S}))
        for mix, arguments in o.chosen.items():
            drive(servers, mix, [*arguments, *rate], o, 1, {"warms_up": True})
            lines = drive(servers, mix, [*settled[mix], *rate], o, o.runs)
            print(f"{mix}: ", end="")
            results.print_ratios(lines)
    finally:
        for server in servers:
            server.close()


def options(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--quick", action="store_true", help="about a minute")
    add("--mixes", help="comma-separated; default: all, of a pair put,get")
    add("--connections", type=int, default=16)
    add("--duration", type=float, help="seconds of a run (20; of a pair 3)")
    add("--warm-up", type=float, help="seconds before each run (10; once for a pair 25)")
    add("--runs", type=int, help="(3; rounds of a pair 20)")
    add("--objects", type=int, default=10_000)
    add("--size", default="4K")
    add("--large-size", default="10M")
    add("--shares", default="50,80", help="%% of the highest rate of put and get for open-loop runs; none")
    add("--rate", type=float, help="requests/s of a pair in an open loop (default: closed loop)")
    add("--settings", type=compare.pairs, default={}, metavar="K=V,..",
        help="of the server; {scratch} in a value is a directory that is removed at the end")
    add("--b-settings", type=compare.pairs, metavar="K=V,..", help="a second server with these settings")
    add("--b-home", metavar="DIR", help="a second server, of the build in another checkout")
    add("--home", default=str(HERE.parent), metavar="DIR", help="checkout of the (first) server's build")
    add("--endpoint", help="another S3 server that runs already, with:")
    for name in ("--access-key", "--secret-key", "--server-pid"):
        add(name, default="")
    add("--region", default="us-east-1")
    add("--name", default="other")
    add("--directory", default=str(HERE / "target"), help="for data: choose the disk")
    add("--output", default=str(HERE / "results" / "suite"), help="directory of the result file")
    o = parser.parse_args(arguments)
    o.pair = o.b_settings is not None or o.b_home is not None
    o.b_settings = o.settings if o.b_settings is None else o.b_settings
    if o.rate and not o.pair:
        parser.error("--rate needs a second server; --shares chooses the rates of one")
    if o.endpoint and (o.pair or o.settings):
        parser.error("--endpoint excludes settings and a second server")
    o.duration = o.duration or (1.0 if o.quick else 3.0 if o.pair else 20.0)
    o.warm_up = o.warm_up if o.warm_up is not None else 0.5 if o.quick else 25.0 if o.pair else 10.0
    o.runs = o.runs or (1 if o.quick else 20 if o.pair else 3)
    o.objects = min(o.objects, 1000) if o.quick else o.objects
    try:
        o.shares = [] if o.shares == "none" else [int(share) for share in o.shares.split(",")]
        known = mixes(o)
        wanted = o.mixes.split(",") if o.mixes else ["put", "get"] if o.pair else list(known)
        o.chosen = {mix: known[mix] for mix in wanted}
    except ValueError:
        parser.error("--shares takes percentages such as 50,80, or none")
    except KeyError as error:
        parser.error(f"no mix {error}; there are {', '.join(known)}")
    o.complaints = []
    return o


def main(arguments=None):
    o = options(arguments)
    os.makedirs(o.directory, exist_ok=True)
    os.makedirs(o.output, exist_ok=True)
    stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    commit = subprocess.run(["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"], capture_output=True,
                            text=True, check=False).stdout.strip() or "unknown"
    o.result = os.path.join(o.output, f"suite-{stamp}-{commit}.jsonl")
    (measure_pair if o.pair else measure_alone)(o)
    print(f"results: {o.result}")
    for complaint in o.complaints:
        print("WRONG: " + complaint)
    return 1 if o.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
