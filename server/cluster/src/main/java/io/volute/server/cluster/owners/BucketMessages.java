package io.volute.server.cluster.owners;

import io.volute.adminapi.AdminJson;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The JSON of calls about buckets, and of their results. Each message between owners has a version
 * beside its fields.
 */
final class BucketMessages {
    private static final String VERSION = "version";
    private static final int PRESENT = 1;

    private BucketMessages() {}

    /**
     * A bucket to create.
     *
     * @param documents by the names of the constants of {@link BucketDocument}
     */
    record Creation(
            String cube,
            CallerText caller,
            String name,
            boolean locking,
            Map<String, String> documents) {
        static Creation of(
                String cube,
                Caller caller,
                BucketName name,
                boolean locking,
                Map<BucketDocument, String> documents) {
            Map<String, String> texts = new TreeMap<>();
            documents.forEach((document, text) -> texts.put(document.name(), text));
            return new Creation(cube, CallerText.of(caller), name.value(), locking, texts);
        }

        Map<BucketDocument, String> byDocument() {
            Map<BucketDocument, String> all = new EnumMap<>(BucketDocument.class);
            documents.forEach((document, text) -> all.put(BucketDocument.valueOf(document), text));
            return all;
        }
    }

    /**
     * A bucket to delete.
     *
     * @param id empty for whichever bucket has the name
     */
    record Deletion(String cube, CallerText caller, String name, Optional<Long> id) {
        static Deletion of(String cube, Caller caller, BucketRef bucket) {
            Optional<Long> id =
                    switch (bucket) {
                        case BucketInfo info -> Optional.of(info.id());
                        case BucketName any -> Optional.empty();
                    };
            return new Deletion(cube, CallerText.of(caller), bucket.name().value(), id);
        }
    }

    /**
     * A page of the buckets of a cube that is wanted.
     *
     * @param after name of the last bucket of the page before; empty for the first page
     */
    record Listing(String cube, String after) {}

    /**
     * A page of the buckets of a cube, by name.
     *
     * @param more whether there is another page behind it
     */
    record Page(List<Bucket> buckets, boolean more) {}

    /** A bucket without its access settings, hidden fields, lock, resolution and documents. */
    record Bucket(
            long id,
            String name,
            String owner,
            Instant created,
            String versioning,
            String history) {
        static Bucket of(BucketInfo bucket) {
            return new Bucket(
                    bucket.id(),
                    bucket.name().value(),
                    bucket.owner(),
                    bucket.created(),
                    bucket.versioning().name(),
                    bucket.history().text());
        }

        BucketInfo info() {
            return new BucketInfo(
                    id,
                    new BucketName(name),
                    owner,
                    created,
                    VersioningState.valueOf(versioning),
                    HistoryPolicy.parse(history));
        }
    }

    /** Encodes a message. */
    static byte[] encode(Record message) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put(VERSION, PRESENT);
        fields.putAll(AdminJson.fields(message));
        return AdminJson.write(fields);
    }

    /**
     * Decodes a message.
     *
     * @throws IOException when it has another version, or is no such message
     */
    static <T extends Record> T decode(byte[] message, Class<T> type) throws IOException {
        Map<String, Object> fields = AdminJson.fields(message);
        Object version = fields.get(VERSION);
        if (!Integer.valueOf(PRESENT).equals(version)) {
            throw new IOException(
                    "a message between nodes has version "
                            + version
                            + ", and only version "
                            + PRESENT
                            + " is known: run the same release on all nodes");
        }
        return AdminJson.as(fields, type);
    }
}
