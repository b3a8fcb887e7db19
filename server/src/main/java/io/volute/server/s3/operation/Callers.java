package io.volute.server.s3.operation;

import io.volute.provenance.record.Attestation;
import io.volute.server.Limits;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.credentials.Credential;
import io.volute.server.json.VisibleText;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpHead;
import io.volute.versioning.Caller;
import java.util.Arrays;
import java.util.Optional;

/** On whose behalf requests run. */
public final class Callers {
    private static final int AGENT_CHARS_KEPT = 256;
    private static final String APPLICATION = "app/";

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
        return new Caller(
                who.principal(),
                who.accessKey(),
                head.remoteAddress() + " " + program(verified.headers().first("user-agent")),
                statement(verified));
    }

    /**
     * The program that a client says it is: the product, and the application that an SDK was told
     * of. The rest changes from one request of a program to the next (SDKs tell which of their
     * features are used): it would make one actor that reads of another that writes.
     */
    static String program(Optional<String> userAgent) {
        String[] words = userAgent.orElse("").strip().split("\\s+");
        String application =
                Arrays.stream(words)
                        .skip(1)
                        .filter(word -> word.startsWith(APPLICATION))
                        .findFirst()
                        .map(word -> " " + word)
                        .orElse("");
        return VisibleText.cut(words[0] + application, AGENT_CHARS_KEPT);
    }

    private static Optional<Attestation> statement(Verified verified) {
        return verified.headers().first(Statement.HEADER).map(Statement::parse);
    }
}
