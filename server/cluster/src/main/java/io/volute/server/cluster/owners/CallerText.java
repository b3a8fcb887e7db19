package io.volute.server.cluster.owners;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.Attestation;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.Caller;
import java.util.Optional;

/**
 * A caller as JSON in a call between nodes, with all its fields. Enums are texts with the name of
 * the constant.
 */
record CallerText(
        String principal,
        String owner,
        String accessKey,
        Optional<Parent> parent,
        Actor actor,
        Optional<Statement> statement,
        Optional<Request> request) {

    record Parent(String principal, String accessKey) {}

    record Actor(String kind, String name, String address) {}

    record Request(String id, String operation) {}

    /**
     * The signature of a principal.
     *
     * @param key id of the key, in hexadecimal, as nonce and signature
     */
    record Statement(
            String by, String algorithm, String key, long time, String nonce, String signature) {
        static Statement of(Attestation statement) {
            return new Statement(
                    statement.by().name(),
                    statement.signer().algorithm().name(),
                    statement.signer().keyId().hex(),
                    statement.timeMillis(),
                    statement.nonce().hex(),
                    statement.signature().hex());
        }

        Attestation attestation() {
            return new Attestation(
                    Attestation.By.valueOf(by),
                    new SignerId(SignatureAlgorithm.valueOf(algorithm), Hash.ofHex(key)),
                    time,
                    Bytes.ofHex(nonce),
                    Bytes.ofHex(signature));
        }
    }

    static CallerText of(Caller caller) {
        ActorName actor = caller.actor();
        return new CallerText(
                caller.principal(),
                caller.owner(),
                caller.accessKey(),
                caller.parent().map(each -> new Parent(each.principal(), each.accessKey())),
                new Actor(actor.kind().name(), actor.name(), actor.address()),
                caller.statement().map(Statement::of),
                caller.request().map(each -> new Request(each.id(), each.operation())));
    }

    /**
     * Returns the caller.
     *
     * @throws IllegalArgumentException when a field has a value of another release
     */
    Caller caller() {
        return new Caller(
                principal,
                owner,
                accessKey,
                parent.map(each -> new Caller.Parent(each.principal(), each.accessKey())),
                new ActorName(ActorName.Kind.valueOf(actor.kind()), actor.name(), actor.address()),
                statement.map(Statement::attestation),
                request.map(each -> new Caller.Request(each.id(), each.operation())));
    }
}
