package io.volute.server.cluster.owners;

import io.volute.adminapi.ClusterApi.MissingOwner;
import io.volute.adminapi.Route;
import io.volute.server.admin.AdminApi;
import io.volute.server.admin.OtherAnswers;
import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.cluster.hop.NodeCallHandler.Operation;
import io.volute.server.cluster.owners.OtherKeyrings.Calls;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Asks the owners of placed cubes for their parts of answers of the admin API, all at once. An
 * owner has a part of at most {@link io.volute.server.cluster.hop.NodeCalls#MOST_BYTES}. A call is
 * sent once: another owner could have done it. Thread-safe.
 */
public final class OwnerAnswers implements OtherAnswers {
    static final String ANSWER = "answer-part";

    /** Requests that wait for other owners. Each has the parts of all in memory. */
    private static final int MOST_REQUESTS = 4;

    private final Supplier<Owners> owners;
    private final Calls calls;
    private final Duration limit;
    private final Semaphore free = new Semaphore(MOST_REQUESTS);

    /**
     * The owners of placed cubes at one moment.
     *
     * @param serving the other nodes that serve cubes, by name
     * @param unserved the placed cubes that no node serves
     */
    public record Owners(Map<String, Serving> serving, List<String> unserved) {}

    /** A node and the cubes that it serves. */
    public record Serving(Owner owner, List<String> cubes) {}

    /**
     * A request of the admin API.
     *
     * @param arguments a JSON object
     */
    private record Question(String route, CallerText caller, String arguments) {}

    /**
     * @param owners returns them as they are now; does not wait
     * @param limit time for all calls of a request
     */
    public OwnerAnswers(Supplier<Owners> owners, Calls calls, Duration limit) {
        this.owners = owners;
        this.calls = calls;
        this.limit = limit;
    }

    @Override
    public List<Part> ask(Route<?, ?> route, Caller caller, byte[] arguments) {
        Owners now = owners.get();
        List<Part> parts = new ArrayList<>();
        if (!now.unserved().isEmpty()) {
            parts.add(missing(Optional.empty(), now.unserved(), "no node serves it now"));
        }
        if (now.serving().isEmpty()) {
            return parts;
        }
        if (!free.tryAcquire()) {
            now.serving()
                    .forEach((name, node) -> parts.add(missing(name, node, "too many requests")));
            return parts;
        }
        try {
            byte[] question =
                    BucketMessages.encode(
                            new Question(
                                    route.name(),
                                    CallerText.of(caller),
                                    new String(arguments, StandardCharsets.UTF_8)));
            parts.addAll(parts(now.serving(), question));
        } finally {
            free.release();
        }
        return parts;
    }

    private List<Part> parts(Map<String, Serving> nodes, byte[] question) {
        List<Future<Part>> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            nodes.forEach(
                    (name, node) -> answers.add(threads.submit(() -> part(name, node, question))));
        }
        return answers.stream().map(Future::resultNow).toList();
    }

    /** Returns the part of a node. Any failure is its own: the others have answered. */
    private Part part(String name, Serving node, byte[] question) {
        try {
            byte[] json = calls.call(node.owner(), ANSWER, question, limit);
            return new Part.Given(name, node.cubes(), json);
        } catch (IOException | RuntimeException e) {
            return missing(name, node, String.valueOf(e.getMessage()));
        }
    }

    private static Part missing(String name, Serving node, String why) {
        return missing(Optional.of(name), node.cubes(), why);
    }

    private static Part missing(Optional<String> name, List<String> cubes, String why) {
        return new Part.Missing(new MissingOwner(name, cubes, why));
    }

    /**
     * Returns the operation by which this node handles such calls of other nodes.
     *
     * @param api returns that of the server that this node runs; empty while there is none
     */
    public static Map<String, Operation> operations(Supplier<Optional<AdminApi>> api) {
        return Map.of(
                ANSWER,
                content -> {
                    Question question = BucketMessages.decode(content, Question.class);
                    return api.get()
                            .orElseThrow(() -> new IOException("the server of it is starting"))
                            .part(
                                    question.route(),
                                    caller(question),
                                    question.arguments().getBytes(StandardCharsets.UTF_8));
                });
    }

    private static Caller caller(Question question) throws IOException {
        try {
            return question.caller().caller();
        } catch (IllegalArgumentException e) {
            throw new IOException("a caller of another release: " + e.getMessage(), e);
        }
    }
}
