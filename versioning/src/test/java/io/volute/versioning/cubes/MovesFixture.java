package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.audit.AuditReport;
import io.volute.storage.BlobReader;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.UninterruptibleJoin;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Terms;
import io.volute.versioning.StoreCubes.Move;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/** A store of several cubes between which a bucket moves. */
abstract class MovesFixture extends CubesFixture {
    static final String BUCKET = "pictures";

    final void awaitMoves() {
        List<Move> moves = cubes.moves().list();
        while (!moves.isEmpty()) {
            assertThat(moves).allMatch(each -> each.why().isEmpty());
            awaitThreads();
            moves = cubes.moves().list();
        }
    }

    /** Waits for the threads of the moves that are under way; they have the processor meanwhile. */
    static void awaitThreads() {
        Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().startsWith("move-"))
                .forEach(UninterruptibleJoin::join);
    }

    /** Returns what clients see of the bucket, now or at an instant. */
    static List<String> seen(ObjectReader from) throws IOException {
        List<String> seen = new ArrayList<>();
        List<ObjectVersion> versions =
                from.listVersions(
                                ALICE,
                                name(BUCKET),
                                new VersionQuery("", "", "", Optional.empty(), 1000))
                        .versions();
        for (ObjectVersion each : versions) {
            String content = "";
            VersionSelector which = StoreFixture.number(each);
            if (!each.deleteMarker()) {
                ObjectVersion whole =
                        from.head(ALICE, name(BUCKET), each.key(), which).orElseThrow();
                OpenObject open = from.open(ALICE, name(BUCKET), each.key(), which);
                try (BlobReader reader = open.reader()) {
                    content = StoreFixture.md5(StoreFixture.content(reader)) + whole.attributes();
                }
                content += from.parts(ALICE, name(BUCKET), whole);
            }
            seen.add(each + content);
        }
        return seen;
    }

    final List<String> states(String key) throws IOException {
        return store
                .history()
                .states(ALICE, name(BUCKET), key(key), Optional.empty(), 100)
                .entries()
                .stream()
                .map(KeyState::toString)
                .toList();
    }

    final void audit() throws IOException {
        Terms terms = new Terms(Terms.USUAL.scope(), Set.of(), false, true, 2);
        for (Range range : List.of(Range.ALL, new Range(Optional.of(name(BUCKET)), "", false))) {
            List<AuditReport> reports = Collections.synchronizedList(new ArrayList<>());
            long chains = store.provenance().orElseThrow().audit(range, terms, reports::add);
            assertThat(chains).isPositive();
            // So the percents that a client sees end with 100.
            assertThat(store.provenance().orElseThrow().count(range, () -> true)).isEqualTo(chains);
            assertThat(reports)
                    .allSatisfy(
                            report -> assertThat(report.findings()).as(report.chain()).isEmpty());
        }
    }

    /** Moves keys while clients write. */
    @FunctionalInterface
    interface Moving {
        void run() throws Exception;
    }

    /**
     * Moves keys while clients write, one for each prefix, and checks that all writes are there.
     *
     * @param writesMax writes of a client; each makes at least one
     */
    final void whileClientsWrite(List<String> prefixes, int writesMax, Moving moving)
            throws Exception {
        Map<String, String> last = new ConcurrentHashMap<>();
        AtomicBoolean isOver = new AtomicBoolean();
        List<Future<?>> writers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (String prefix : prefixes) {
                writers.add(
                        threads.submit(
                                () -> {
                                    for (int n = 0; n == 0 || n < writesMax && !isOver.get(); n++) {
                                        write(prefix + n % 20, "text " + n, last);
                                    }
                                    return null;
                                }));
            }
            try {
                moving.run();
            } finally {
                isOver.set(true);
            }
            for (Future<?> each : writers) {
                assertThat(each.get()).isNull();
            }
        }
        assertThat(last).isNotEmpty();
        for (Map.Entry<String, String> each : last.entrySet()) {
            assertThat(get(ALICE, BUCKET, each.getKey())).isEqualTo(each.getValue());
        }
        audit();
    }

    /** Writes as an S3 client does, which repeats a request that gets 503. */
    private void write(String key, String text, Map<String, String> last) throws IOException {
        boolean isDone = false;
        while (!isDone) {
            try {
                put(BOB, BUCKET, key, text);
                isDone = true;
            } catch (CubeUnavailableException e) {
                assertThat(e.reason()).isEqualTo(CubeUnavailableException.Reason.BUSY);
            }
        }
        last.put(key, text);
        assertThat(get(BOB, BUCKET, key)).isEqualTo(text);
    }
}
