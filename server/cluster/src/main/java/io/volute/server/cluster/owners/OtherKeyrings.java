package io.volute.server.cluster.owners;

import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.encryption.KeyringPlace.UnconfirmedException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The keyrings that other owners have in memory. An owner that was elected later than a change of
 * the keyring reads it before it serves, so only the owners of now are called. Thread-safe.
 */
public final class OtherKeyrings {
    static final String LOAD = "load-keyring";

    private static final Duration LIMIT = Duration.ofSeconds(5);

    /** An owner that does not answer may be gone after a while. */
    private static final Duration CALL_LIMIT = Duration.ofSeconds(1);

    private final Owners owners;
    private final Calls calls;
    private final Pause pause;
    private final LongSupplier nanos;

    /** The other nodes that are elected for the store or for a cube. Thread-safe. */
    @FunctionalInterface
    public interface Owners {
        /** Returns them by name, serving or not, as all changes before this call left them. */
        Map<String, Owner> elected() throws IOException;
    }

    /** The calls of other nodes, as {@link io.volute.server.cluster.hop.NodeCalls#call}. */
    @FunctionalInterface
    public interface Calls {
        byte[] call(Owner to, String operation, byte[] content, Duration limit) throws IOException;
    }

    /** A short wait between two calls of the same node. */
    @FunctionalInterface
    public interface Pause {
        void await() throws InterruptedException;
    }

    /**
     * @param nanos a clock that only goes forward
     */
    public OtherKeyrings(Owners owners, Calls calls, Pause pause, LongSupplier nanos) {
        this.owners = owners;
        this.calls = calls;
        this.pause = pause;
        this.nanos = nanos;
    }

    /**
     * Waits until all other owners have a version of the keyring, or are owners no more.
     *
     * @throws UnconfirmedException if some have not in time; the message names them
     */
    void awaitLoaded(int version) throws IOException {
        long begun = nanos.getAsLong();
        Set<String> loaded = new HashSet<>();
        while (true) {
            Map<String, Owner> left = elected();
            left.keySet().removeAll(loaded);
            Map<String, String> failures = call(left, version);
            if (failures.isEmpty()) {
                return;
            }
            if (nanos.getAsLong() - begun >= LIMIT.toNanos()) {
                throw unconfirmed(
                        failures.entrySet().stream()
                                .map(each -> each.getKey() + " (" + each.getValue() + ")")
                                .collect(
                                        Collectors.joining(
                                                ", ", "nodes may have them in memory: ", "")));
            }
            left.keySet().removeAll(failures.keySet());
            loaded.addAll(left.keySet());
            rest();
        }
    }

    private Map<String, Owner> elected() throws IOException {
        try {
            return new TreeMap<>(owners.elected());
        } catch (IOException e) {
            UnconfirmedException failure =
                    unconfirmed("the other owners cannot be found: " + e.getMessage());
            failure.initCause(e);
            throw failure;
        }
    }

    private static UnconfirmedException unconfirmed(String why) {
        return new UnconfirmedException(
                "The data keys are destroyed in the keyring, but "
                        + why
                        + ". Repeat the request until it succeeds: it destroys nothing else.");
    }

    /** Calls all nodes at once. Returns the reasons of those that have not loaded the keyring. */
    private Map<String, String> call(Map<String, Owner> nodes, int version) {
        byte[] content = ByteBuffer.allocate(Integer.BYTES).putInt(version).array();
        Map<String, Future<byte[]>> answers = new HashMap<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            nodes.forEach(
                    (name, node) ->
                            answers.put(
                                    name,
                                    threads.submit(
                                            () -> calls.call(node, LOAD, content, CALL_LIMIT))));
        }
        Map<String, String> failures = new TreeMap<>();
        answers.forEach(
                (name, answer) -> {
                    if (answer.state() != Future.State.SUCCESS) {
                        failures.put(name, answer.exceptionNow().getMessage());
                    }
                });
        return failures;
    }

    /** Returns the version of the keyring that a call names. */
    static int version(byte[] content) throws IOException {
        if (content.length != Integer.BYTES) {
            throw new IOException("a call of " + content.length + " bytes: compare the releases");
        }
        return ByteBuffer.wrap(content).getInt();
    }

    private void rest() throws IOException {
        try {
            pause.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the wait for other owners was interrupted");
        }
    }
}
