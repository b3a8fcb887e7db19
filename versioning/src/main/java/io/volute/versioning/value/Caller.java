package io.volute.versioning.value;

import io.volute.provenance.record.Attestation;
import java.util.Optional;

/**
 * The origin of a request: account, access key and client.
 *
 * @param principal the account that acts
 * @param owner the account that owns the objects which the request creates
 * @param accessKey the access key that signed the request; empty for an anonymous one
 * @param parent the lasting access key that began the session; empty when there is no session
 * @param actor the client among those with this access key
 * @param statement the principal's own signature under the single change of the call
 * @param request the request of S3; empty for a task of the server
 */
public record Caller(
        String principal,
        String owner,
        String accessKey,
        Optional<Parent> parent,
        ActorName actor,
        Optional<Attestation> statement,
        Optional<Request> request) {

    /**
     * A request of S3.
     *
     * @param id unique
     * @param operation its name in S3, such as {@code PutObject}
     */
    public record Request(String id, String operation) {}

    /**
     * The lasting access key that began a session.
     *
     * @param principal its user, who may have assumed a role with it
     * @param accessKey not empty: rows write none as an empty one
     */
    public record Parent(String principal, String accessKey) {
        public Parent {
            if (accessKey.isEmpty()) {
                throw new IllegalArgumentException("a parent has an access key");
            }
        }
    }

    /** Creates a caller that owns what it creates. */
    public Caller(
            String principal,
            String accessKey,
            Optional<Parent> parent,
            ActorName actor,
            Optional<Attestation> statement) {
        this(principal, principal, accessKey, parent, actor, statement, Optional.empty());
    }

    /** Creates a caller without a session and without a signature of its own. */
    public Caller(String principal, String accessKey, String actor) {
        this(principal, accessKey, actor, Optional.empty());
    }

    public Caller(
            String principal, String accessKey, String actor, Optional<Attestation> statement) {
        this(principal, accessKey, Optional.empty(), ActorName.of(actor), statement);
    }

    /**
     * Returns a task of the server that acts for an account.
     *
     * @param name names its actor in the history
     */
    public static Caller ofTask(String account, String name) {
        ActorName task = new ActorName(ActorName.Kind.SERVER, name, "");
        return new Caller(account, "", Optional.empty(), task, Optional.empty());
    }

    /** Returns the same caller for another account. */
    public Caller as(String account) {
        return new Caller(account, account, accessKey, parent, actor, statement, request);
    }

    /** Returns the same caller, whose objects another account owns. */
    public Caller owning(String account) {
        return account.equals(owner)
                ? this
                : new Caller(principal, account, accessKey, parent, actor, statement, request);
    }
}
