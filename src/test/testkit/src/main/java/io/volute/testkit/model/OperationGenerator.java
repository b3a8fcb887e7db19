package io.volute.testkit.model;

import io.volute.testkit.model.StoreOperation.If;
import io.volute.testkit.model.StoreOperation.Target;
import io.volute.testkit.model.StoreOperation.Which;
import io.volute.versioning.value.BucketInfo.VersioningState;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Random sequences of operations on few keys, so that they meet each other often. */
final class OperationGenerator {
    private static final String[] DELIMITERS = {"", "", "/", "a", "/b"};
    private static final String[] PREFIXES = {"", "", "a", "a/", "b", "ab/", "\uD83D\uDE00", "é"};
    private static final int[] PAGE_SIZES = {0, 1, 1, 2, 3, 1000};

    /**
     * What a sequence is made of.
     *
     * @param buckets how many
     * @param keys to choose from
     * @param sizes of bodies to choose from, in bytes
     * @param reopens whether the store is closed and opened in between
     * @param locking whether the buckets have Object Lock, and versions are often locked
     */
    public record Options(
            int buckets, List<String> keys, List<Integer> sizes, boolean reopens, boolean locking) {
        public Options {
            keys = List.copyOf(keys);
            sizes = List.copyOf(sizes);
        }

        /** Keys that sort badly, bodies on both sides of every limit of a small store. */
        public static Options small() {
            return new Options(
                    2,
                    List.of(
                            "a",
                            "a/b",
                            "a/b/c",
                            "a/c",
                            "ab/x",
                            "b",
                            "a\u0000b",
                            "a\u0001",
                            "é/1",
                            "\uFF5E",
                            "\uD83D\uDE00/k"),
                    List.of(0, 1, 100, 4_096, 20_000),
                    true,
                    false);
        }

        /** Few versions, most of them locked. */
        public static Options locks() {
            return new Options(1, List.of("a", "b"), List.of(0, 100), true, true);
        }
    }

    private final Options options;
    private final SplittableRandom random;
    private final List<String> buckets;
    private int uploads;
    private int versions;
    private int lastSize;
    private int lastSeed;

    public OperationGenerator(Options options, long seed) {
        this.options = options;
        this.random = new SplittableRandom(seed);
        this.buckets =
                IntStream.rangeClosed(1, options.buckets()).mapToObj(i -> "bucket-" + i).toList();
    }

    /** Buckets that a sequence may use. */
    public List<String> buckets() {
        return buckets;
    }

    /** The next sequence, from making the buckets on. */
    public List<StoreOperation> sequence(int length) {
        uploads = 0;
        versions = 0;
        List<StoreOperation> operations = new ArrayList<>();
        for (String bucket : buckets) {
            operations.add(new StoreOperation.CreateBucket(bucket, "owner", options.locking()));
        }
        while (operations.size() < length) {
            operations.add(next());
        }
        return operations;
    }

    private StoreOperation next() {
        int dice = random.nextInt(100);
        if (dice < 28) {
            return put();
        } else if (dice < 40) {
            versions++;
            return new StoreOperation.Delete(
                    bucket(), key(), which(), StoreOperation.ALWAYS, random.nextBoolean());
        } else if (dice < 44) {
            return deleteAll();
        } else if (dice < (options.locking() ? 52 : 46)) {
            return setLock();
        } else if (dice < 54) {
            return new StoreOperation.Get(bucket(), key(), which());
        } else if (dice < 58) {
            return new StoreOperation.Head(bucket(), key(), which());
        } else if (dice < 64) {
            versions++;
            return new StoreOperation.Copy(bucket(), key(), which(), bucket(), key(), condition());
        } else if (dice < 68) {
            return new StoreOperation.SetTags(bucket(), key(), which(), random.nextInt(3));
        } else if (dice < 69) {
            return new StoreOperation.SetObjectLock(bucket(), random.nextBoolean());
        } else if (dice < 72) {
            return new StoreOperation.SetVersioning(
                    bucket(),
                    random.nextBoolean() ? VersioningState.ENABLED : VersioningState.SUSPENDED);
        } else if (dice < 78) {
            return new StoreOperation.ListObjects(
                    bucket(), any(PREFIXES), any(DELIMITERS), after(), pageSize());
        } else if (dice < 84) {
            return new StoreOperation.ListVersions(
                    bucket(), any(PREFIXES), any(DELIMITERS), after(), pageSize());
        } else if (dice < 97) {
            return multipart();
        }
        return rare();
    }

    private StoreOperation put() {
        versions++;
        int size = options.sizes().get(random.nextInt(options.sizes().size()));
        int seed = random.nextInt(1_000);
        StoreOperation put = new StoreOperation.Put(bucket(), key(), size, seed, condition());
        lastSize = size;
        lastSeed = seed;
        return put;
    }

    private StoreOperation deleteAll() {
        List<Target> targets = new ArrayList<>();
        for (int i = random.nextInt(1, 6); i > 0; i--) {
            targets.add(new Target(key(), which()));
        }
        versions += targets.size();
        return new StoreOperation.DeleteAll(bucket(), targets, random.nextBoolean());
    }

    private StoreOperation setLock() {
        StoreOperation.Lock[] locks = StoreOperation.Lock.values();
        return new StoreOperation.SetLock(
                bucket(),
                key(),
                which(),
                locks[random.nextInt(locks.length)],
                random.nextBoolean());
    }

    private StoreOperation multipart() {
        if (uploads == 0 || random.nextInt(6) == 0) {
            uploads++;
            return new StoreOperation.CreateUpload(bucket(), key(), random.nextInt(100));
        }
        int upload = random.nextInt(Math.max(1, uploads - 3), uploads + 1);
        int dice = random.nextInt(10);
        if (dice < 5) {
            boolean small = random.nextInt(6) == 0;
            int size = small ? options.sizes().get(1) : options.sizes().getLast();
            return new StoreOperation.PutPart(
                    upload, random.nextInt(1, 4), size, random.nextInt(1_000));
        } else if (dice < 8) {
            versions++;
            List<Integer> numbers = new ArrayList<>(List.of(random.nextInt(1, 4)));
            if (random.nextInt(3) == 0) {
                numbers.add(random.nextInt(1, 5));
            }
            return new StoreOperation.Complete(upload, numbers, condition());
        } else if (dice < 9) {
            return new StoreOperation.ListParts(upload, any(PAGE_SIZES));
        }
        return random.nextBoolean()
                ? new StoreOperation.Abort(upload)
                : new StoreOperation.ListUploads(
                        bucket(), any(PREFIXES), any(DELIMITERS), pageSize());
    }

    private StoreOperation rare() {
        int dice = random.nextInt(4);
        if (dice == 0 && options.reopens()) {
            return new StoreOperation.Reopen();
        } else if (dice == 1) {
            return new StoreOperation.CreateBucket(bucket(), any("owner", "other"), false);
        } else if (dice == 2) {
            return new StoreOperation.ListBuckets(any("", "buck"), any("", "bucket-1"), 10);
        }
        return new StoreOperation.Get("bucket-none", key(), StoreOperation.LATEST);
    }

    private String bucket() {
        return buckets.get(random.nextInt(buckets.size()));
    }

    private String key() {
        return options.keys().get(random.nextInt(options.keys().size()));
    }

    private String after() {
        return random.nextInt(3) == 0 ? key() : "";
    }

    private int pageSize() {
        return any(PAGE_SIZES);
    }

    private Which which() {
        int dice = random.nextInt(10);
        if (dice < 5) {
            return StoreOperation.LATEST;
        } else if (dice < 7) {
            return new Which.Null();
        }
        return new Which.Ordinal(random.nextInt(1, versions + 2));
    }

    private If condition() {
        int dice = random.nextInt(12);
        if (dice == 0) {
            return new If.Absent();
        } else if (dice == 1) {
            return new If.Present();
        } else if (dice == 2) {
            return new If.Holds(lastSize, lastSeed);
        }
        return StoreOperation.ALWAYS;
    }

    private String any(String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private int any(int... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
