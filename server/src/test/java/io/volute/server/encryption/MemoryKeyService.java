package io.volute.server.encryption;

import io.volute.provenance.format.Bytes;
import io.volute.server.encryption.KeyServiceException.Kind;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** A key service in memory that tests can stop. */
public final class MemoryKeyService implements KeyService {
    private final SortedSet<String> names;
    private final Map<String, Bytes> texts = new HashMap<>();
    private Optional<Kind> failure = Optional.empty();
    private int calls;

    public MemoryKeyService(String... names) {
        this.names = new TreeSet<>(Arrays.asList(names));
    }

    /** Lets each call fail from now on, or none. */
    public void fail(Optional<Kind> kind) {
        failure = kind;
    }

    /** Returns the number of calls so far. */
    public int calls() {
        return calls;
    }

    @Override
    public SortedSet<String> names() {
        return names;
    }

    @Override
    public Encrypted encrypt(String name, Bytes plain) throws KeyServiceException {
        call();
        String text = "memory:v1:" + texts.size();
        texts.put(name + " " + text, plain);
        return new Encrypted(1, text);
    }

    @Override
    public Bytes decrypt(String name, String ciphertext) throws KeyServiceException {
        call();
        Bytes plain = texts.get(name + " " + ciphertext);
        if (plain == null) {
            throw new KeyServiceException(Kind.REFUSED, "another key encrypted it");
        }
        return plain;
    }

    private void call() throws KeyServiceException {
        calls++;
        if (failure.isPresent()) {
            throw new KeyServiceException(failure.get(), "as the test wants");
        }
    }

    @Override
    public State state() {
        return new State("memory", failure.map(Kind::name), calls, 0, 0);
    }
}
