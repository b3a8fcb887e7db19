package io.volute.provenance.secrecy;

import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.Field;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * The key of one entry's confidential fields; never used for another entry. Says nothing of itself
 * in {@link #toString()}.
 */
public final class SessionKey {
    /** Name of the principal's field. */
    public static final String PRINCIPAL = Entry.PRINCIPAL;

    private final Bytes secret;
    private final Place place;

    SessionKey(Bytes secret, Place place) {
        this.secret = secret;
        this.place = place;
    }

    public static SessionKey generate(Place place, SecureRandom random) {
        byte[] secret = new byte[Aead.KEY_BYTES];
        random.nextBytes(secret);
        return new SessionKey(Bytes.of(secret), place);
    }

    /** Name of a detail's field. */
    public static String detail(String name) {
        return "detail/" + name;
    }

    /**
     * Name of a field.
     *
     * @param index in {@link Entry#fields()}
     */
    public static String ofField(Entry entry, int index) {
        return index == 0 ? PRINCIPAL : detail(entry.fieldNames().get(index));
    }

    Bytes secret() {
        return secret;
    }

    Place place() {
        return place;
    }

    /** Each name at most once: the key of a field is used for one text. */
    public Field encrypt(String name, Bytes plain) {
        return new Field(Field.Form.ENCRYPTED, Aead.encrypt(key(name), plain));
    }

    /** Empty when it is not encrypted, or not with this key, for this field and place. */
    public Optional<Bytes> decrypt(String name, Field field) {
        return switch (field.form()) {
            case ENCRYPTED -> Aead.decrypt(key(name), field.value());
            case ABSENT, PLAIN, COMMITMENT -> Optional.empty();
        };
    }

    private byte[] key(String name) {
        ByteWriter info = new ByteWriter().raw(Domain.prefix("field")).raw(Bytes.of(name)).u8(0);
        place.encode(info);
        return Aead.derive(secret.toArray(), null, info.toBytes());
    }

    @Override
    public String toString() {
        return "session key of entry " + place.sequence();
    }
}
