package io.volute.versioning;

import io.volute.provenance.record.Attestation;
import java.util.Optional;

/**
 * On whose behalf a request runs.
 *
 * @param principal the account that owns what the request makes
 * @param accessKey with which the request was signed; empty for one that was not
 * @param parent the lasting access key that began the session; empty when there is no session
 * @param actor the acting client among those with this access key
 * @param statement the principal's own signature under the one change that the call makes
 */
public record Caller(
        String principal,
        String accessKey,
        Optional<Parent> parent,
        ActorName actor,
        Optional<Attestation> statement) {

    /**
     * The lasting access key that began a session.
     *
     * @param principal its user, who may have assumed a role with it
     */
    public record Parent(String principal, String accessKey) {}

    /** A caller without session that signs nothing itself. */
    public Caller(String principal, String accessKey, String actor) {
        this(principal, accessKey, actor, Optional.empty());
    }

    public Caller(
            String principal, String accessKey, String actor, Optional<Attestation> statement) {
        this(principal, accessKey, Optional.empty(), ActorName.of(actor), statement);
    }

    /** The same for another account. */
    public Caller as(String account) {
        return new Caller(account, accessKey, parent, actor, statement);
    }
}
