package io.volute.server.admin;

import io.volute.adminapi.EncryptionApi.EncryptionKey;
import io.volute.adminapi.EncryptionApi.EncryptionKeys;
import io.volute.adminapi.EncryptionApi.KeyServiceState;
import io.volute.adminapi.EncryptionApi.Shredded;
import io.volute.server.encryption.DataKeys;
import io.volute.server.encryption.KeyService;
import io.volute.server.encryption.Keyring;
import io.volute.server.encryption.KeyringPlace.UnconfirmedException;
import io.volute.server.encryption.ObjectName;
import io.volute.server.encryption.WrappedKey;
import io.volute.server.s3.encryption.StoredEncryption;
import io.volute.versioning.History;
import io.volute.versioning.History.Erasure;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/** The routes that show and rotate named keys, and destroy data keys. Thread-safe. */
final class EncryptionRoutes {
    private final History history;
    private final Optional<DataKeys> dataKeys;

    EncryptionRoutes(History history, Optional<DataKeys> dataKeys) {
        this.history = history;
        this.dataKeys = dataKeys;
    }

    private Keyring keyring() {
        return dataKeys().keyring();
    }

    private DataKeys dataKeys() {
        return dataKeys.orElseThrow(
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
        return new EncryptionKeys(keys, dataKeys().service().map(EncryptionRoutes::service));
    }

    private static KeyServiceState service(KeyService service) {
        KeyService.State state = service.state();
        return new KeyServiceState(state.address(), List.copyOf(service.names()), state.failure());
    }

    EncryptionKey rotate(Arguments asked) throws IOException {
        String name = asked.neededText("name");
        boolean isOfService =
                dataKeys().service().filter(each -> each.names().contains(name)).isPresent();
        if (isOfService) {
            throw new AdminException(
                    409,
                    "KeyOfService",
                    "the key service has \""
                            + name
                            + "\": rotate it there; new objects then use its new version");
        }
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
        BucketRef bucket = asked.neededRef();
        ObjectKey key = asked.key();
        ObjectName name = new ObjectName(bucket.name().value(), key.value());
        Erasure erasure =
                new Erasure() {
                    @Override
                    public boolean covers(ObjectAttributes state) {
                        return StoredEncryption.of(state).isPresent();
                    }

                    @Override
                    public SortedSet<Long> run(List<ObjectAttributes> states) throws IOException {
                        return shred(name, states);
                    }
                };
        int states = history.shred(caller, bucket, key, erasure);
        return new Shredded(bucket.name().value(), key.value(), states);
    }

    private SortedSet<Long> shred(ObjectName name, List<ObjectAttributes> states)
            throws IOException {
        List<WrappedKey> dataKeys =
                states.stream()
                        .flatMap(state -> StoredEncryption.of(state).stream())
                        .map(StoredEncryption::key)
                        .toList();
        try {
            return keyring().shred(name, dataKeys);
        } catch (UnconfirmedException e) {
            throw new AdminException(503, "ErasureUnconfirmed", e.getMessage());
        }
    }
}
