package io.volute.versioning;

import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import io.volute.provenance.secrecy.SharedTree;
import io.volute.storage.Cube;
import io.volute.versioning.causality.HistoryPolicy;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Everything an object store needs to open.
 *
 * @param cube opened with {@link ObjectStores#families}
 * @param clock of modification times; their order means nothing to the store
 * @param random thread-safe source of the unguessable part of upload ids
 */
public record StoreOptions(
        Cube cube,
        InstantSource clock,
        RandomGenerator random,
        Limits limits,
        HistorySettings history,
        Optional<ProvenanceSettings> provenance) {

    /** Without provenance. */
    public StoreOptions(
            Cube cube,
            InstantSource clock,
            RandomGenerator random,
            Limits limits,
            HistorySettings history) {
        this(cube, clock, random, limits, history, Optional.empty());
    }

    /** The same with provenance: each commit says in signed entries what it does. */
    public StoreOptions with(ProvenanceSettings signed) {
        return new StoreOptions(cube, clock, random, limits, history, Optional.of(signed));
    }

    /** With S3's limits. */
    public static StoreOptions defaults(Cube cube, InstantSource clock, RandomGenerator random) {
        return new StoreOptions(cube, clock, random, Limits.S3, HistorySettings.DEFAULTS);
    }

    /** Keeps nothing that S3's clients cannot see. */
    public static StoreOptions withoutHistory(
            Cube cube, InstantSource clock, RandomGenerator random, Limits limits) {
        return new StoreOptions(cube, clock, random, limits, HistorySettings.NONE);
    }

    /**
     * What is kept of states that were overwritten or deleted.
     *
     * @param policy of new buckets, and of those from before there was history
     * @param resolution of buckets that have none of their own, in whole milliseconds: a state is
     *     kept when a multiple of it since 1970 lies in its life; zero: as the policy says alone
     * @param idleTimeout an actor that did nothing for so long has ended its session
     * @param retention kept states are removed so long after they were replaced
     * @param statesMax kept states of a key, the newest ones; 0 for no limit
     * @param ignored keys on which nobody depends: reads and copies of them are not remembered
     */
    public record HistorySettings(
            HistoryPolicy policy,
            Duration resolution,
            Duration idleTimeout,
            Duration retention,
            int statesMax,
            List<KeyPattern> ignored) {
        /** What can be asked for as {@code statesMax}: they are counted at each write. */
        public static final int STATES_MAX = 1000;

        /** The coarsest resolution. */
        public static final Duration RESOLUTION_MAX = Duration.ofDays(1);

        public static final HistorySettings DEFAULTS =
                new HistorySettings(
                        HistoryPolicy.CYCLE_AVOIDANCE,
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(15),
                        Duration.ofDays(7),
                        0,
                        List.of());
        public static final HistorySettings NONE = DEFAULTS.with(HistoryPolicy.NONE);

        public HistorySettings {
            ignored = List.copyOf(ignored);
        }

        public HistorySettings with(Duration other) {
            return new HistorySettings(policy, other, idleTimeout, retention, statesMax, ignored);
        }

        public HistorySettings with(HistoryPolicy other) {
            return new HistorySettings(
                    other, resolution, idleTimeout, retention, statesMax, ignored);
        }
    }

    /**
     * How the history of keys is signed.
     *
     * @param master seals the private keys, which lie in the store
     * @param algorithms one key of each signs; none: no commit has entries, and the store's own
     *     chain says so
     * @param shape of the spiral of new chains; those that are there keep theirs
     * @param random source of keys
     * @param confidentiality what of entries is hidden
     * @param retention age from which on entries may be removed; zero: none are. Recorded in the
     *     store's own chain; {@link Provenance#removeOld} does the removing
     */
    public record ProvenanceSettings(
            MasterKey master,
            Set<SignatureAlgorithm> algorithms,
            SpiralShape shape,
            SecureRandom random,
            Confidentiality confidentiality,
            Duration retention) {
        /** Hides nothing and removes nothing. */
        public ProvenanceSettings(
                MasterKey master,
                Set<SignatureAlgorithm> algorithms,
                SpiralShape shape,
                SecureRandom random) {
            this(master, algorithms, shape, random, Confidentiality.NONE, Duration.ZERO);
        }

        public ProvenanceSettings with(Confidentiality other) {
            return new ProvenanceSettings(master, algorithms, shape, random, other, retention);
        }

        /** The same with another retention of entries. */
        public ProvenanceSettings with(Duration other) {
            return new ProvenanceSettings(
                    master, algorithms, shape, random, confidentiality, other);
        }

        public ProvenanceSettings {
            algorithms = Set.copyOf(algorithms);
        }

        /** Whether commits have signed entries. */
        public boolean isOn() {
            return !algorithms.isEmpty();
        }
    }

    /**
     * What of new entries is hidden; older ones stay as they are.
     *
     * @param fields in buckets that say nothing themselves; encrypted ones are left out while there
     *     are fewer auditors than {@code needed}
     * @param needed how many auditors must act together to read; 1: each alone
     */
    public record Confidentiality(HiddenFields fields, int needed) {
        public static final Confidentiality NONE = new Confidentiality(HiddenFields.NONE, 1);

        public Confidentiality {
            if (needed < 1 || needed > SharedTree.AUDITORS_MAX) {
                throw new IllegalArgumentException(needed + " auditors together");
            }
        }
    }

    /**
     * @param bucketsMax buckets in the store
     * @param partBytesMin least bytes of a part that is not the last
     * @param partBytesMax most bytes of a part or of a single put
     * @param objectBytesMax most bytes of an object
     * @param recordBodyBytesMax bodies of so many bytes or less, of single puts, lie in the record
     *     of their object: that is one entry of the log and one row of the index instead of two
     */
    public record Limits(
            int bucketsMax,
            long partBytesMin,
            long partBytesMax,
            long objectBytesMax,
            int recordBodyBytesMax) {
        /** Most parts of an upload, and their greatest number. */
        public static final int PARTS_MAX = 10_000;

        /** Most entries of a page. */
        public static final int PAGE_ENTRIES_MAX = 1000;

        /** Heap that reads of all actors take before they are in the log. */
        public static final long PENDING_BYTES_MAX = 32L << 20;

        /** Most keys that one call deletes. */
        public static final int DELETE_KEYS_MAX = 1000;

        /** Longest default retention of a bucket. */
        public static final int LOCK_DAYS_MAX = 36_500;

        public static final int LOCK_YEARS_MAX = 100;

        /** S3 User Guide, "multipart upload limits" and "bucket quotas, limitations". */
        public static final Limits S3 = new Limits(10_000, 5L << 20, 5L << 30, 5L << 40, 256);
    }
}
