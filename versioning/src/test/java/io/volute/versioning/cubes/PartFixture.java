package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.audit.AuditReport;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.Cubes;
import io.volute.versioning.CubeViews;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Terms;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Elsewhere;
import io.volute.versioning.StoreCubes.Opened;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.StoreCubes.Placement;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two servers: one with the system cube, one that takes single cubes. */
abstract class PartFixture extends MovesFixture {
    /** The methods of the system cube that the other server has called. */
    private final Set<String> calls = Collections.synchronizedSet(new TreeSet<>());

    private Cubes.Shared others;

    /** The last view of each cube, with the last sequence that it has. */
    private final Map<Cube, Seen> seen = new HashMap<>();

    final AtomicInteger uses = new AtomicInteger();

    /** Runs before a view is passed on. */
    CubeSlot.Task<Boolean> beforeView = () -> true;

    private record Seen(long sequence, Cube view) {}

    @Override
    CubeViews views(Disk of) {
        return () ->
                new CubeViews.Reading() {
                    @Override
                    public void awaitSystem() throws CubeUnavailableException {
                        refreshPart(of);
                    }

                    @Override
                    public CubeViews.View view(String cube) throws CubeUnavailableException {
                        return viewOf(of == files ? part : cubes, cube);
                    }
                };
    }

    private void refreshPart(Disk of) throws CubeUnavailableException {
        if (of != files) {
            try {
                part.refresh();
            } catch (IOException e) {
                throw new CubeUnavailableException(Reason.NOT_OPEN, e.getMessage());
            }
        }
    }

    private CubeViews.View viewOf(StoreCubes owner, String name) throws CubeUnavailableException {
        try {
            assertThat(beforeView.run()).isTrue();
        } catch (CubeUnavailableException e) {
            throw e;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        Optional<Opened> open =
                owner.opened().stream().filter(each -> each.name().equals(name)).findFirst();
        if (open.isEmpty()) {
            throw new CubeUnavailableException(Reason.NOT_OPEN, name + " is between owners");
        }
        Cube cube = open.get().cube();
        long last = cube.lastSequence();
        Seen now =
                seen.compute(
                        cube,
                        (same, before) ->
                                before != null && before.sequence() == last
                                        ? before
                                        : new Seen(last, reading(cube)));
        uses.incrementAndGet();
        return new CubeViews.View() {
            @Override
            public Cube cube() {
                return now.view();
            }

            @Override
            public void close() {
                uses.decrementAndGet();
            }
        };
    }

    /** Returns a cube for reading alone. */
    private static Cube reading(Cube cube) {
        return (Cube)
                Proxy.newProxyInstance(
                        Cube.class.getClassLoader(),
                        new Class<?>[] {Cube.class},
                        (proxy, method, arguments) ->
                                switch (method.getName()) {
                                    case "commit" ->
                                            CompletableFuture.failedFuture(
                                                    new CubeUnavailableException(
                                                            Reason.NOT_OPEN, "not the owner"));
                                    case "state" -> CubeState.READ_ONLY;
                                    case "sealWith" -> null;
                                    case "close" -> throw new AssertionError(method.getName());
                                    default -> {
                                        try {
                                            yield method.invoke(cube, arguments);
                                        } catch (InvocationTargetException e) {
                                            throw e.getCause();
                                        }
                                    }
                                });
    }

    /** The store of the server without the system cube. */
    StoreCubes part;

    /** The loss that calls of the owner of a cube meet. */
    Loss loss = Loss.NONE;

    /** A failure of calls between the servers. */
    enum Loss {
        NONE,
        /** The call does not arrive; the next one does. */
        CALL,
        /** The answer does not arrive; that of the next call does. */
        ANSWER,
        /** The call does not arrive, nor does another. */
        ALL_CALLS,
        /** The answer does not arrive, nor does another. */
        ALL_ANSWERS
    }

    @Override
    Placement rule() {
        return Placement.SPREAD;
    }

    @Override
    Elsewhere owners() {
        return new Owners();
    }

    @BeforeEach
    void openPart() throws IOException {
        others = newShared();
        part =
                ObjectStores.openNode(
                        new Disk(others),
                        systemView(calls::add),
                        cube ->
                                options(
                                        StoreOptions.defaults(
                                                cube, clock, new SplittableRandom(4))),
                        rule(),
                        Elsewhere.NOBODY);
    }

    @AfterEach
    void closePart() throws IOException {
        part.close();
        others.close();
        assertThat(calls).as("calls of the system cube").isSubsetOf("scan", "readDetail");
    }

    void restartPart() throws IOException {
        closePart();
        openPart();
    }

    /** Calls the other server, which some calls do not reach. */
    private final class Owners implements Elsewhere {
        private <T> T call(CubeSlot.Task<T> call) throws IOException {
            Loss now = loss;
            if (now == Loss.CALL || now == Loss.ANSWER) {
                loss = Loss.NONE;
            }
            if (now == Loss.CALL || now == Loss.ALL_CALLS) {
                throw new IOException("no connection");
            }
            T result = call.run();
            if (now == Loss.ANSWER || now == Loss.ALL_ANSWERS) {
                throw new IOException("the connection was closed");
            }
            return result;
        }

        @Override
        public BucketInfo createBucket(
                String cube,
                Caller caller,
                BucketName name,
                boolean locking,
                Map<BucketDocument, String> documents)
                throws IOException {
            return call(() -> part.createHere(cube, caller, name, locking, documents));
        }

        @Override
        public void deleteBucket(String cube, Caller caller, BucketRef name) throws IOException {
            boolean unused =
                    call(
                            () -> {
                                part.deleteHere(cube, caller, name);
                                return true;
                            });
        }

        @Override
        public List<BucketInfo> buckets(String cube) throws IOException {
            return call(() -> part.bucketsHere(cube));
        }
    }

    /** Gives cubes to the other server. */
    void giveAway(String... names) throws IOException {
        for (String each : names) {
            cubes.release(each);
        }
        part.refresh();
        for (String each : names) {
            part.take(each);
        }
    }

    static Phase phase(StoreCubes of, String cube) {
        return of.list().stream()
                .filter(each -> each.name().equals(cube))
                .findFirst()
                .orElseThrow()
                .phase();
    }

    static List<String> names(VersionedStore of) {
        return of.listBuckets(Optional.empty(), "", "", 100).stream()
                .map(bucket -> bucket.name().value())
                .toList();
    }

    static void put(VersionedStore to, String bucket, String key, String text) throws IOException {
        byte[] bytes = StoreFixture.utf8(text);
        try (BlobWriter writer =
                to.newBody(name(bucket), key(key), OptionalLong.of(bytes.length))) {
            writer.write(ByteBuffer.wrap(bytes));
            assertThat(
                            to.put(
                                    ALICE,
                                    name(bucket),
                                    key(key),
                                    writer.finish(),
                                    StoreFixture.attributes(text),
                                    WriteCondition.NONE))
                    .isNotNull();
        }
    }

    static void delete(VersionedStore in, String bucket, String key) throws IOException {
        in.delete(ALICE, name(bucket), key(key), VersionSelector.LATEST, WriteCondition.NONE);
    }

    /** Audits the chains of the bucket; returns their number. */
    static long audit(VersionedStore of) throws IOException {
        List<AuditReport> reports = Collections.synchronizedList(new ArrayList<>());
        long chains =
                of.provenance()
                        .orElseThrow()
                        .audit(
                                new Range(Optional.of(name(BUCKET)), "", false),
                                new Terms(Terms.USUAL.scope(), Set.of(), false, true, 2),
                                reports::add);
        assertThat(reports).allMatch(report -> report.findings().isEmpty());
        return chains;
    }
}
