package io.volute.server.identity;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.SealedSecret;
import io.volute.server.json.Json;
import io.volute.storage.heap.WeighedCache;
import io.volute.versioning.Identities;
import io.volute.versioning.Identities.Identity;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads and writes the rows of identities, and seals the secrets in them. A weighed cache has the
 * rows that are in use. Thread-safe for readers.
 */
final class IdentityRows implements IdentityTable.Rows {
    /** Heap bytes of the rows that are kept. The longest fits many times. */
    static final long CACHE_BYTES = 32L << 20;

    private static final String PURPOSE = "secret-key";

    /** Heap bytes of an identity besides those for its content, and for each of these bytes. */
    private static final int ROW_BYTES = 1024;

    private static final int CONTENT_WEIGHT = 8;

    private final Identities rows;
    private final MasterKey master;
    private final SecureRandom random;
    private final InstantSource clock;
    private final WeighedCache<IdentityStub, Optional<Record>> read =
            new WeighedCache<>(
                    CACHE_BYTES, (stub, row) -> ROW_BYTES + (long) CONTENT_WEIGHT * stub.bytes());

    /** True from the sight of a change of another server until all is read. */
    private boolean isStale;

    IdentityRows(Identities rows, MasterKey master, SecureRandom random, InstantSource clock) {
        this.rows = rows;
        this.master = master;
        this.random = random;
        this.clock = clock;
    }

    Instant now() {
        return clock.instant();
    }

    /** Returns a new holder with a unique id, which is not stored yet. */
    Holder newHolder(
            Holder.Kind kind, String name, Optional<String> trust, IdentityDetails details) {
        String id = SecretGenerator.name(kind.idPrefix(), random);
        return Holder.of(kind, name, id, now(), trust, details);
    }

    /** Returns a new user without details. */
    Holder newUser(String name) {
        return newHolder(Holder.Kind.USER, name, Optional.empty(), IdentityDetails.NONE);
    }

    /** Returns a new policy without a document. */
    ManagedPolicy newPolicy(String name) {
        return new ManagedPolicy(name, now(), now(), 0, "", IdentityDetails.NONE);
    }

    /** Returns a new key of a user, which is not stored yet. */
    UserKey newKey(String user) {
        String accessKey = SecretGenerator.name("VU", random);
        String secret = SecretGenerator.secret(random);
        Bytes box = SealedSecret.seal(PURPOSE, accessKey, Bytes.of(secret), master, random);
        String sealed = Base64.getEncoder().encodeToString(box.toArray());
        return new UserKey(accessKey, user, now(), true, 0, secret, sealed);
    }

    /** Returns whether another server has changed rows since they were read. */
    boolean isStale() {
        isStale |= rows.follow();
        return isStale;
    }

    /** Reads all rows, so that one which cannot be used is found at the start. */
    IdentityTable read() throws IOException {
        IdentityTable.Builder table = new IdentityTable.Builder();
        rows.visit(
                row -> {
                    switch (decoded(row)) {
                        case UserKey key -> table.add(row, key.user());
                        case Holder holder -> {
                            table.add(row, "");
                            if (holder.kind() == Holder.Kind.GROUP) {
                                table.join(holder.name(), holder.members());
                            }
                        }
                        default -> table.add(row, "");
                    }
                });
        isStale = false;
        return table.build(this);
    }

    private Record decoded(Identity row) throws IOException {
        return switch (row.kind()) {
            case IdentityJson.POLICY -> IdentityJson.policy(row);
            case IdentityJson.KEY -> key(row);
            default -> IdentityJson.holder(row);
        };
    }

    @Override
    public Optional<Holder> holder(IdentityStub stub) {
        return row(stub).map(Holder.class::cast);
    }

    @Override
    public Optional<ManagedPolicy> policy(IdentityStub stub) {
        return row(stub).map(ManagedPolicy.class::cast);
    }

    @Override
    public Optional<UserKey> key(IdentityStub stub) {
        return row(stub).map(UserKey.class::cast);
    }

    private Optional<Record> row(IdentityStub stub) {
        try {
            return read.get(
                    stub,
                    missing -> {
                        Optional<Identity> row = rows.find(missing.kind(), missing.name());
                        return row.isEmpty()
                                ? Optional.<Record>empty()
                                : Optional.of(decoded(row.get()));
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private UserKey key(Identity row) throws IOException {
        Map<String, Object> content = Json.read(row.content());
        try {
            Bytes sealed = Bytes.of(Base64.getDecoder().decode((String) content.get("sealed")));
            Bytes secret = SealedSecret.open(PURPOSE, row.name(), sealed, master);
            return IdentityJson.key(row, content, secret.text());
        } catch (RefusedException e) {
            throw new IOException(
                    "the access keys of the users cannot be used: "
                            + e.getMessage()
                            + ". Put back the master key that belongs to this store"
                            + " (provenance.master-key)",
                    e);
        }
    }

    /** Commits a change with its record. */
    void write(Caller who, String deed, String subject, String detail, Change change)
            throws IOException {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("time", Instant.ofEpochMilli(clock.millis()).toString());
        told.put("principal", who.principal());
        told.put("accessKey", who.accessKey());
        told.put("actor", who.actor().text());
        told.put("deed", deed);
        told.put("subject", subject);
        told.put("detail", detail);
        rows.change(change.written(), change.removed(), Json.write(told));
    }

    /** Returns the recorded changes, oldest first. */
    List<Identities.IdentityChange> changes(long after, int max) throws IOException {
        return rows.changes(after, max);
    }
}
