package io.volute.versioning.value;

import io.volute.versioning.causality.HistoryPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A bucket with its settings. Immutable, and small: its texts are in its row.
 *
 * @param id unique, also among deleted buckets
 * @param owner principal of the owner
 * @param history policy for overwritten and deleted states
 * @param access access settings for others than the owner
 * @param hidden hidden fields of entries about its keys; empty for the store's default
 * @param lock Object Lock of the bucket; empty when versions cannot be locked
 * @param resolution see {@code StoreOptions.HistorySettings}; empty for the store's default
 * @param documents its configuration documents
 */
public record BucketInfo(
        long id,
        BucketName name,
        String owner,
        Instant created,
        VersioningState versioning,
        HistoryPolicy history,
        BucketAccess access,
        Optional<HiddenFields> hidden,
        Optional<BucketLock> lock,
        Optional<Duration> resolution,
        Map<BucketDocument, Text> documents)
        implements BucketRef {

    public BucketInfo {
        documents = Map.copyOf(documents);
    }

    /** Creates a bucket that only its owner may use, with the store's defaults. */
    public BucketInfo(
            long id,
            BucketName name,
            String owner,
            Instant created,
            VersioningState versioning,
            HistoryPolicy history) {
        this(
                id,
                name,
                owner,
                created,
                versioning,
                history,
                BucketAccess.NONE,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Map.of());
    }

    /**
     * A text of a bucket: its policy, or a configuration document. It is in the heap only before it
     * is stored; later it is read from the bucket's row when it is needed. Immutable, thread-safe.
     */
    public static final class Text {
        private final int bytes;
        private final Supplier<String> source;

        private Text(int bytes, Supplier<String> source) {
            this.bytes = bytes;
            this.source = source;
        }

        /** Returns a text that is not stored yet. */
        public static Text of(String text) {
            return new Text(text.getBytes(StandardCharsets.UTF_8).length, () -> text);
        }

        /**
         * Returns a text that is in a row.
         *
         * @param bytes its length in UTF-8
         * @param source reads it
         */
        public static Text stored(int bytes, Supplier<String> source) {
            return new Text(bytes, source);
        }

        /** Returns the length in UTF-8. */
        public int bytes() {
            return bytes;
        }

        /**
         * Returns the text. A stored text is read, so keep it no longer than needed.
         *
         * @throws java.io.UncheckedIOException when it cannot be read
         */
        public String text() {
            return source.get();
        }

        @Override
        public boolean equals(Object other) {
            return other == this
                    || other instanceof Text that
                            && that.bytes == bytes
                            && that.text().equals(text());
        }

        @Override
        public int hashCode() {
            return bytes;
        }

        @Override
        public String toString() {
            return "Text[bytes=" + bytes + "]";
        }
    }

    /** The three versioning states of S3. */
    public enum VersioningState {
        UNVERSIONED,
        ENABLED,
        SUSPENDED
    }

    @Override
    public boolean means(long bucketId) {
        return id == bucketId;
    }

    /** Returns the same bucket with another versioning state. */
    public BucketInfo with(VersioningState state) {
        return with(state, history, access, hidden, lock, resolution, documents);
    }

    /** Returns the same bucket with another history policy. */
    public BucketInfo with(HistoryPolicy policy) {
        return with(versioning, policy, access, hidden, lock, resolution, documents);
    }

    /** Returns the same bucket with other access settings. */
    public BucketInfo with(BucketAccess other) {
        return with(versioning, history, other, hidden, lock, resolution, documents);
    }

    /** Returns the same bucket with other hidden fields. */
    public BucketInfo with(Optional<HiddenFields> other) {
        return with(versioning, history, access, other, lock, resolution, documents);
    }

    /** Returns the same bucket with Object Lock. */
    public BucketInfo with(BucketLock other) {
        return with(versioning, history, access, hidden, Optional.of(other), resolution, documents);
    }

    /** Returns the same bucket with another resolution of its past. */
    public BucketInfo withResolution(Optional<Duration> other) {
        return with(versioning, history, access, hidden, lock, other, documents);
    }

    /**
     * Returns the same bucket with another document.
     *
     * @param content empty to remove the document
     */
    public BucketInfo with(BucketDocument document, Optional<String> content) {
        Map<BucketDocument, Text> all = new EnumMap<>(BucketDocument.class);
        all.putAll(documents);
        content.map(Text::of)
                .ifPresentOrElse(text -> all.put(document, text), () -> all.remove(document));
        return with(versioning, history, access, hidden, lock, resolution, all);
    }

    /** Returns the same bucket with these documents alone. */
    public BucketInfo with(Map<BucketDocument, String> all) {
        Map<BucketDocument, Text> texts = new EnumMap<>(BucketDocument.class);
        all.forEach((document, text) -> texts.put(document, Text.of(text)));
        return with(versioning, history, access, hidden, lock, resolution, texts);
    }

    /** Returns a document of the bucket; see {@link Text#text}. */
    public Optional<String> document(BucketDocument document) {
        return Optional.ofNullable(documents.get(document)).map(Text::text);
    }

    /** Returns whether the bucket has a document. */
    public boolean has(BucketDocument document) {
        return documents.containsKey(document);
    }

    /** Reads all texts, so that they are in the cache of their store for a while. */
    public void loadTexts() {
        access.policyText().ifPresent(Text::text);
        documents.values().forEach(Text::text);
    }

    /** Returns the length of all texts together, in UTF-8. */
    public long textBytes() {
        return access.policyText().stream().mapToLong(Text::bytes).sum()
                + documents.values().stream().mapToLong(Text::bytes).sum();
    }

    private BucketInfo with(
            VersioningState state,
            HistoryPolicy policy,
            BucketAccess rights,
            Optional<HiddenFields> fields,
            Optional<BucketLock> locking,
            Optional<Duration> exactness,
            Map<BucketDocument, Text> texts) {
        return new BucketInfo(
                id, name, owner, created, state, policy, rights, fields, locking, exactness, texts);
    }
}
