package io.volute.provenance.record;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.SpiralShape.Construction;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The settings of provenance that an entry of kind {@link EventKind#SETTINGS} records. They hold
 * for every commit behind it, up to the next such entry. Immutable.
 *
 * @param rules number of the rules that later entries follow, see docs/format/provenance.md
 * @param signatures one key of each signs; none: later commits have no entries
 * @param shape of the spiral of new chains
 * @param retentionMillis age from which on entries may be removed; 0: none are removed
 * @param encrypted names of fields that are encrypted for auditors
 * @param committed names of fields that are committed to
 * @param auditorsNeeded auditors that must act together to read
 * @param before the contents of the store before this entry
 * @param bucket empty: the entry is about no bucket's own settings
 */
public record SignedSettings(
        int rules,
        Set<SignatureAlgorithm> signatures,
        SpiralShape shape,
        long retentionMillis,
        Set<String> encrypted,
        Set<String> committed,
        int auditorsNeeded,
        Before before,
        Optional<OfBucket> bucket) {
    /** Rules of the entries that this program writes. */
    public static final int RULES = 5;

    /** From these rules on, entries have the details that compare state with chain. */
    public static final int RULES_STATE = 2;

    /** From these rules on, a removal has the time of the last entry that is gone. */
    public static final int RULES_REMOVAL_TIME = 3;

    /** From these rules on, no entry is under way when a checkpoint is made. */
    public static final int RULES_CHECKPOINT = 4;

    /** From these rules on, entries name the keys that changed while signatures were off. */
    public static final int RULES_UNSIGNED = 5;

    private static final Bytes RULES_DETAIL = Bytes.of("rules");
    private static final Bytes SIGNATURES = Bytes.of("signatures");
    private static final Bytes CONSTRUCTION = Bytes.of("construction");
    private static final Bytes DIMENSIONS = Bytes.of("dimensions");
    private static final Bytes RETENTION = Bytes.of("retention");
    private static final Bytes ENCRYPT = Bytes.of("encrypt");
    private static final Bytes COMMIT = Bytes.of("commit");
    private static final Bytes NEEDED = Bytes.of("auditors-needed");
    private static final Bytes BUCKET = Bytes.of("bucket");
    private static final Bytes BUCKET_ID = Bytes.of("bucket-id");
    private static final Bytes BUCKET_ENCRYPT = Bytes.of("bucket-encrypt");
    private static final Bytes BUCKET_COMMIT = Bytes.of("bucket-commit");
    private static final Bytes BEFORE = Bytes.of("before");
    private static final String NONE = "none";

    /** The contents of the store before an entry. */
    public enum Before {
        /** The entry does not record it. */
        ANYTHING(""),
        /** No version; this is the first entry. */
        NOTHING("nothing"),
        /** Earlier entries of this chain, which are missing; an operator chose to go on. */
        LOST("lost");

        private final String word;

        Before(String word) {
            this.word = word;
        }

        private static Before of(String word) {
            return Arrays.stream(values())
                    .filter(each -> each.word.equals(word))
                    .findFirst()
                    .orElse(ANYTHING);
        }
    }

    /**
     * Settings of one bucket that changed with this entry.
     *
     * @param hidden names of encrypted fields, then of committed ones; empty: as the store does
     */
    public record OfBucket(long id, String name, Optional<List<Set<String>>> hidden) {}

    public SignedSettings {
        signatures = Set.copyOf(signatures);
        encrypted = Set.copyOf(encrypted);
        committed = Set.copyOf(committed);
    }

    /** Returns whether commits have signed entries under these settings. */
    public boolean areSigned() {
        return !signatures.isEmpty();
    }

    /**
     * Returns whether no commit has an entry, and the keys that change are named when signatures go
     * on.
     */
    public boolean areUnsignedChangesNamed() {
        return !areSigned() && rules >= RULES_UNSIGNED;
    }

    /** Returns the same settings without those of a bucket. */
    public SignedSettings ofStore() {
        return with(Optional.empty());
    }

    /** Returns whether the entry is the first one, and nothing was stored before it. */
    public boolean isBeginning() {
        return before == Before.NOTHING;
    }

    /** Returns the same settings, as those of the first entry of a chain. */
    public SignedSettings as(Before first) {
        return with(first, bucket);
    }

    /** Returns the same settings with those of one bucket; they are not the first ones. */
    public SignedSettings with(Optional<OfBucket> changed) {
        return with(Before.ANYTHING, changed);
    }

    private SignedSettings with(Before first, Optional<OfBucket> changed) {
        return new SignedSettings(
                rules,
                signatures,
                shape,
                retentionMillis,
                encrypted,
                committed,
                auditorsNeeded,
                first,
                changed);
    }

    /** Returns the details of the entry, in plain. */
    public SortedMap<Bytes, Field> details() {
        SortedMap<Bytes, Field> details = new TreeMap<>();
        details.put(RULES_DETAIL, Field.plain(Integer.toString(rules)));
        details.put(SIGNATURES, Field.plain(words(signatures)));
        details.put(
                CONSTRUCTION, Field.plain(Integer.toString(shape.construction().ordinal() + 1)));
        details.put(DIMENSIONS, Field.plain(Integer.toString(shape.exponent())));
        details.put(RETENTION, Field.plain(Long.toString(retentionMillis)));
        details.put(ENCRYPT, Field.plain(list(encrypted)));
        details.put(COMMIT, Field.plain(list(committed)));
        details.put(NEEDED, Field.plain(Integer.toString(auditorsNeeded)));
        if (before != Before.ANYTHING) {
            details.put(BEFORE, Field.plain(before.word));
        }
        bucket.ifPresent(
                each -> {
                    details.put(BUCKET, Field.plain(each.name()));
                    details.put(BUCKET_ID, Field.plain(Long.toString(each.id())));
                    each.hidden()
                            .ifPresent(
                                    sets -> {
                                        details.put(BUCKET_ENCRYPT, Field.plain(list(sets.get(0))));
                                        details.put(BUCKET_COMMIT, Field.plain(list(sets.get(1))));
                                    });
                });
        return details;
    }

    /**
     * Reads the settings of an entry; empty when it is of another kind. Details that this program
     * does not know are passed over.
     *
     * @throws RefusedException when a value is missing or malformed
     */
    public static Optional<SignedSettings> of(Entry entry) throws RefusedException {
        if (entry.kind() != EventKind.SETTINGS) {
            return Optional.empty();
        }
        SortedMap<Bytes, Field> details = entry.details();
        int construction = (int) number(details, CONSTRUCTION, Construction.values().length);
        if (construction == 0) {
            throw malformed(CONSTRUCTION);
        }
        int exponent = (int) number(details, DIMENSIONS, SpiralShape.EXPONENT_MAX);
        return Optional.of(
                new SignedSettings(
                        (int) number(details, RULES_DETAIL, Integer.MAX_VALUE),
                        algorithms(text(details, SIGNATURES)),
                        new SpiralShape(Construction.values()[construction - 1], exponent),
                        number(details, RETENTION, Long.MAX_VALUE),
                        set(text(details, ENCRYPT)),
                        set(text(details, COMMIT)),
                        (int) number(details, NEEDED, Integer.MAX_VALUE),
                        details.containsKey(BEFORE)
                                ? Before.of(text(details, BEFORE))
                                : Before.ANYTHING,
                        bucket(details)));
    }

    private static Optional<OfBucket> bucket(SortedMap<Bytes, Field> details)
            throws RefusedException {
        if (!details.containsKey(BUCKET)) {
            return Optional.empty();
        }
        Optional<List<Set<String>>> hidden =
                details.containsKey(BUCKET_ENCRYPT)
                        ? Optional.of(
                                List.of(
                                        set(text(details, BUCKET_ENCRYPT)),
                                        set(text(details, BUCKET_COMMIT))))
                        : Optional.empty();
        return Optional.of(
                new OfBucket(
                        number(details, BUCKET_ID, Long.MAX_VALUE), text(details, BUCKET), hidden));
    }

    private static String words(Set<SignatureAlgorithm> algorithms) {
        return algorithms.isEmpty()
                ? NONE
                : list(algorithms.stream().map(SignedSettings::word).collect(Collectors.toSet()));
    }

    private static String word(SignatureAlgorithm algorithm) {
        return algorithm.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Set<SignatureAlgorithm> algorithms(String text) throws RefusedException {
        if (text.equals(NONE)) {
            return Set.of();
        }
        Set<String> words = set(text);
        Set<SignatureAlgorithm> found =
                SignatureAlgorithm.SIGNING.stream()
                        .filter(each -> words.contains(word(each)))
                        .collect(Collectors.toSet());
        if (found.isEmpty() || found.size() != words.size()) {
            throw malformed(SIGNATURES);
        }
        return found;
    }

    private static String list(Set<String> words) {
        return String.join(",", new TreeSet<>(words));
    }

    private static Set<String> set(String list) {
        return list.isEmpty() ? Set.of() : new TreeSet<>(Arrays.asList(list.split(",")));
    }

    private static String text(SortedMap<Bytes, Field> details, Bytes name)
            throws RefusedException {
        Field field = details.get(name);
        if (field == null || field.form() != Field.Form.PLAIN) {
            throw malformed(name);
        }
        return field.value().text();
    }

    private static long number(SortedMap<Bytes, Field> details, Bytes name, long max)
            throws RefusedException {
        OptionalLong number = Field.decimal(text(details, name));
        if (number.isEmpty() || number.getAsLong() > max) {
            throw malformed(name);
        }
        return number.getAsLong();
    }

    private static RefusedException malformed(Bytes name) {
        return new RefusedException(
                "settings: the detail " + name.text() + " is missing or malformed");
    }
}
