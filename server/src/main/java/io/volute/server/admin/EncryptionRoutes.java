package io.volute.server.admin;

import io.volute.adminapi.EncryptionApi.EncryptionKey;
import io.volute.adminapi.EncryptionApi.EncryptionKeys;
import io.volute.adminapi.EncryptionApi.Shredded;
import io.volute.server.encryption.Keyring;
import io.volute.server.encryption.ObjectName;
import io.volute.server.s3.encryption.StoredEncryption;
import io.volute.versioning.History;
import io.volute.versioning.History.Erasure;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The routes that show and rotate named keys, and destroy data keys. Thread-safe. */
final class EncryptionRoutes {
    private final History history;
    private final Optional<Keyring> keyring;

    EncryptionRoutes(History history, Optional<Keyring> keyring) {
        this.history = history;
        this.keyring = keyring;
    }

    private Keyring keyring() {
        return keyring.orElseThrow(
                () ->
                        new AdminException(
                                409,
                                "NoKeyring",
                                "the store has no master key, so nothing is encrypted: set"
                                        + " master-key.file or a passphrase, and start it again"));
    }

    EncryptionKeys keys() {
        List<EncryptionKey> keys = new ArrayList<>();
        keyring().names().forEach((name, version) -> keys.add(new EncryptionKey(name, version)));
        return new EncryptionKeys(keys);
    }

    EncryptionKey rotate(Arguments asked) throws IOException {
        String name = asked.neededText("name");
        if (!keyring().has(name)) {
            throw new AdminException(
                    404,
                    "NoSuchEncryptionKey",
                    "there is no named key \""
                            + name
                            + "\": GET /_volute/v1/encryption/keys has all; encryption.keys makes"
                            + " new ones");
        }
        return new EncryptionKey(name, keyring().rotate(name));
    }

    Shredded shred(Caller caller, Arguments asked) throws IOException {
        BucketName bucket = asked.neededBucket();
        ObjectKey key = asked.key();
        ObjectName name = new ObjectName(bucket.value(), key.value());
        Erasure erasure =
                new Erasure() {
                    @Override
                    public boolean covers(ObjectAttributes state) {
                        return StoredEncryption.of(state).isPresent();
                    }

                    @Override
                    public void run() throws IOException {
                        keyring().shred(List.of(name));
                    }
                };
        int states = history.shred(caller, bucket, key, erasure);
        return new Shredded(bucket.value(), key.value(), states);
    }
}
