"""Tests of the scripts beside this file: python3 -m unittest discover -s benchmarks."""
import contextlib
import io
import json
import os
import tempfile
import unittest

import compare
import cubes
import flame
import owners
import plot
import results
import suite


def line(**fields):
    return {"commit": "c", "machine": "m", "op": "PUT"} | fields


def result_set(*lines, chosen=None, ignored=()):
    return compare.ResultSet("f", list(lines), chosen or {}, set(ignored))


def only(a, b, figure="ops_per_s", **bounds):
    rows, _, _ = compare.compare(a, b, [figure], **bounds)
    (_, (compared,)), = rows
    return compared


class CubesTest(unittest.TestCase):
    def test_committing_threads_and_shared_locks_bound_the_model(self):
        self.assertAlmostEqual(10_000, cubes.model(cpu=0.1, commit=0.02, shared=0, cubes=1, processors=1))
        self.assertAlmostEqual(50_000, cubes.model(cpu=0.1, commit=0.02, shared=0, cubes=1, processors=16))
        self.assertAlmostEqual(160_000, cubes.model(cpu=0.1, commit=0.02, shared=0, cubes=16, processors=16))
        half = cubes.model(cpu=0.1, commit=0, shared=0.05, cubes=1, processors=10**9)
        self.assertAlmostEqual(20_000, half, delta=1)

    def test_times_under_shared_locks_are_summed_for_a_request(self):
        def timed(name, calls, average):
            method = {"type": {"name": "a.B"}, "name": name}
            return {"type": "jdk.MethodTiming",
                    "values": {"method": method, "invocations": calls, "average": average}}
        events = [timed("often", 100, "PT0.000002S"), timed("rare", 50, "PT0.000004S"),
                  timed("never", 0, "PT-1S")]
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertAlmostEqual(0.004, cubes.locks(events, "put", 1))


class OwnersTest(unittest.TestCase):
    def test_connections_go_to_the_owner_of_their_cube_or_to_no_owner_of_it(self):
        for cube in range(owners.NODES):
            self.assertEqual(cube, owners.entries(3, 0)[cube])
            self.assertNotEqual(cube, owners.entries(3, 1)[cube])
        self.assertEqual([0], owners.entries(1, 0))
        self.assertNotIn(0, owners.entries(1, 1))

    def test_counters_are_summed_over_their_labels(self):
        page = """# HELP volute_requests_total requests
volute_requests_total{operation="PutObject",status="2xx"} 4.0
volute_requests_total{operation="PutObject",status="5xx"} 1.0
volute_requests_total{operation="GetObject",status="2xx"} 7.0
volute_cluster_exchange_calls_total 3.0
"""
        self.assertEqual({"puts": 5, "volute_requests_total": 7, "volute_cluster_exchange_calls_total": 3},
                         owners.counters(page))

    def test_ratios_are_those_of_one_round(self):
        rounds = [{case: {"cpu": load * (1 + case[1])} for case in owners.CASES} for load in (1, 10)]
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            owners.report(rounds)
        self.assertIn("3 owners, 1 hops: CPU of the nodes 11.00 [2.000..20.00]", output.getvalue())
        self.assertIn("without hops 2.000 [2.000..2.000]", output.getvalue())


class CompareTest(unittest.TestCase):
    def test_ratio_is_that_of_the_medians(self):
        a = result_set(*(line(ops_per_s=n) for n in (100, 130, 110)))
        b = result_set(*(line(ops_per_s=n) for n in (120, 10, 121)))
        self.assertAlmostEqual(120 / 110, only(a, b)["ratio"])

    def test_only_separate_runs_differ(self):
        a = result_set(line(ops_per_s=100, p99_ms=5), line(ops_per_s=110, p99_ms=5.5))
        within = result_set(line(ops_per_s=110, p99_ms=5.5), line(ops_per_s=150, p99_ms=9))
        apart = result_set(line(ops_per_s=111, p99_ms=5.6), line(ops_per_s=150, p99_ms=9))
        self.assertEqual("within_spread", only(a, within)["verdict"])
        self.assertEqual("better", only(a, apart)["verdict"])
        self.assertEqual("worse", only(a, apart, "p99_ms")["verdict"])
        self.assertEqual("unknown", only(a, result_set(line(ops_per_s=1)))["verdict"])

    def test_fails_by_the_given_bounds(self):
        a, b = result_set(line(ops_per_s=100, p99_ms=10)), result_set(line(ops_per_s=94, p99_ms=12))
        self.assertTrue(only(a, b, fail_below=0.95)["fails"])
        self.assertFalse(only(a, b, fail_below=0.94)["fails"])
        self.assertTrue(only(a, b, "p99_ms", fail_above=1.1)["fails"])
        self.assertFalse(only(a, b, "p99_ms", fail_above=1.2)["fails"])

    def test_compares_equal_settings_only(self):
        a = result_set(line(connections=16, ops_per_s=1), line(op="GET", connections=16, ops_per_s=3))
        b = result_set(line(connections=16, ops_per_s=2), line(connections=32, ops_per_s=4))
        rows, only_a, only_b = compare.compare(a, b, ["ops_per_s"])
        self.assertEqual(2, rows[0][1][0]["ratio"])
        self.assertEqual([{"op": "GET", "connections": "16"}], only_a)
        self.assertEqual([{"op": "PUT", "connections": "32"}], only_b)

    def test_a_share_of_the_highest_rate_is_a_setting_and_the_rate_is_not(self):
        a = result_set(line(rate_percent=50, rate=500.5, ops_per_s=500, p99_ms=1))
        b = result_set(line(rate_percent=50, rate=600, ops_per_s=600, p99_ms=2))
        rows, _, _ = compare.compare(a, b, ["ops_per_s", "p99_ms"])
        self.assertEqual(["p99_ms"], [each["figure"] for each in rows[0][1]])

    def test_a_given_rate_is_a_setting(self):
        rows, only_a, _ = compare.compare(
            result_set(line(rate=100, p99_ms=1)), result_set(line(rate=200, p99_ms=1)), ["p99_ms"])
        self.assertEqual(([], 1), (rows, len(only_a)))

    def test_takes_the_commit_of_the_last_line(self):
        lines = [line(commit="old", ops_per_s=1), line(commit="new", ops_per_s=2), line(commit="new", ops_per_s=4)]
        last = result_set(*lines)
        self.assertEqual((2, 1), (len(last.lines), last.left_out))
        old = result_set(*lines, chosen={"commit": "old"})
        self.assertEqual(3, only(old, last)["ratio"])

    def test_reads_pairs_whose_values_have_commas(self):
        self.assertEqual({"a": "1,2", "b": "3"}, compare.pairs("a=1,2,b=3"))

    def run_main(self, a, b, *more):
        with tempfile.TemporaryDirectory() as directory:
            paths = []
            for name, lines in (("a", a), ("b", b)):
                paths.append(os.path.join(directory, name))
                with open(paths[-1], "w", encoding="utf-8") as file:
                    file.writelines(json.dumps(each) + "\n" for each in lines)
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                return compare.main([*paths, *more])

    def test_exit_status(self):
        one = [line(ops_per_s=100)]
        self.assertEqual(0, self.run_main(one, one))
        self.assertEqual(1, self.run_main(one, [line(ops_per_s=1)], "--fail-below", "0.9"))
        self.assertEqual(2, self.run_main(one, [line(ops_per_s=1, machine="other")]))
        self.assertEqual(0, self.run_main(one, [line(ops_per_s=1, machine="other")], "--any-machine"))
        self.assertEqual(2, self.run_main(one, [line(op="GET", ops_per_s=1)]))


class ResultsTest(unittest.TestCase):
    def test_names_the_line_that_is_not_json(self):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write('{"a":1}\n\nnot json\n')
            file.flush()
            with self.assertRaisesRegex(ValueError, "line 3"):
                results.read(file.name)

    def test_formats_about_four_digits(self):
        self.assertEqual("1234", results.digits(1234.4))
        self.assertEqual("0.123", results.digits(0.1234))
        self.assertEqual("2.000 [1.000..3.000]", results.spread_text([3, 1, 2]))


class RatiosTest(unittest.TestCase):
    def test_servers_are_compared_within_each_round(self):
        lines = [line(begin="t", round=r, target=name, ops_per_s=ops) for name, r, ops in
                 (("x", 0, 100), ("y", 0, 50), ("x", 1, 10), ("y", 1, 20), ("x", 2, 10))]
        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.assertEqual(2, results.print_ratios(lines))
        self.assertIn("of 2 rounds", out.getvalue())
        self.assertIn("1.250 [0.500..2.000]", out.getvalue())


class PlotTest(unittest.TestCase):
    def test_draws_a_line_for_each_group(self):
        lines = [{"x": x, "y": x * k, "by": name} for x in (1, 2) for k, name in ((1, "a<"), (2, "b"))]
        svg = plot.draw(lines, "x", ["y"], ["by"])
        self.assertEqual(2, svg.count("<polyline"))
        self.assertIn("a&lt;", svg)

    def test_refuses_missing_fields(self):
        with self.assertRaisesRegex(ValueError, "no line has both"):
            plot.draw([{"x": 1}], "x", ["y"], [])


class SuiteOptionsTest(unittest.TestCase):
    def test_a_pair_measures_put_and_get(self):
        o = suite.options(["--b-settings", "log.audit=false"])
        self.assertEqual(["put", "get"], list(o.chosen))
        self.assertEqual(20, o.runs)
        self.assertGreater(o.warm_up, 20)

    def test_a_pair_overwrites_at_a_rate(self):
        o = suite.options(["--mixes", "overwrite", "--rate", "2000", "--b-settings", "log.capacity=8G"])
        self.assertEqual(2000, o.rate)
        self.assertIn("--objects", o.chosen["overwrite"])
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
            suite.options(["--rate", "2000"])

    def test_refuses_an_unknown_mix(self):
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
            suite.options(["--mixes", "puts"])


def sample(thread, *frames):
    return {"values": {"sampledThread": {"javaName": thread}, "stackTrace": {"frames": [
        {"method": {"type": {"name": "a/b/" + f.split(".")[0]}, "name": f.split(".")[1]}} for f in frames]}}}


class FlameTest(unittest.TestCase):
    FOUND = flame.stacks([sample("io-1", "A.f", "B.g"), sample("io-2", "A.f", "B.g"),
                          sample("io-2", "C.h<>", "B.g"), sample("io-2", "EPoll.wait", "B.g")])

    def test_threads_of_a_kind_are_one_and_waiting_is_nothing(self):
        self.assertEqual({("io", "B.g", "A.f"): 2, ("io", "B.g", "C.h<>"): 1}, dict(self.FOUND))

    def test_top_has_the_innermost(self):
        self.assertEqual(["A.f", "C.h<>"], [name for _, name in flame.top(self.FOUND, 9)])

    def test_boxes_are_as_wide_as_their_share(self):
        svg = flame.draw(self.FOUND, "x")
        self.assertIn('<title>B.g: 100.0%</title><rect x="0.0" y="54" width="1200.0"', svg)
        self.assertIn('<title>A.f: 66.7%</title><rect x="0.0" y="36" width="800.0"', svg)
        self.assertIn('<title>C.h&lt;&gt;: 33.3%</title><rect x="800.0" y="36" width="400.0"', svg)


if __name__ == "__main__":
    unittest.main()
