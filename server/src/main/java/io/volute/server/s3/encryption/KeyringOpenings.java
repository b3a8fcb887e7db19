package io.volute.server.s3.encryption;

import io.volute.server.encryption.DataKeys;
import io.volute.server.encryption.ObjectName;
import io.volute.versioning.Openings;
import io.volute.versioning.Openings.Opening;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import java.util.Optional;

/** The keyring of the server, as audits compare it with signed shreds. Thread-safe. */
public record KeyringOpenings(DataKeys keys) implements Openings {
    @Override
    public Optional<Opening> of(String bucket, ObjectKey key, ObjectAttributes attributes) {
        ObjectName name = new ObjectName(bucket, key.value());
        return StoredEncryption.of(attributes).map(each -> opening(name, each));
    }

    private Opening opening(ObjectName name, StoredEncryption encryption) {
        boolean isOfStore = encryption.mode() != StoredEncryption.Mode.CUSTOMER;
        return new Opening(
                name.leaf(encryption.key()), keys.keyring().fit(encryption.key(), name, isOfStore));
    }
}
