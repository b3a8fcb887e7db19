package io.volute.testkit.crash;

import io.volute.testkit.sim.Fault;
import io.volute.testkit.sim.Fault.Effect;
import io.volute.testkit.sim.Operation;
import io.volute.testkit.sim.PersistencePolicy;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Lets each event of a workflow fail in turn, once and for ever, and checks what is on the disk
 * afterwards: as a restarted process finds it, and as a crash leaves it. (The loop of SQLite's I/O
 * error tests.) The work ends at the first failure that reaches it, with an {@link IOException}.
 */
public final class FaultLoop {
    private static final List<Effect> EFFECTS =
            List.of(Effect.IO_ERROR, Effect.NO_SPACE, Effect.SHORT_WRITE, Effect.TORN_WRITE);
    private static final List<PersistencePolicy> AFTERWARDS =
            List.of(
                    PersistencePolicy.ALL_KEPT,
                    PersistencePolicy.ALL_LOST,
                    PersistencePolicy.RANDOM_BLOCKS);

    private final long seed;
    private final int faultsMax;
    private final List<Effect> effects;

    /**
     * @param faultsMax runs with one fault each; all are tried when there are no more
     */
    public FaultLoop(long seed, int faultsMax) {
        this(seed, faultsMax, EFFECTS);
    }

    private FaultLoop(long seed, int faultsMax, List<Effect> effects) {
        this.seed = seed;
        this.faultsMax = faultsMax;
        this.effects = effects;
    }

    /** A larger sample than that of {@link #usual}, of failed forces alone. */
    public static FaultLoop ofForces() {
        return new FaultLoop(
                Long.getLong("volute.seed", 1), isFull() ? Integer.MAX_VALUE : 300, List.of());
    }

    /** A sample, or everything with {@code -Dvolute.crash=full}. */
    public static FaultLoop usual() {
        return new FaultLoop(Long.getLong("volute.seed", 1), isFull() ? Integer.MAX_VALUE : 30);
    }

    private static boolean isFull() {
        return "full".equals(System.getProperty("volute.crash"));
    }

    /**
     * The result of a fault loop.
     *
     * @param events of one run without a fault
     * @param runs with a fault each
     * @param failed runs in which the work noticed it
     */
    public record Report(String workflow, long events, int runs, int failed) {}

    /** Remembers how to learn what is known. */
    private static final class Memory<S> implements CrashProbe<S> {
        private final AtomicReference<Supplier<S>> known = new AtomicReference<>();

        @Override
        public void watch(Supplier<S> newKnown) {
            known.set(newKnown);
        }

        @Override
        public void point(String where) {}
    }

    /**
     * Tries a workflow with one fault a run, at all or a sample of its events.
     *
     * @throws AssertionError when a promise is broken; the message names the fault
     */
    public <S> Report run(CrashWorkflow<S> workflow) throws IOException {
        SimFileSystem whole = new SimFileSystem(seed);
        workflow.run(whole, new Memory<>());
        List<Fault> faults = new ArrayList<>();
        for (long event = 1; event <= whole.events(); event++) {
            for (Effect effect : effects) {
                faults.add(Fault.once(effect, event));
                faults.add(Fault.sticky(effect, event));
            }
            faults.add(Fault.once(Effect.FORCE_TRAP, event).on(Operation.FORCE));
            faults.add(Fault.sticky(Effect.FORCE_TRAP, event).on(Operation.FORCE));
            faults.add(Fault.once(Effect.FORCE_TRAP, event).on(Operation.FORCE_DIRECTORY));
        }
        Collections.shuffle(faults, new Random(seed));
        List<Fault> chosen = faults.subList(0, Math.min(faultsMax, faults.size()));
        int failed = 0;
        for (Fault fault : chosen) {
            failed += runOne(workflow, fault) ? 1 : 0;
        }
        return new Report(workflow.name(), whole.events(), chosen.size(), failed);
    }

    private <S> boolean runOne(CrashWorkflow<S> workflow, Fault fault) {
        SimFileSystem disk = new SimFileSystem(seed);
        disk.plan(fault);
        Memory<S> memory = new Memory<>();
        String what =
                workflow.name()
                        + " with "
                        + fault.effect()
                        + (fault.effect() == Effect.FORCE_TRAP ? " of " + fault.operations() : "")
                        + (fault.times() == 1 ? " once" : " for ever")
                        + " from event "
                        + fault.fromEvent();
        boolean failed = false;
        try {
            workflow.run(disk, memory);
        } catch (IOException expected) {
            failed = true;
        } catch (RuntimeException | AssertionError broken) {
            throw new AssertionError(what + ": " + broken, broken);
        }
        if (disk.openFiles() != 0) {
            throw new AssertionError(what + " leaves " + disk.openFiles() + " files open");
        }
        if (memory.known.get() != null) {
            S known = memory.known.get().get();
            for (PersistencePolicy policy : AFTERWARDS) {
                check(workflow, what + ", " + policy, disk.crashImage(policy, seed), known);
            }
            if (!fault.operations().equals(Set.of(Operation.FORCE_DIRECTORY))) {
                // The process starts again, the machine went on: what was not forced is still
                // only in the page cache, and whoever relies on it now must write and force it
                // again. (Entries of a directory cannot be written again.)
                disk.clearFaults();
                check(workflow, what + ", same machine", disk, known);
            }
        }
        return failed;
    }

    private static <S> void check(
            CrashWorkflow<S> workflow, String what, SimFileSystem image, S known) {
        try {
            workflow.check(image, known, new Memory<>());
        } catch (IOException | RuntimeException | AssertionError broken) {
            throw new AssertionError(what + ": " + broken, broken);
        }
    }
}
