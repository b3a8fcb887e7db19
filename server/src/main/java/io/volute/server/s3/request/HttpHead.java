package io.volute.server.s3.request;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A request before its body, exactly as it arrived: nothing is decoded yet, so that signature,
 * policy and storage all see the same bytes. What handlers decode of it is in its memo.
 *
 * @param method in upper case
 * @param rawPath the path as sent, percent-encoded, beginning with {@code /}
 * @param rawQuery the query as sent without the question mark; empty when there is none
 * @param secure it came over TLS
 * @param remoteAddress of the client, without port
 * @param contentLength of the body as framed on the wire, -1 when chunked
 * @param requestId unique; echoed as {@code x-amz-request-id} and {@code x-amz-id-2}
 * @param tlsVersion such as {@code 1.3}
 * @param allowance what the request may hold of the server
 * @param memo the values parsed from this head and no other
 */
public record HttpHead(
        String method,
        String rawPath,
        String rawQuery,
        HeaderList headers,
        boolean secure,
        String remoteAddress,
        long contentLength,
        String requestId,
        Optional<String> tlsVersion,
        Allowance allowance,
        HeadMemo memo) {

    /** Creates a head that is not parsed yet. */
    public HttpHead(
            String method,
            String rawPath,
            String rawQuery,
            HeaderList headers,
            boolean secure,
            String remoteAddress,
            long contentLength,
            String requestId,
            Optional<String> tlsVersion,
            Allowance allowance) {
        this(
                method,
                rawPath,
                rawQuery,
                headers,
                secure,
                remoteAddress,
                contentLength,
                requestId,
                tlsVersion,
                allowance,
                new HeadMemo());
    }

    /** Creates the head of a request that may hold what it wants. */
    public HttpHead(
            String method,
            String rawPath,
            String rawQuery,
            HeaderList headers,
            boolean secure,
            String remoteAddress,
            long contentLength,
            String requestId,
            Optional<String> tlsVersion) {
        this(
                method,
                rawPath,
                rawQuery,
                headers,
                secure,
                remoteAddress,
                contentLength,
                requestId,
                tlsVersion,
                Allowance.UNLIMITED);
    }

    /** Creates a head without a known version of TLS. */
    public HttpHead(
            String method,
            String rawPath,
            String rawQuery,
            HeaderList headers,
            boolean secure,
            String remoteAddress,
            long contentLength,
            String requestId) {
        this(
                method,
                rawPath,
                rawQuery,
                headers,
                secure,
                remoteAddress,
                contentLength,
                requestId,
                Optional.empty());
    }

    /** Returns the same head with other headers. */
    public HttpHead with(HeaderList others) {
        return new HttpHead(
                method,
                rawPath,
                rawQuery,
                others,
                secure,
                remoteAddress,
                contentLength,
                requestId,
                tlsVersion,
                allowance);
    }

    /**
     * Returns the value of a type that is parsed from this head; parses it if there is none yet. An
     * exception of the parser is passed on, and nothing is kept.
     *
     * @param by what the value depends on besides the head, such as the domains of buckets
     * @param parser returns a value that is never changed, and not null
     */
    public <T> T parsed(Class<T> type, Object by, Supplier<T> parser) {
        return memo.get(type, by, parser);
    }

    /** Returns whether the request has a signature, right or wrong. */
    public boolean isSigned() {
        return headers.first("authorization").isPresent() || rawQuery.contains("Signature=");
    }

    /** Returns the same head with another allowance. */
    public HttpHead with(Allowance other) {
        return new HttpHead(
                method,
                rawPath,
                rawQuery,
                headers,
                secure,
                remoteAddress,
                contentLength,
                requestId,
                tlsVersion,
                other,
                memo);
    }

    /** Returns the same head with one more header, as the last. */
    public HttpHead with(HeaderList.Header more) {
        List<HeaderList.Header> all = new ArrayList<>(headers.headers());
        all.add(more);
        return with(new HeaderList(all));
    }
}
