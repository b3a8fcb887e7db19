package io.volute.server.s3.call;

import io.volute.server.Limits;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.credentials.Credential;
import io.volute.server.json.VisibleText;
import io.volute.server.s3.acl.ObjectOwnership;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpHead;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.ActorName.Kind;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.Caller.Parent;
import java.util.Arrays;
import java.util.Optional;

/** Determines the callers on whose behalf requests run. */
public final class Callers {
    private static final int AGENT_CHARS_KEPT = 256;
    private static final String APPLICATION = "app/";

    private Callers() {}

    /** Returns the caller of a request that makes no objects. */
    public static Caller of(HttpHead head, Verified verified) {
        return of(head, verified, Optional.empty(), "");
    }

    /**
     * Returns the caller of a request. Its actor is called by the name that the client chose, or
     * else by its session, or else by its program. The client's address and access key belong to
     * the actor in each case.
     *
     * @param bucket in which the request makes objects; empty when there is none
     * @param operation of S3; empty for another request
     */
    public static Caller of(
            HttpHead head, Verified verified, Optional<BucketInfo> bucket, String operation) {
        Credential who = verified.credential();
        return new Caller(
                who.principal(),
                bucket.map(info -> ObjectOwnership.of(info).ofNew(info, who, verified.headers()))
                        .orElse(who.principal()),
                who.accessKey(),
                who.session().map(session -> new Parent(session.user(), session.parent())),
                actor(head, verified),
                verified.headers().first(Statement.HEADER).map(Statement::parse),
                operation.isEmpty()
                        ? Optional.empty()
                        : Optional.of(new Caller.Request(head.requestId(), operation)));
    }

    private static ActorName actor(HttpHead head, Verified verified) {
        String address = head.remoteAddress();
        Optional<String> chosen = verified.headers().first("x-volute-actor");
        if (chosen.isPresent()) {
            String name = chosen.get();
            if (name.isEmpty() || name.length() > Limits.ACTOR_CHARS_MAX) {
                throw S3Exception.invalidArgument(
                        "x-volute-actor", name, "An actor's name has 1 to 128 characters.");
            }
            return new ActorName(Kind.CHOSEN, name, address);
        }
        return verified.credential()
                .session()
                .map(session -> new ActorName(Kind.SESSION, session.name(), address))
                .orElseGet(
                        () ->
                                new ActorName(
                                        Kind.PROGRAM,
                                        program(verified.headers().first("user-agent")),
                                        address));
    }

    /**
     * Returns the program that a client names: the product, and the application that an SDK was
     * configured with. The rest differs between requests of one program, because SDKs list the
     * features in use. With it, one program would be several actors, which read from each other.
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
}
