package io.volute.server.cluster.placing;

import io.volute.bookkeeper.ClusterView.Node;
import io.volute.versioning.StoreCubes.Move;
import io.volute.versioning.StoreCubes.MovePhase;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.KeyRange;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Nodes and cubes in memory, which record what a placer does. */
final class PlacerFixture implements Placements, OwnedCubes {
    static final Duration PATIENCE = Duration.ofSeconds(30);
    static final long SEQUENCE = 7;

    /** Cubes that a node does not follow, by node. */
    final Map<String, Set<String>> unfollowed = new HashMap<>();

    final Set<String> running = new TreeSet<>();
    final Set<String> seen = new TreeSet<>();
    final Set<String> drained = new TreeSet<>();
    final List<String> names = new ArrayList<>(List.of("default"));
    final Map<BucketName, List<String>> divided = new TreeMap<>();
    final List<Move> moves = new ArrayList<>();
    final Map<String, String> placed = new TreeMap<>();
    final List<String> done = new ArrayList<>();
    boolean isRefusing;

    /** Runs while a cube is being closed. */
    Runnable closing = () -> {};

    private final Set<String> opened = new HashSet<>();
    private final Set<String> closed = new HashSet<>();
    private long nanos;

    CubePlacer placer(String self, boolean isEven) {
        return new CubePlacer(
                this, self, this, new CubePlacer.Settings(isEven, PATIENCE, () -> nanos));
    }

    void pass(Duration time) {
        nanos += time.toNanos();
    }

    void divide(String bucket, String... cubes) {
        divided.put(new BucketName(bucket), List.of(cubes));
    }

    void move(String bucket, String from, String to) {
        moves.add(
                new Move(
                        new BucketName(bucket),
                        from,
                        to,
                        KeyRange.ALL,
                        MovePhase.COPYING,
                        Instant.EPOCH,
                        true,
                        0,
                        0,
                        0,
                        ""));
    }

    @Override
    public List<Node> nodes() {
        return running.stream()
                .map(name -> new Node(name, name + ":1", "v", true, lags(name)))
                .toList();
    }

    private Map<String, Long> lags(String node) {
        Map<String, Long> lags = new HashMap<>();
        names.forEach(cube -> lags.put(cube, 5L));
        unfollowed.getOrDefault(node, Set.of()).forEach(cube -> lags.put(cube, 6L));
        return lags;
    }

    @Override
    public Set<String> seen() {
        return seen;
    }

    @Override
    public Set<String> drained() {
        return drained;
    }

    @Override
    public Map<String, String> placed() {
        return Map.copyOf(placed);
    }

    @Override
    public void place(String cube, String node, long sequence) throws IOException {
        if (!closed.contains(cube)) {
            throw new AssertionError("two nodes can have cube " + cube + " open");
        }
        if (isRefusing) {
            throw new IOException("another node has the store");
        }
        done.add(cube + " to " + node + " behind " + sequence);
        placed.put(cube, node);
    }

    @Override
    public void remove(String cube) {
        done.add(cube + " is placed no more");
        placed.remove(cube);
    }

    @Override
    public List<String> names() {
        return List.copyOf(names);
    }

    @Override
    public Map<BucketName, List<String>> divided() {
        return Map.copyOf(divided);
    }

    @Override
    public List<Move> moves() {
        return List.copyOf(moves);
    }

    @Override
    public long lastSequence() {
        return SEQUENCE;
    }

    @Override
    public void release(String cube) {
        closing.run();
        done.add("close " + cube);
        closed.add(cube);
        opened.remove(cube);
    }

    /** Opens a cube as a start of the store does. */
    void open(String cube) {
        opened.add(cube);
        closed.remove(cube);
    }

    @Override
    public Map<String, Phase> phases() {
        Map<String, Phase> phases = new TreeMap<>();
        opened.forEach(cube -> phases.put(cube, Phase.OPEN));
        closed.forEach(cube -> phases.put(cube, Phase.ELSEWHERE));
        phases.keySet().retainAll(names);
        return phases;
    }
}
