package io.volute.versioning;

import io.volute.provenance.record.Attestation;
import java.util.Optional;

/**
 * On whose behalf a request runs.
 *
 * @param principal the account that owns what the request makes
 * @param accessKey with which the request was signed; empty for one that was not
 * @param actor who acts, in the words of causality, among those with this access key: a session, a
 *     name that the client gave, or its address and program
 * @param statement the principal's own signature under the one change that the call makes
 */
public record Caller(
        String principal, String accessKey, String actor, Optional<Attestation> statement) {
    /** One who signs nothing himself. */
    public Caller(String principal, String accessKey, String actor) {
        this(principal, accessKey, actor, Optional.empty());
    }

    /** The same for another account. */
    public Caller as(String account) {
        return new Caller(account, accessKey, actor, statement);
    }
}
