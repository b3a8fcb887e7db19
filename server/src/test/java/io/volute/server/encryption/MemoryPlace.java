package io.volute.server.encryption;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.MasterKey;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Optional;

/** The place of a keyring in memory. */
public final class MemoryPlace implements Keyring.Place {
    private Optional<Bytes> sealed = Optional.empty();
    private boolean isFull;

    /** A new keyring in memory. */
    public static Keyring keyring() {
        try {
            return Keyring.open(new MemoryPlace(), master(), new SecureRandom());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A new keyring in memory, without a key service. */
    public static DataKeys dataKeys() {
        return new DataKeys(keyring(), Optional.empty());
    }

    static MasterKey master() throws IOException {
        return MasterKey.create(new SecureRandom(), text -> {});
    }

    /** Lets each replacement fail from now on. */
    void fill() {
        isFull = true;
    }

    Bytes sealed() {
        return sealed.orElseThrow();
    }

    void set(Bytes other) {
        sealed = Optional.of(other);
    }

    @Override
    public Optional<Bytes> load() {
        return sealed;
    }

    @Override
    public void replace(Bytes next) throws IOException {
        if (isFull) {
            throw new IOException("the disk is full");
        }
        sealed = Optional.of(next);
    }
}
