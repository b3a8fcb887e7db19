package io.volute.storage.log.file;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.io.StoredFile;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.segment.OpenFiles;
import io.volute.storage.log.segment.Segment;
import io.volute.storage.log.space.LocalSegmentStore;
import io.volute.storage.log.space.SegmentStore;
import io.volute.storage.report.SpaceReport;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Pins, reads, leaving the log and closing of idle files, in every order: a pinned or used segment
 * stays readable, and its file is given away once, when the last user has left.
 */
class SegmentLincheck {
    private static final int THREADS = 8;
    private static final String FILES = SimFileSystem.class.getPackageName();

    private static ModelCheckingOptions options() {
        boolean full = "full".equals(System.getProperty("volute.lincheck"));
        return new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(2)
                .iterations(full ? 500 : 8)
                .invocationsPerIteration(full ? 20_000 : 100)
                // The classes that make paths and keep files are not searched here.
                .addGuarantee(
                        ManagedStrategyGuaranteeKt.forClasses(
                                        name ->
                                                name.equals(LogOptions.class.getName())
                                                        || name.startsWith(FILES))
                                .allMethods()
                                .ignore())
                .sequentialSpecification(Counts.class);
    }

    @Test
    void itsFileStaysWhileSomebodyNeedsIt() {
        options().check(OperationsOnASegment.class);
    }

    /** The canary: a look before the pin, whose answer is not looked at, must be found. */
    @Test
    void findsAPinThatWasTooLate() {
        assertThatThrownBy(
                        () ->
                                options()
                                        .actorsPerThread(2)
                                        .iterations(1000)
                                        .invocationsPerIteration(50)
                                        .minimizeFailedScenario(false)
                                        .check(LooksBeforeItPins.class))
                .isInstanceOf(LincheckAssertionError.class);
    }

    /** The operations of threads on a segment; each has at most one pin and one use of its own. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class OperationsOnASegment {
        /** One for all executions: making them would take most of the time. */
        private static final LogOptions OPTIONS =
                LogWorkbench.options(new SimFileSystem(), LogWorkbench.DIRECTORY, OnDamage.REFUSE);

        private static final SegmentStore STORE = new LocalSegmentStore(OPTIONS);

        private static final SegmentFileName NAME = SegmentFileName.of(1, SpaceReport.Kind.HEAD);

        static {
            try {
                OPTIONS.fileSystem().createDirectories(LogWorkbench.DIRECTORY);
                OPTIONS.fileSystem().create(OPTIONS.path(NAME)).close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        final Segment segment;
        private final AtomicInteger givenAway = new AtomicInteger();
        private final OptionalInt[] pins = noPins();
        private final StoredFile[] held = new StoredFile[THREADS];

        public OperationsOnASegment() {
            segment =
                    new Segment(
                            STORE,
                            new OpenFiles(),
                            NAME,
                            LogWorkbench.SEGMENT_BYTES,
                            given -> givenAway.incrementAndGet());
        }

        private static OptionalInt[] noPins() {
            OptionalInt[] pins = new OptionalInt[THREADS];
            Arrays.fill(pins, OptionalInt.empty());
            return pins;
        }

        OptionalInt pinIt() {
            return segment.pin();
        }

        @Operation
        public boolean pin(@Param(name = "thread") int thread) {
            if (pins[thread].isEmpty()) {
                pins[thread] = pinIt();
            }
            return pins[thread].isPresent();
        }

        @Operation
        public void unpin(@Param(name = "thread") int thread) {
            OptionalInt phase = pins[thread];
            pins[thread] = OptionalInt.empty();
            phase.ifPresent(segment::unpin);
        }

        @Operation
        public String acquire(@Param(name = "thread") int thread) throws IOException {
            if (held[thread] == null) {
                try {
                    held[thread] = segment.acquire();
                } catch (SegmentGoneException e) {
                    return "gone";
                }
            }
            return readable(thread);
        }

        private String readable(int thread) throws IOException {
            // A closed file throws here.
            held[thread].read(ByteBuffer.allocate(1), 0);
            return givenAway.get() == 0 ? "readable" : "given away in use";
        }

        @Operation
        public String release(@Param(name = "thread") int thread) throws IOException {
            if (held[thread] == null) {
                return "nothing to release";
            }
            String last = readable(thread);
            held[thread] = null;
            segment.release();
            return last;
        }

        @Operation
        public void leaveLog() {
            segment.leaveLog();
        }

        @Operation
        public void closeIfIdle() {
            segment.closeIfIdle();
        }

        @Validate
        public void isGivenAwayOnce() {
            boolean needed = segment.isInLog();
            for (int thread = 0; thread < THREADS; thread++) {
                needed |= pins[thread].isPresent() || held[thread] != null;
            }
            int expected = needed ? 0 : 1;
            if (givenAway.get() != expected) {
                throw new IllegalStateException(
                        "given away " + givenAway + " times, should be " + expected);
            }
        }
    }

    /** A variant with a planted mistake. */
    public static class LooksBeforeItPins extends OperationsOnASegment {
        @Override
        OptionalInt pinIt() {
            return segment.isInLog()
                    ? OptionalInt.of(segment.pin().orElse(0))
                    : OptionalInt.empty();
        }
    }

    /** The sequential specification. */
    public static class Counts {
        private final boolean[] pinned = new boolean[THREADS];
        private final boolean[] held = new boolean[THREADS];
        private boolean inLog = true;

        public boolean pin(int thread) {
            pinned[thread] |= inLog;
            return pinned[thread];
        }

        public void unpin(int thread) {
            pinned[thread] = false;
        }

        public String acquire(int thread) {
            boolean needed = inLog;
            for (int each = 0; each < THREADS; each++) {
                needed |= pinned[each] || held[each];
            }
            held[thread] |= needed;
            return needed ? "readable" : "gone";
        }

        public String release(int thread) {
            boolean did = held[thread];
            held[thread] = false;
            return did ? "readable" : "nothing to release";
        }

        public void leaveLog() {
            inLog = false;
        }

        public void closeIfIdle() {}

        @Override
        public boolean equals(Object other) {
            return other instanceof Counts counts
                    && Arrays.equals(pinned, counts.pinned)
                    && Arrays.equals(held, counts.held)
                    && inLog == counts.inLog;
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(pinned) * 31 + Arrays.hashCode(held) + (inLog ? 1 : 0);
        }
    }
}
