package io.volute.benchmarks.micro;

import io.volute.benchmarks.Arguments;
import io.volute.benchmarks.CommandLine;
import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.Machine;
import io.volute.benchmarks.Median;
import io.volute.benchmarks.ResultFile;
import io.volute.benchmarks.Scratch;
import io.volute.benchmarks.Ticks;
import io.volute.benchmarks.http.KeyPage;
import io.volute.benchmarks.http.ServerProcess;
import io.volute.versioning.causality.HistoryPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Compares listings of the past with those of the present: the same bucket, of whose keys all
 * states are kept, is listed as it is, as it was and as it is again in turns, in this process or as
 * a client of a server.
 */
public final class PairedPastListing {
    private static final int BODY_BYTES = 16;
    private static final String PRESENT = "present";
    private static final String INSTANTS = "instants.txt";

    private static final String USAGE =
            """
            --keys N         of the bucket (1000000)
            --states N       of each key (10)
            --rounds N       listings of each kind, after two more (10)
            --rest SECONDS   that the store is left alone before (0)
            --store DIR      a store that is kept there; filled when there is none yet (none)
            --through store|server  (store: in this process; server: another process, by HTTP)
            --settings K=V,..  of the server, by key of docs/reference/settings.md (none)
            --output FILE    gets a line of results (none)
            --commit ID
            """;

    /** The parameters of the measurement. */
    private record Plan(
            long keys,
            int states,
            int rounds,
            Duration rest,
            Optional<Path> store,
            boolean isServer,
            Map<String, String> settings,
            Optional<Path> output,
            String commit) {
        private static boolean isServer(String through) {
            return switch (through) {
                case "store" -> false;
                case "server" -> true;
                default -> throw new IllegalArgumentException("--through store or server");
            };
        }

        private static Map<String, String> settings(String text) {
            Map<String, String> settings = new TreeMap<>();
            for (String each : text.isEmpty() ? List.<String>of() : List.of(text.split(","))) {
                String[] setting = each.split("=", 2);
                if (setting.length < 2) {
                    throw new IllegalArgumentException("--settings key=value,key=value");
                }
                settings.put(setting[0], setting[1]);
            }
            return settings;
        }

        private static Optional<Path> path(String text) {
            return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
        }

        static Plan parse(String[] arguments) {
            Arguments given = Arguments.of(arguments, Set.of());
            Plan plan =
                    new Plan(
                            Long.parseLong(given.take("keys", "1000000")),
                            Integer.parseInt(given.take("states", "10")),
                            Integer.parseInt(given.take("rounds", "10")),
                            Duration.ofSeconds(Long.parseLong(given.take("rest", "0"))),
                            path(given.take("store", "")),
                            isServer(given.take("through", "store")),
                            settings(given.take("settings", "")),
                            path(given.take("output", "")),
                            given.take("commit", "unknown"));
            given.requireAllTaken();
            return plan;
        }
    }

    /**
     * One listing of everything.
     *
     * @param firstMillis until the first page was there
     */
    private record Walk(double seconds, double firstMillis) {}

    private final Plan plan;
    private final Map<String, List<Walk>> walks = new LinkedHashMap<>();

    private PairedPastListing(Plan plan) {
        this.plan = plan;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (CommandLine.isHelp(arguments, USAGE)) {
            return;
        }
        Plan plan = CommandLine.read(arguments, USAGE, Plan::parse);
        if (plan.store().isPresent()) {
            new PairedPastListing(plan).run(plan.store().get());
        } else {
            try (Scratch scratch = Scratch.here()) {
                new PairedPastListing(plan).run(scratch.directory());
            }
        }
    }

    private void run(Path directory) throws IOException, InterruptedException {
        List<Instant> instants;
        try (OpenStore store = OpenStore.in(directory, BODY_BYTES)) {
            instants = filled(directory, store);
        }
        try (BucketPages pages =
                plan.isServer()
                        ? BucketPages.OfServer.of(ServerProcess.start(directory, plan.settings()))
                        : new BucketPages.OfStore(OpenStore.in(directory, BODY_BYTES))) {
            Ticks.waitUntil(Ticks.nanos() + plan.rest().toNanos());
            measureAll(pages, instants);
        }
        report();
    }

    private void measureAll(BucketPages pages, List<Instant> instants) throws IOException {
        Map<String, Optional<Instant>> kinds = new LinkedHashMap<>();
        kinds.put(PRESENT, Optional.empty());
        kinds.put("newest", Optional.of(instants.getLast()));
        kinds.put("middle", Optional.of(instants.get((instants.size() - 1) / 2)));
        kinds.put("oldest", Optional.of(instants.getFirst()));
        for (int round = -2; round < plan.rounds(); round++) {
            for (Map.Entry<String, Optional<Instant>> kind : kinds.entrySet()) {
                measure(round, kind.getKey(), pages, kind.getValue());
            }
        }
    }

    /** Fills the store where that has not been done; returns an instant behind each state. */
    private List<Instant> filled(Path directory, OpenStore store)
            throws IOException, InterruptedException {
        Path known = directory.resolve(INSTANTS);
        if (Files.exists(known)) {
            return Files.readAllLines(known).stream().map(Instant::parse).toList();
        }
        store.store()
                .setHistoryPolicy(OpenStore.CALLER, OpenStore.BUCKET, HistoryPolicy.EVERY_WRITE);
        List<Instant> instants = new ArrayList<>();
        for (int state = 1; state <= plan.states(); state++) {
            long begin = Ticks.nanos();
            store.putFirst(plan.keys());
            double seconds = (Ticks.nanos() - begin) / 1e9;
            System.out.printf(Locale.ROOT, "state %d: %.0f puts/s%n", state, plan.keys() / seconds);
            instants.add(nextSecond());
        }
        Files.write(known, instants.stream().map(Instant::toString).toList());
        return instants;
    }

    /** A name of a bucket's past has whole seconds: waits until the next has begun, and is over. */
    private static Instant nextSecond() {
        Instant now = Ticks.wallClock();
        Instant next = now.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
        Ticks.waitUntil(Ticks.nanos() + Duration.between(now, next).toNanos() + 10_000_000);
        return next;
    }

    private void measure(int round, String kind, BucketPages pages, Optional<Instant> at)
            throws IOException {
        Walk walk = walk(pages, at);
        System.out.printf(
                Locale.ROOT,
                "%3d %-8s %10.0f keys/s, first page %.2f ms%n",
                round,
                kind,
                plan.keys() / walk.seconds(),
                walk.firstMillis());
        if (round >= 0) {
            walks.computeIfAbsent(kind, same -> new ArrayList<>()).add(walk);
        }
    }

    private Walk walk(BucketPages pages, Optional<Instant> at) throws IOException {
        long begin = Ticks.nanos();
        double firstMillis = 0;
        long keys = 0;
        Optional<String> after = Optional.of("");
        while (after.isPresent()) {
            KeyPage page = pages.page(at, after.get());
            if (keys == 0) {
                firstMillis = (Ticks.nanos() - begin) / 1e6;
            }
            keys += page.keys();
            after = page.next();
        }
        if (keys != plan.keys()) {
            throw new IOException(keys + " keys listed instead of " + plan.keys());
        }
        return new Walk((Ticks.nanos() - begin) / 1e9, firstMillis);
    }

    private void report() throws IOException {
        JsonLine line =
                new JsonLine()
                        .put("kind", "past-listing")
                        .put("begun", Ticks.wallClock().toString())
                        .put("commit", plan.commit())
                        .put("machine", Machine.describe())
                        .put("through", plan.isServer() ? "server" : "store")
                        .put("settings", plan.settings().toString())
                        .put("keys", plan.keys())
                        .put("states", (long) plan.states())
                        .put("rounds", (long) plan.rounds())
                        .put("rest_s", plan.rest().toSeconds());
        List<Walk> present = walks.get(PRESENT);
        for (Map.Entry<String, List<Walk>> kind : walks.entrySet()) {
            List<Walk> walked = kind.getValue();
            double[] ratios = new double[walked.size()];
            for (int i = 0; i < ratios.length; i++) {
                ratios[i] = present.get(i).seconds() / walked.get(i).seconds();
            }
            double rate = plan.keys() / Median.of(walked.stream().mapToDouble(Walk::seconds));
            double ratio = Median.of(Arrays.stream(ratios));
            double first = walked.stream().mapToDouble(Walk::firstMillis).max().orElse(0);
            System.out.printf(
                    Locale.ROOT,
                    "%-8s %10.0f keys/s, %.2f of the present, first page at most %.2f ms%n",
                    kind.getKey(),
                    rate,
                    ratio,
                    first);
            line.put(kind.getKey() + "_keys_per_s", rate)
                    .put(kind.getKey() + "_ratio", ratio)
                    .put(kind.getKey() + "_first_page_ms_max", first);
        }
        if (plan.output().isPresent()) {
            new ResultFile(plan.output().get()).append(line);
        }
    }
}
