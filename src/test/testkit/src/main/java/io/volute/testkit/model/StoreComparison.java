package io.volute.testkit.model;

import io.volute.testkit.model.OperationGenerator.Options;
import io.volute.testkit.model.StoreOperation.If;
import io.volute.testkit.model.StoreOperation.Target;
import io.volute.testkit.model.StoreOperation.Which;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.value.BucketInfo.VersioningState;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Plays the same operations on an object store and on the {@link StoreModel}, compares what came of
 * each, and at the end every key, version, listing page and upload. A sequence that differs is
 * reduced before it is shown.
 */
final class StoreComparison {
    /** Least bytes of a part that is not the last: stores under test must be opened with it. */
    public static final long PART_BYTES_MIN = 5_000;

    private static final int LENGTH = 60;

    private final Supply supply;

    /** Makes stores that are empty and independent of each other. */
    public interface Supply {
        StoreUnderTest fresh() throws IOException;
    }

    /** The first difference between a store and the model. */
    public record Difference(StoreOperation operation, String expected, String found) {
        @Override
        public String toString() {
            return operation + "\n  expected: " + expected + "\n  found:    " + found;
        }
    }

    public StoreComparison(Supply supply) {
        this.supply = supply;
    }

    /** Returns the number of random sequences in a run; {@code -Dvolute.sequences} overrides it. */
    public static int sequences(int usual) {
        return Integer.getInteger("volute.sequences", usual);
    }

    /** The first seed of a run; {@code -Dvolute.seed} overrides it. */
    public static long firstSeed(long usual) {
        return Long.getLong("volute.seed", usual);
    }

    /**
     * Tries random sequences with the seeds from {@code firstSeed} on.
     *
     * @throws AssertionError at the first that differs, with a line that repeats it and the reduced
     *     sequence
     */
    public void compareRandom(Options options, long firstSeed, int count) throws IOException {
        for (long seed = firstSeed; seed < firstSeed + count; seed++) {
            OperationGenerator generator = new OperationGenerator(options, seed);
            List<StoreOperation> operations = generator.sequence(LENGTH);
            if (compare(operations).isPresent()) {
                List<StoreOperation> reduced =
                        Reducer.reduce(operations, shorter -> compare(shorter).isPresent());
                throw new AssertionError(
                        ("repeat with -Dvolute.seed=" + seed + " -Dvolute.sequences=1, options ")
                                + (options + "\n" + lines(reduced) + "\n")
                                + compare(reduced).map(Difference::toString).orElse(""));
            }
        }
    }

    private static String lines(List<StoreOperation> operations) {
        return String.join("\n", operations.stream().map(StoreOperation::toString).toList());
    }

    /** Plays one sequence on a fresh store and looks at everything afterwards. */
    public Optional<Difference> compare(List<StoreOperation> operations) throws IOException {
        try (StorePlayer tested = new StorePlayer(supply.fresh());
                StorePlayer model = new StorePlayer(newModel())) {
            return compare(operations, tested, model);
        }
    }

    private static StoreUnderTest newModel() {
        StoreModel model = new StoreModel(InstantSource.fixed(Instant.EPOCH), PART_BYTES_MIN);
        return () -> model;
    }

    private static Optional<Difference> compare(
            List<StoreOperation> operations, StorePlayer tested, StorePlayer model)
            throws IOException {
        Optional<Difference> during = playBoth(operations, tested, model);
        return during.isPresent()
                ? during
                : playBoth(inspection(operations, model.versions()), tested, model);
    }

    private static Optional<Difference> playBoth(
            List<StoreOperation> operations, StorePlayer tested, StorePlayer model)
            throws IOException {
        for (StoreOperation operation : operations) {
            String expected = model.play(operation);
            String found = tested.play(operation);
            if (!expected.equals(found)) {
                return Optional.of(new Difference(operation, expected, found));
            }
        }
        return Optional.empty();
    }

    /** Operations that look at everything a sequence may have touched. */
    private static List<StoreOperation> inspection(List<StoreOperation> operations, int versions) {
        TreeSet<String> buckets = new TreeSet<>();
        TreeSet<String> keys = new TreeSet<>();
        int uploads = 0;
        for (StoreOperation operation : operations) {
            switch (operation) {
                case StoreOperation.CreateBucket op -> buckets.add(op.bucket());
                case StoreOperation.Put op -> keys.add(op.key());
                case StoreOperation.Delete op -> keys.add(op.key());
                case StoreOperation.DeleteAll op ->
                        op.targets().forEach(target -> keys.add(target.key()));
                case StoreOperation.Copy op -> keys.add(op.toKey());
                case StoreOperation.CreateUpload op -> {
                    keys.add(op.key());
                    uploads++;
                }
                case StoreOperation.DeleteBucket op -> {}
                case StoreOperation.ListBuckets op -> {}
                case StoreOperation.SetVersioning op -> {}
                case StoreOperation.SetObjectLock op -> {}
                case StoreOperation.SetLock op -> {}
                case StoreOperation.Head op -> {}
                case StoreOperation.Get op -> {}
                case StoreOperation.SetTags op -> {}
                case StoreOperation.ListObjects op -> {}
                case StoreOperation.ListVersions op -> {}
                case StoreOperation.PutPart op -> {}
                case StoreOperation.Complete op -> {}
                case StoreOperation.Abort op -> {}
                case StoreOperation.ListParts op -> {}
                case StoreOperation.ListUploads op -> {}
                case StoreOperation.Reopen op -> {}
            }
        }
        List<StoreOperation> looks = new ArrayList<>();
        looks.add(new StoreOperation.ListBuckets("", "", 1_000));
        for (String bucket : buckets) {
            inspectListings(bucket, looks);
            for (String key : keys) {
                looks.add(new StoreOperation.Get(bucket, key, StoreOperation.LATEST));
                looks.add(new StoreOperation.Get(bucket, key, new Which.Null()));
                for (int ordinal = 1; ordinal <= versions; ordinal++) {
                    looks.add(new StoreOperation.Get(bucket, key, new Which.Ordinal(ordinal)));
                }
            }
        }
        for (int upload = 1; upload <= uploads; upload++) {
            looks.add(new StoreOperation.ListParts(upload, 2));
        }
        return looks;
    }

    private static void inspectListings(String bucket, List<StoreOperation> looks) {
        for (int max : new int[] {1, 3, 1_000}) {
            looks.add(new StoreOperation.ListObjects(bucket, "", "", "", max));
            looks.add(new StoreOperation.ListObjects(bucket, "", "/", "", max));
            looks.add(new StoreOperation.ListVersions(bucket, "", "", "", max));
            looks.add(new StoreOperation.ListVersions(bucket, "", "/", "", max));
            looks.add(new StoreOperation.ListUploads(bucket, "", "", max));
        }
    }

    // ---- every short sequence

    /**
     * Tries every sequence of up to three operations over two keys, in each versioning state, each
     * in a bucket of its own in one store.
     *
     * @return how many sequences
     */
    public int compareExhaustive() throws IOException {
        int count = 0;
        try (ObjectStore store = supply.fresh().open()) {
            StoreModel model = new StoreModel(InstantSource.fixed(Instant.EPOCH), PART_BYTES_MIN);
            for (VersioningState state : VersioningState.values()) {
                for (int length = 1; length <= 3; length++) {
                    int choices = alphabet("x-1").size();
                    long total = Math.round(Math.pow(choices, length));
                    for (long code = 0; code < total; code++) {
                        count++;
                        compareOne(store, model, shortSequence(state, length, code, count));
                    }
                }
            }
        }
        return count;
    }

    // The players are not closed: they share their stores with the next sequence.
    @SuppressWarnings("resource")
    private static void compareOne(
            ObjectStore store, StoreModel model, List<StoreOperation> operations)
            throws IOException {
        StorePlayer tested = new StorePlayer(() -> store);
        StorePlayer expected = new StorePlayer(() -> model);
        Optional<Difference> difference = playBoth(operations, tested, expected);
        if (difference.isEmpty()) {
            List<StoreOperation> looks = inspection(operations, expected.versions());
            difference = playBoth(looks.subList(1, looks.size()), tested, expected);
        }
        if (difference.isPresent()) {
            throw new AssertionError(lines(operations) + "\n" + difference.orElseThrow());
        }
    }

    private static List<StoreOperation> shortSequence(
            VersioningState state, int length, long code, int number) {
        String bucket = "b-" + number;
        List<StoreOperation> alphabet = alphabet(bucket);
        List<StoreOperation> operations = new ArrayList<>();
        operations.add(new StoreOperation.CreateBucket(bucket, "owner", false));
        if (state != VersioningState.UNVERSIONED) {
            operations.add(new StoreOperation.SetVersioning(bucket, state));
        }
        long rest = code;
        for (int i = 0; i < length; i++) {
            operations.add(alphabet.get((int) (rest % alphabet.size())));
            rest /= alphabet.size();
        }
        return operations;
    }

    private static List<StoreOperation> alphabet(String bucket) {
        Which latest = StoreOperation.LATEST;
        If always = StoreOperation.ALWAYS;
        return List.of(
                new StoreOperation.Put(bucket, "k", 10, 1, always),
                new StoreOperation.Put(bucket, "k", 20, 2, always),
                new StoreOperation.Put(bucket, "l", 10, 1, new If.Absent()),
                new StoreOperation.Put(bucket, "k", 30, 3, new If.Holds(10, 1)),
                new StoreOperation.Delete(bucket, "k", latest, always, false),
                new StoreOperation.Delete(bucket, "k", new Which.Null(), always, false),
                new StoreOperation.Delete(bucket, "k", new Which.Ordinal(1), always, false),
                new StoreOperation.Copy(bucket, "k", latest, bucket, "l", always),
                new StoreOperation.Copy(bucket, "k", new Which.Ordinal(1), bucket, "k", always),
                new StoreOperation.SetTags(bucket, "k", latest, 1),
                new StoreOperation.DeleteAll(
                        bucket,
                        List.of(
                                new Target("k", latest),
                                new Target("k", new Which.Ordinal(1)),
                                new Target("l", latest)),
                        false),
                new StoreOperation.SetVersioning(bucket, VersioningState.ENABLED),
                new StoreOperation.SetVersioning(bucket, VersioningState.SUSPENDED));
    }
}
