package io.volute.server.encryption;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.MasterKey;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.OptionalInt;

/** The place of a keyring in memory. */
public final class MemoryPlace implements KeyringPlace {
    private Optional<Bytes> sealed = Optional.empty();
    private int version = ABSENT;
    private boolean isFull;
    private Optional<String> owner = Optional.empty();

    /** A new keyring in memory. */
    public static Keyring keyring() {
        return new MemoryPlace().open();
    }

    /** Opens the keyring that is here, with a new master key. */
    public Keyring open() {
        try {
            return Keyring.open(this, master(), new SecureRandom());
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
        version++;
    }

    synchronized void lose() {
        sealed = Optional.empty();
        version = ABSENT;
    }

    @Override
    public synchronized Optional<Stored> load() {
        return sealed.map(bytes -> new Stored(bytes, version));
    }

    @Override
    public synchronized boolean isNewest(int known) {
        return known == version;
    }

    @Override
    public synchronized OptionalInt replace(Bytes next, int known) throws IOException {
        if (isFull) {
            throw new IOException("the disk is full");
        }
        if (known != version) {
            return OptionalInt.empty();
        }
        sealed = Optional.of(next);
        return OptionalInt.of(++version);
    }

    /** Lets another owner not answer; empty if it does. */
    public void awaitOwner(Optional<String> name) {
        owner = name;
    }

    @Override
    public void awaitLoaded(int loaded) throws UnconfirmedException {
        if (owner.isPresent()) {
            throw new UnconfirmedException(owner.get() + " may have the keys in memory");
        }
    }
}
