package io.volute.server.admin;

import io.volute.versioning.Provenance;
import io.volute.versioning.StoreException;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.EntryField;
import io.volute.versioning.value.HiddenFields;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The routes of the settings that hide fields of the entries about a bucket's keys. Thread-safe.
 */
final class HidingRoutes {
    private static final String BUCKET = "bucket";
    private static final String ENCRYPT = "encrypt";
    private static final String COMMIT = "commit";
    private static final String INHERIT = "inherit";

    private static final Map<String, EntryField> FIELDS =
            HistoryDocument.words(EntryField.values());

    private final Supplier<Provenance> provenance;
    private final VersionedStore store;

    HidingRoutes(Supplier<Provenance> provenance, VersionedStore store) {
        this.provenance = provenance;
        this.store = store;
    }

    Map<String, Object> get(Arguments asked) {
        asked.only(BUCKET);
        return document(asked.neededBucket());
    }

    Map<String, Object> set(Arguments asked) throws IOException {
        asked.only(BUCKET, ENCRYPT, COMMIT, INHERIT);
        BucketName bucket = asked.neededBucket();
        Optional<HiddenFields> fields = fields(asked);
        Provenance ignored = provenance.get();
        store.settings().setHidden(bucket, fields);
        return document(bucket);
    }

    private static Optional<HiddenFields> fields(Arguments asked) {
        boolean isChosen = asked.has(ENCRYPT) || asked.has(COMMIT);
        if (asked.flag(INHERIT) == isChosen) {
            throw AdminException.badRequest(
                    "either inherit is true, or encrypt and commit name fields: a list without"
                            + " any hides nothing");
        }
        if (!isChosen) {
            return Optional.empty();
        }
        Set<EntryField> encrypted = asked.words(ENCRYPT, FIELDS);
        Set<EntryField> committed = asked.words(COMMIT, FIELDS);
        try {
            return Optional.of(new HiddenFields(encrypted, committed));
        } catch (IllegalArgumentException e) {
            throw AdminException.badRequest("encrypt and commit name the same field");
        }
    }

    private Map<String, Object> document(BucketName name) {
        Provenance chains = provenance.get();
        BucketInfo bucket = store.bucket(name).orElseThrow(() -> StoreException.noSuchBucket(name));
        HiddenFields fields = bucket.hidden().orElse(chains.confidentiality().fields());
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("bucket", name.value());
        document.put("inherited", bucket.hidden().isEmpty());
        ProvenanceDocument.addHidden(document, fields, chains);
        return document;
    }
}
