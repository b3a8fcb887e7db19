package io.volute.server.s3.operation;

import io.volute.provenance.record.Attestation;
import io.volute.server.Limits;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpHead;
import io.volute.versioning.Caller;
import java.util.Optional;

/** On whose behalf requests run. */
public final class Callers {
    private static final int AGENT_CHARS_KEPT = 256;

    private Callers() {}

    /** The actor is named by the client, or is its session, or its key, address and program. */
    public static Caller of(HttpHead head, Verified verified) {
        Credential who = verified.credential();
        Optional<String> named = verified.headers().first("x-volute-actor");
        if (named.isPresent()) {
            if (named.get().isEmpty() || named.get().length() > Limits.ACTOR_CHARS_MAX) {
                throw S3Exception.invalidArgument(
                        "x-volute-actor", named.get(), "An actor's name has 1 to 128 characters.");
            }
            return new Caller(who.principal(), who.accessKey(), named.get(), statement(verified));
        }
        if (who.session().isPresent()) {
            String name = "session " + who.session().get().name();
            return new Caller(who.principal(), who.accessKey(), name, statement(verified));
        }
        String agent = verified.headers().first("user-agent").orElse("");
        return new Caller(
                who.principal(),
                who.accessKey(),
                head.remoteAddress()
                        + " "
                        + agent.substring(0, Math.min(agent.length(), AGENT_CHARS_KEPT)),
                statement(verified));
    }

    private static Optional<Attestation> statement(Verified verified) {
        return verified.headers().first(Statement.HEADER).map(Statement::parse);
    }
}
