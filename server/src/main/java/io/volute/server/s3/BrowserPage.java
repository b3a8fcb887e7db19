package io.volute.server.s3;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response;
import java.nio.charset.StandardCharsets;

/**
 * The page for a person who opens the address of the server in a browser. It has the status and the
 * headers of the refusal that a program gets, runs nothing, and repeats nothing of the request.
 */
final class BrowserPage {
    private static final byte[] PAGE =
            """
            <!DOCTYPE html>
            <html lang="en">
            <head><meta charset="utf-8"><title>Volute</title></head>
            <body>
            <h1>Volute</h1>
            <p>This is an object store. It speaks the protocol of Amazon S3, which a browser cannot
            sign, so there is nothing to see here.</p>
            <ul>
            <li>To work with buckets and objects, give this address to an S3 client, such as
            <code>aws --endpoint-url ADDRESS s3 ls</code>, with an access key of this server.</li>
            <li>To see how the server is, open the status page at the address of its setting
            <code>metrics.listen</code>, or run <code>volute health</code>.</li>
            <li>To operate it, run <code>volute help</code>. The directory <code>docs</code> of the
            program has the guides.</li>
            </ul>
            </body>
            </html>
            """
                    .getBytes(StandardCharsets.UTF_8);

    private BrowserPage() {}

    /**
     * Returns whether a refused request is one of a browser at the address itself. Programs that
     * accept HTML among others do not name XHTML beside it.
     */
    static boolean isMeant(S3Error error, HttpHead head) {
        HeaderList headers = head.headers();
        String accepted = headers.first("accept").orElse("");
        return error == S3Error.ACCESS_DENIED
                && head.method().equals("GET")
                && head.rawPath().equals("/")
                && head.rawQuery().isEmpty()
                && headers.first("authorization").isEmpty()
                && accepted.contains("text/html")
                && accepted.contains("application/xhtml+xml");
    }

    /** Returns the page. */
    static S3Response of(Answer answer) {
        answer.header("content-type", "text/html; charset=utf-8");
        answer.header(
                "content-security-policy",
                "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        answer.header("x-content-type-options", "nosniff");
        answer.header("referrer-policy", "no-referrer");
        answer.header("cache-control", "no-store");
        return answer.bytes(PAGE);
    }
}
