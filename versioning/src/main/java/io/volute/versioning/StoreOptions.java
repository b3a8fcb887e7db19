package io.volute.versioning;

import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import io.volute.provenance.secrecy.SharedTree;
import io.volute.storage.Cube;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.HiddenFields;
import io.volute.versioning.value.KeyPattern;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The options and dependencies of an object store.
 *
 * @param cube opened with {@link ObjectStores#families}
 * @param clock supplies modification times; the store does not rely on their order
 * @param random thread-safe source of the unguessable part of upload ids
 * @param changes chooses the changes that consumers outside the store receive
 */
public record StoreOptions(
        Cube cube,
        InstantSource clock,
        RandomGenerator random,
        Limits limits,
        HistorySettings history,
        Optional<ProvenanceSettings> provenance,
        ChangeRouter changes) {

    /** Creates options without consumers of changes. */
    public StoreOptions(
            Cube cube,
            InstantSource clock,
            RandomGenerator random,
            Limits limits,
            HistorySettings history,
            Optional<ProvenanceSettings> provenance) {
        this(cube, clock, random, limits, history, provenance, ChangeRouter.NONE);
    }

    /** Creates options without provenance. */
    public StoreOptions(
            Cube cube,
            InstantSource clock,
            RandomGenerator random,
            Limits limits,
            HistorySettings history) {
        this(cube, clock, random, limits, history, Optional.empty());
    }

    /** Returns the same options with provenance: signed entries record each commit. */
    public StoreOptions with(ProvenanceSettings signed) {
        return new StoreOptions(cube, clock, random, limits, history, Optional.of(signed), changes);
    }

    /** Returns the same options with consumers of changes. */
    public StoreOptions with(ChangeRouter router) {
        return new StoreOptions(cube, clock, random, limits, history, provenance, router);
    }

    /** Returns the same options for a store whose reads are not recorded in the history. */
    public StoreOptions withoutTraces() {
        HistorySettings ignoring =
                new HistorySettings(
                        history.policy(),
                        history.resolution(),
                        history.idleTimeout(),
                        history.retention(),
                        history.statesMax(),
                        List.of(new KeyPattern("*")));
        return new StoreOptions(cube, clock, random, limits, ignoring, provenance, changes);
    }

    /** Returns options with S3's limits. */
    public static StoreOptions defaults(Cube cube, InstantSource clock, RandomGenerator random) {
        return new StoreOptions(cube, clock, random, Limits.S3, HistorySettings.DEFAULTS);
    }

    /** Returns options under which states that S3 clients cannot see are not kept. */
    public static StoreOptions withoutHistory(
            Cube cube, InstantSource clock, RandomGenerator random, Limits limits) {
        return new StoreOptions(cube, clock, random, limits, HistorySettings.NONE);
    }

    /**
     * The settings for overwritten and deleted states.
     *
     * @param policy policy of new buckets, and of those from before history was recorded
     * @param resolution of buckets without one of their own, in whole milliseconds: a state is kept
     *     if it was current at a multiple of it since 1970; zero if the policy alone decides
     * @param idleTimeout time without a request after which an actor's session ends
     * @param retention time from the replacement of a kept state to its removal
     * @param statesMax maximum number of kept states per key, the newest ones; 0 for no limit
     * @param ignored keys whose reads and copies create no dependencies
     */
    public record HistorySettings(
            HistoryPolicy policy,
            Duration resolution,
            Duration idleTimeout,
            Duration retention,
            int statesMax,
            List<KeyPattern> ignored) {
        /** Maximum value of {@code statesMax}: each write counts the states of its key. */
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
     * The settings for the signed history of keys.
     *
     * @param master seals the private keys, which are in the store
     * @param algorithms one key of each signs; with none, commits have no entries, and the store's
     *     own chain records that
     * @param shape of the spiral of new chains; existing chains keep theirs
     * @param random source of keys
     * @param confidentiality hidden fields of entries
     * @param retention age from which on entries may be removed; zero for no removal. Recorded in
     *     the store's own chain; {@link Provenance#removeOld} removes the entries
     * @param beginsAnew whether a store whose own chain is missing opens, and records the loss;
     *     otherwise it does not open
     */
    public record ProvenanceSettings(
            MasterKey master,
            Set<SignatureAlgorithm> algorithms,
            SpiralShape shape,
            SecureRandom random,
            Confidentiality confidentiality,
            Duration retention,
            boolean beginsAnew) {
        /** Creates settings without hidden fields and without removal. */
        public ProvenanceSettings(
                MasterKey master,
                Set<SignatureAlgorithm> algorithms,
                SpiralShape shape,
                SecureRandom random) {
            this(master, algorithms, shape, random, Confidentiality.NONE, Duration.ZERO, false);
        }

        public ProvenanceSettings with(Confidentiality other) {
            return new ProvenanceSettings(
                    master, algorithms, shape, random, other, retention, beginsAnew);
        }

        /** Returns the same settings with another retention of entries. */
        public ProvenanceSettings with(Duration other) {
            return new ProvenanceSettings(
                    master, algorithms, shape, random, confidentiality, other, beginsAnew);
        }

        /** Returns the same settings, which open a store whose own chain is missing. */
        public ProvenanceSettings beginningAnew() {
            return new ProvenanceSettings(
                    master, algorithms, shape, random, confidentiality, retention, true);
        }

        public ProvenanceSettings {
            algorithms = Set.copyOf(algorithms);
        }

        /** Returns whether commits have signed entries. */
        public boolean isOn() {
            return !algorithms.isEmpty();
        }
    }

    /**
     * The hidden fields of new entries; older entries stay unchanged.
     *
     * @param fields default for buckets without a setting; encrypted fields are omitted while there
     *     are fewer auditors than {@code needed}
     * @param needed number of auditors who must cooperate to decrypt; 1 if each can alone
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
     * The limits of a store.
     *
     * @param bucketsMax maximum number of buckets
     * @param partBytesMin minimum bytes of a part that is not the last
     * @param partBytesMax maximum bytes of a part or of a single put
     * @param objectBytesMax maximum bytes of an object
     * @param recordBodyBytesMax maximum bytes of a single-put body in the record of its object,
     *     which takes one log entry and one index row instead of two
     */
    public record Limits(
            int bucketsMax,
            long partBytesMin,
            long partBytesMax,
            long objectBytesMax,
            int recordBodyBytesMax) {
        /** Maximum number of parts of an upload, and maximum part number. */
        public static final int PARTS_MAX = 10_000;

        /** Maximum number of entries of a page. */
        public static final int PAGE_ENTRIES_MAX = 1000;

        /** Heap bytes that pending reads of all actors may take. */
        public static final long PENDING_BYTES_MAX = 32L << 20;

        /**
         * Maximum bytes of the policy and the configurations of a bucket together, in UTF-8. A
         * change writes them and those before it, in one batch of the log.
         */
        public static final long BUCKET_TEXT_BYTES_MAX = 1408L << 10;

        /** Maximum number of keys in one multi-key delete. */
        public static final int DELETE_KEYS_MAX = 1000;

        /**
         * The limits of S3 (S3 User Guide, "multipart upload limits", "bucket quotas,
         * limitations").
         */
        public static final Limits S3 = new Limits(10_000, 5L << 20, 5L << 30, 5L << 40, 256);
    }
}
