package io.volute.server.s3.request;

import io.volute.server.credentials.Credential;
import io.volute.server.s3.request.S3Response.About;
import java.util.function.Consumer;

/**
 * Collects the facts about a request while it is answered, for logs and metrics. Confined to the
 * thread of the request.
 */
public final class Subject {
    private String operation = "";
    private String user = "";
    private String accessKey = "";
    private String session = "";
    private String bucket = "";
    private String key = "";
    private Consumer<String> ended = code -> {};

    /** Sets the requested operation. */
    public void operation(String name) {
        operation = name;
    }

    /** Returns the requested operation; empty when it is not known yet. */
    public String operation() {
        return operation;
    }

    /** Sets the verified caller. */
    public void asker(Credential who) {
        user = who.principal();
        accessKey = who.accessKey();
        session = who.session().map(Credential.Session::name).orElse("");
    }

    /** Sets the bucket and key of the request. */
    public void target(Target target) {
        bucket = target.bucket();
        key = target.key();
    }

    /** Returns the target; without a bucket when it is not known. */
    public Target target() {
        return new Target(bucket, key);
    }

    /** Returns the facts so far, without an error code. */
    public About about() {
        return new About(operation, user, accessKey, session, bucket, key, "");
    }

    /**
     * Sets the listener that is called when the request ends, before the answer goes out; replaces
     * the last.
     *
     * @param listener receives the code of the error; empty when there was none
     */
    public void whenEnded(Consumer<String> listener) {
        ended = listener;
    }

    /** Returns a successful answer with the facts about its request. */
    public S3Response answered(S3Response answer) {
        return failed(answer, "");
    }

    /**
     * The answer of a request that failed, likewise.
     *
     * @param code of the error
     */
    public S3Response failed(S3Response answer, String code) {
        Consumer<String> once = ended;
        ended = ignored -> {};
        once.accept(code);
        return answer.with(about().failing(code));
    }
}
