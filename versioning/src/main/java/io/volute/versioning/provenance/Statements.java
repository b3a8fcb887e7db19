package io.volute.versioning.provenance;

import io.volute.provenance.chain.Event;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.record.Attestation;
import io.volute.provenance.record.ChainIdentity;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.value.Caller;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Accepts a principal's own signature under a change, once. It must be at most 15 minutes old, and
 * the nonces of that time are in memory. Signatures from before the start of the store are refused,
 * so older nonces are not needed. Thread-safe.
 */
final class Statements {
    /** Tolerated difference between the clocks of client and store. */
    static final Duration WINDOW = Duration.ofMinutes(15);

    /** Nonces of the window, with about 110 bytes of heap each. */
    private static final int NONCES_MAX = 1 << 18;

    private final StoreKeys keys;
    private final InstantSource clock;
    private final long opened;

    /** Time of each signature, by chain and nonce; approximately ascending. */
    private final LinkedHashMap<Used, Long> used = new LinkedHashMap<>();

    /** The first bytes of a hash over chain and nonce, which take less heap than these. */
    private record Used(long high, long low) {
        static Used of(Hash chainId, Bytes nonce) {
            MessageDigest digest = Hash.sha256();
            digest.update(chainId.toArray());
            ByteBuffer hash = ByteBuffer.wrap(digest.digest(nonce.toArray()));
            return new Used(hash.getLong(), hash.getLong());
        }
    }

    Statements(StoreKeys keys, InstantSource clock) {
        this.keys = keys;
        this.clock = clock;
        opened = clock.millis();
    }

    /**
     * Accepts a statement, for one commit.
     *
     * @return forgets it: to be run if the commit fails, so that the same signature can come again
     * @throws StoreException BAD_STATEMENT with the reason
     */
    Runnable accept(Caller caller, Attestation statement, ChainIdentity chain, Event event) {
        long now = clock.millis();
        requireRecent(statement.timeMillis(), now);
        KeyGrant grant =
                keys.list()
                        .find(statement.signer())
                        .filter(each -> each.role() == KeyRole.PRINCIPAL)
                        .filter(each -> each.isValidAt(event.commitSequence()))
                        .orElseThrow(() -> bad("its key is not registered, or has ended"));
        if (!grant.owner().equals(caller.principal())) {
            throw bad("its key belongs to another principal than the signer of the request");
        }
        Bytes signed =
                Attestation.statement(
                        chain,
                        event.kind(),
                        event.content(),
                        statement.signer(),
                        statement.timeMillis(),
                        statement.nonce());
        if (!grant.key().verifies(Domain.STATEMENT_SIGNATURE, signed, statement.signature())) {
            throw bad(
                    "it is not over kind "
                            + event.kind().code()
                            + ", content "
                            + event.content().map(Hash::hex).orElse("none")
                            + " of this bucket and key");
        }
        Used nonce = Used.of(chain.chainId(), statement.nonce());
        remember(nonce, statement.timeMillis(), now);
        return () -> forget(nonce);
    }

    private void requireRecent(long signed, long now) {
        if (Math.abs(now - signed) > WINDOW.toMillis()) {
            throw bad("its time differs by more than 15 minutes from the clock of the server");
        }
        if (signed < opened) {
            throw bad("it was signed before the server was started: sign it again");
        }
    }

    private synchronized void remember(Used statement, long signed, long now) {
        long forgotten = now - WINDOW.toMillis();
        for (var oldest = used.firstEntry();
                oldest != null && oldest.getValue() < forgotten;
                oldest = used.firstEntry()) {
            Map.Entry<Used, Long> gone = used.pollFirstEntry();
            assert gone != null;
        }
        if (used.size() >= NONCES_MAX) {
            throw bad("too many signatures in the last 15 minutes: try again in a few minutes");
        }
        if (used.putIfAbsent(statement, signed) != null) {
            throw bad("its nonce was used before: sign again with another one");
        }
    }

    private synchronized void forget(Used statement) {
        used.remove(statement);
    }

    static StoreException bad(String why) {
        return new StoreException(
                Reason.BAD_STATEMENT, "x-volute-signature is not accepted: " + why);
    }
}
