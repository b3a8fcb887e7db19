package io.volute.server.admin;

import io.volute.adminapi.AuditApi.Hidden;
import io.volute.adminapi.Words;
import io.volute.provenance.keys.KeyRole;
import io.volute.versioning.Provenance;
import io.volute.versioning.StoreException;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.EntryField;
import io.volute.versioning.value.HiddenFields;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The routes of the settings that hide fields of the entries about a bucket's keys. Thread-safe.
 */
final class HidingRoutes {
    private static final String ENCRYPT = "encrypt";
    private static final String COMMIT = "commit";
    private static final String INHERIT = "inherit";

    private static final Map<String, EntryField> FIELDS = Words.constants(EntryField.values());

    private final Supplier<Provenance> provenance;
    private final VersionedStore store;

    HidingRoutes(Supplier<Provenance> provenance, VersionedStore store) {
        this.provenance = provenance;
        this.store = store;
    }

    Hidden get(Arguments asked) {
        return document(asked.neededBucket());
    }

    Hidden set(Arguments asked) throws IOException {
        BucketRef bucket = asked.neededRef();
        Optional<HiddenFields> fields = fields(asked);
        Provenance ignored = provenance.get();
        store.settings().setHidden(bucket, fields);
        return document(bucket.name());
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

    private Hidden document(BucketName name) {
        Provenance chains = provenance.get();
        BucketInfo bucket = store.bucket(name).orElseThrow(() -> StoreException.noSuchBucket(name));
        HiddenFields fields = bucket.hidden().orElse(chains.confidentiality().fields());
        return new Hidden(
                name.value(),
                bucket.hidden().isEmpty(),
                names(fields.encrypted()),
                names(fields.committed()),
                chains.confidentiality().needed(),
                hasEnoughAuditors(chains));
    }

    static List<String> names(Set<EntryField> fields) {
        return fields.stream().map(EntryField::text).sorted().toList();
    }

    /** Returns whether there are as many auditors as must read together. */
    static boolean hasEnoughAuditors(Provenance chains) {
        return chains.keys().open(KeyRole.AUDITOR).size() >= chains.confidentiality().needed();
    }
}
