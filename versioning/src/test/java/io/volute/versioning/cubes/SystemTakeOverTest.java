package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobReader;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Cubes;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Elsewhere;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/**
 * Three nodes of a store. Any of them can have the system cube, and any placed cube: the nodes take
 * and release them in random order, and end and start again, while clients write.
 */
class SystemTakeOverTest extends PartFixture {
    private static final int STEPS = Integer.getInteger("volute.takeOver.steps", 200);
    private static final List<String> CUBES = List.of("one", "two");

    private static final int NODES = 3;

    private final List<Cubes.Shared> memory = new ArrayList<>();
    private final List<StoreCubes> nodes = new ArrayList<>();

    /** The node of each cube. */
    private final Map<String, Integer> owners = new TreeMap<>();

    /** The cube of each bucket. */
    private final Map<String, String> buckets = new TreeMap<>();

    /** The content of each key, by bucket and key. */
    private final Map<String, String> contents = new TreeMap<>();

    @Override
    Elsewhere owners() {
        return new Owners();
    }

    @BeforeEach
    void openNodes() throws IOException {
        // The second server of the fixture cannot have the system cube.
        nodes.add(cubes);
        memory.add(shared);
        for (int node = 1; node < NODES; node++) {
            memory.add(newShared());
            nodes.add(node(node));
        }
        owners.put(StoreCubes.SYSTEM, 0);
    }

    private StoreCubes node(int number) throws IOException {
        return ObjectStores.openNode(
                new Disk(memory.get(number)),
                systemView(method -> {}),
                cube -> options(StoreOptions.defaults(cube, clock, new SplittableRandom(5))),
                rule(),
                owners());
    }

    @AfterEach
    void closeNodes() throws IOException {
        cubes = nodes.getFirst();
        for (int node = 1; node < NODES; node++) {
            nodes.get(node).close();
            memory.get(node).close();
        }
    }

    /** Calls the node that has a cube. */
    private final class Owners implements Elsewhere {
        @Override
        public BucketInfo createBucket(
                String cube,
                Caller caller,
                BucketName name,
                boolean locking,
                Map<BucketDocument, String> documents)
                throws IOException {
            return of(cube).createHere(cube, caller, name, locking, documents);
        }

        @Override
        public void deleteBucket(String cube, Caller caller, BucketRef bucket) throws IOException {
            of(cube).deleteHere(cube, caller, bucket);
        }

        @Override
        public List<BucketInfo> buckets(String cube) throws IOException {
            return of(cube).bucketsHere(cube);
        }
    }

    private StoreCubes of(String cube) {
        return nodes.get(owners.get(cube));
    }

    private StoreCubes ofStore() {
        return of(StoreCubes.SYSTEM);
    }

    private void place(String cube, int node) throws IOException {
        elsewhere.add(cube);
        assertThat(of(cube).opened()).extracting(StoreCubes.Opened::name).contains(cube);
        of(cube).release(cube);
        owners.put(cube, node);
        nodes.get(node).refresh();
        nodes.get(node).take(cube);
    }

    /** Gives the system cube, and the cubes without an owner of their own, to a node. */
    private void giveStore(int node) throws Exception {
        int before = owners.get(StoreCubes.SYSTEM);
        nodes.get(before).release(StoreCubes.SYSTEM);
        // Placed cubes are open all the time.
        readPlaced();
        for (String cube : owners.keySet()) {
            if (!cube.equals(StoreCubes.SYSTEM) && !elsewhere.contains(cube)) {
                assertThat(phase(nodes.get(before), cube)).isEqualTo(Phase.ELSEWHERE);
                owners.put(cube, node);
            }
        }
        owners.put(StoreCubes.SYSTEM, node);
        nodes.get(node).take(StoreCubes.SYSTEM);
        nodes.get(node).awaitOpened(Duration.ofMinutes(1));
        refreshOthers();
    }

    /** Ends a node, whose cubes go to others, and starts it again. */
    private void restart(int node, SplittableRandom random) throws Exception {
        if (owners.get(StoreCubes.SYSTEM) == node) {
            giveStore((node + 1) % NODES);
        }
        List<String> lost = new ArrayList<>();
        owners.forEach(
                (cube, owner) -> {
                    if (owner == node) {
                        lost.add(cube);
                    }
                });
        nodes.get(node).close();
        nodes.set(node, node(node));
        for (String cube : lost) {
            int next = random.nextInt(NODES);
            owners.put(cube, next);
            nodes.get(next).take(cube);
        }
    }

    private void readPlaced() throws IOException {
        for (Map.Entry<String, String> each : contents.entrySet()) {
            String[] names = each.getKey().split("/", 2);
            String cube = buckets.get(names[0]);
            if (elsewhere.contains(cube)) {
                assertThat(get(of(cube).store(), names[0], names[1])).isEqualTo(each.getValue());
            }
        }
    }

    private void requireModel() throws IOException {
        assertThat(names(ofStore().store())).containsExactlyElementsOf(buckets.keySet());
        for (Map.Entry<String, String> each : contents.entrySet()) {
            String[] names = each.getKey().split("/", 2);
            String cube = buckets.get(names[0]);
            assertThat(of(cube).cubeOf(name(names[0]))).as(names[0]).hasValue(cube);
            assertThat(get(of(cube).store(), names[0], names[1])).isEqualTo(each.getValue());
        }
        for (StoreCubes node : nodes) {
            for (StoreCubes.CubeInfo cube : node.list()) {
                boolean isHere = of(cube.name()) == node;
                assertThat(cube.phase())
                        .as("cube %s at node %s", cube.name(), nodes.indexOf(node))
                        .isEqualTo(isHere ? Phase.OPEN : Phase.ELSEWHERE);
            }
        }
    }

    private static String get(VersionedStore from, String bucket, String key) throws IOException {
        try (BlobReader reader =
                from.open(ALICE, name(bucket), key(key), VersionSelector.LATEST).reader()) {
            return StoreFixture.content(reader);
        }
    }

    @RepeatedTest(6)
    void theSystemCubeGoesFromNodeToNode(RepetitionInfo repetition) throws Exception {
        long seed = Long.getLong("volute.seed", repetition.getCurrentRepetition());
        SplittableRandom random = new SplittableRandom(seed);
        for (String cube : CUBES) {
            cubes.create(cube);
            owners.put(cube, 0);
        }
        refreshOthers();
        for (int step = 0; step < STEPS; step++) {
            step(random);
        }
        requireModel();
        for (int node = 0; node < NODES; node++) {
            giveStore(node);
            requireModel();
        }
    }

    private void refreshOthers() throws IOException {
        for (StoreCubes each : nodes) {
            each.refresh();
        }
    }

    private void step(SplittableRandom random) throws Exception {
        List<String> all = new ArrayList<>(owners.keySet());
        String cube = all.get(random.nextInt(all.size()));
        String bucket = "bucket-" + random.nextInt(6);
        switch (random.nextInt(9)) {
            case 0 -> giveStore(random.nextInt(NODES));
            case 1 -> {
                if (!cube.equals(StoreCubes.SYSTEM)) {
                    place(cube, random.nextInt(NODES));
                }
            }
            case 2 -> {
                if (!buckets.containsKey(bucket)) {
                    ofStore()
                            .store()
                            .createBucket(ALICE, name(bucket), false, Map.of(), Optional.of(cube));
                    buckets.put(bucket, cube);
                }
            }
            case 3 -> {
                boolean isEmpty =
                        contents.keySet().stream().noneMatch(each -> each.startsWith(bucket + "/"));
                if (buckets.containsKey(bucket) && isEmpty) {
                    ofStore().store().deleteBucket(ALICE, name(bucket));
                    buckets.remove(bucket);
                }
            }
            case 4 -> {
                String key = "k" + random.nextInt(4);
                if (contents.remove(bucket + "/" + key) != null) {
                    delete(of(buckets.get(bucket)).store(), bucket, key);
                }
            }
            case 5 -> requireModel();
            case 6 -> restart(random.nextInt(NODES), random);
            default -> {
                String key = "k" + random.nextInt(4);
                if (buckets.containsKey(bucket)) {
                    String text = "text " + random.nextInt(1000);
                    put(of(buckets.get(bucket)).store(), bucket, key, text);
                    contents.put(bucket + "/" + key, text);
                }
            }
        }
    }

    /** A node without the system cube refuses changes of the list of cubes and of buckets. */
    @Test
    void aNodeWithoutTheSystemCubeRefusesItsChanges() throws Exception {
        cubes.create("one");
        owners.put("one", 0);
        nodes.get(1).refresh();
        place("one", 0);
        giveStore(1);
        assertThatThrownBy(() -> cubes.create("three")).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store.createBucket(ALICE, name("new"), false))
                .isInstanceOf(CubeUnavailableException.class);
        assertThat(nodes.get(1).create("three").phase()).isEqualTo(Phase.OPEN);
        giveStore(0);
        assertThat(cubes.list()).extracting(StoreCubes.CubeInfo::name).contains("three");
    }
}
