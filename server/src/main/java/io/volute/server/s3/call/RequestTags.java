package io.volute.server.s3.call;

import io.volute.server.Limits;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.s3.body.IncomingBody;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.xml.XmlReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The tags that a request sends, for the conditions of policies. They are in a header, or in a
 * document; that body is read before the decision.
 */
public final class RequestTags implements Supplier<Map<String, String>> {
    private final S3Call call;
    private final Verified verified;
    private final IncomingBody body;
    private Optional<Map<String, String>> tags = Optional.empty();

    public RequestTags(S3Call call, Verified verified, IncomingBody body) {
        this.call = call;
        this.verified = verified;
        this.body = body;
    }

    /** Reads the tags, and refuses invalid ones as the operation would. */
    @Override
    public Map<String, String> get() {
        if (tags.isEmpty()) {
            tags = Optional.of(read());
        }
        return tags.get();
    }

    private Map<String, String> read() {
        if (call == S3Call.PUT_OBJECT_TAGGING) {
            return Tags.ofDocument(XmlReader.read(document(), "Tagging", Limits.XML_ELEMENTS_MAX));
        }
        if (call == S3Call.CREATE_BUCKET) {
            return Tags.ofNewBucket(document());
        }
        Optional<String> header = verified.headers().first("x-amz-tagging");
        return call.makesObject() && header.isPresent() ? Tags.ofHeader(header.get()) : Map.of();
    }

    private byte[] document() {
        try {
            return body.gather(Promises.of(verified), Limits.XML_BYTES_MAX);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
