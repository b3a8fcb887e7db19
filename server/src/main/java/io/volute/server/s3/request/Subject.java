package io.volute.server.s3.request;

import io.volute.server.credentials.Credential;
import io.volute.server.s3.request.S3Response.About;
import java.util.function.Consumer;

/**
 * What is found out about a request while it is answered, for logs and metrics. Confined to the
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

    /** What is asked for. */
    public void operation(String name) {
        operation = name;
    }

    /** Who asks, verified. */
    public void asker(Credential who) {
        user = who.principal();
        accessKey = who.accessKey();
        session = who.session().map(Credential.Session::name).orElse("");
    }

    /** What it is about. */
    public void target(Target target) {
        bucket = target.bucket();
        key = target.key();
    }

    /** All of that. */
    public About about() {
        return new About(operation, user, accessKey, session, bucket, key, "");
    }

    /**
     * Who wants to know how it ends, before the answer goes out.
     *
     * @param listener is told the code of the error; empty when there was none
     */
    public void whenEnded(Consumer<String> listener) {
        ended = listener;
    }

    /** The answer, which says what it answers. */
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
