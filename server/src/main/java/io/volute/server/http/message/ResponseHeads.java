package io.volute.server.http.message;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.volute.server.s3.request.HeaderList;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Makes the heads of responses, with the headers that every response has. Thread-safe. */
public final class ResponseHeads {
    private static final DateTimeFormatter HTTP_DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
                    .withZone(ZoneOffset.UTC);

    /** Framing is decided here and nowhere else. */
    private static final Set<String> OWN =
            Set.of("connection", "content-length", "date", "server", "transfer-encoding");

    private static final HttpHeadersFactory HEADERS =
            DefaultHttpHeadersFactory.headersFactory().withValidation(false);

    /** After each 503 without a time of its own: the state may change at any moment. */
    private static final String RETRY_SECONDS = "1";

    private record CachedDate(long second, String text) {}

    private final InstantSource clock;
    private volatile CachedDate date = new CachedDate(Long.MIN_VALUE, "");

    public ResponseHeads(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * The head of a response whose headers are clean.
     *
     * @param contentLength -1 announces none
     */
    public HttpResponse head(
            int status,
            List<HeaderList.Header> headers,
            String requestId,
            boolean keepAlive,
            long contentLength) {
        HttpResponse response =
                new DefaultHttpResponse(
                        HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), HEADERS);
        fill(response.headers(), headers, requestId, keepAlive, contentLength);
        if (status == 503 && !response.headers().contains("retry-after")) {
            response.headers().set("retry-after", RETRY_SECONDS);
        }
        return response;
    }

    /** The head of a response whose length is not known; HTTP/1.0 clients cannot read it. */
    public HttpResponse chunked(
            int status, List<HeaderList.Header> headers, String requestId, boolean keepAlive) {
        HttpResponse response = head(status, headers, requestId, keepAlive, -1);
        response.headers().set("transfer-encoding", "chunked");
        return response;
    }

    /** A response with its body. Takes over the body. */
    public FullHttpResponse full(HttpResponse head, ByteBuf body) {
        return new DefaultFullHttpResponse(
                head.protocolVersion(),
                head.status(),
                body,
                head.headers(),
                HEADERS.newEmptyHeaders());
    }

    /** A refusal as S3's XML error; without a body when answering HEAD. */
    public FullHttpResponse refusal(
            Refusal refusal, String requestId, boolean keepAlive, boolean head) {
        byte[] xml = document(refusal, requestId);
        HttpResponse response =
                head(
                        refusal.status(),
                        List.of(new HeaderList.Header("Content-Type", "application/xml")),
                        requestId,
                        keepAlive,
                        xml.length);
        return full(response, head ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(xml));
    }

    private void fill(
            HttpHeaders target,
            List<HeaderList.Header> headers,
            String requestId,
            boolean keepAlive,
            long contentLength) {
        for (HeaderList.Header header : headers) {
            if (!OWN.contains(header.name())) {
                target.add(header.name(), header.value());
            }
        }
        target.set("x-amz-request-id", requestId);
        target.set("x-amz-id-2", requestId);
        target.set("date", date());
        target.set("server", "Volute");
        if (contentLength >= 0) {
            target.set("content-length", Long.toString(contentLength));
        }
        target.set("connection", keepAlive ? "keep-alive" : "close");
    }

    /** Returns whether no header can split the response or change on its way. */
    public static boolean isClean(List<HeaderList.Header> headers) {
        boolean clean = true;
        for (HeaderList.Header header : headers) {
            String name = header.name();
            clean &= !name.isEmpty();
            for (int i = 0; i < name.length(); i++) {
                clean &= HeadScanner.isToken(name.charAt(i));
            }
            String value = header.value();
            for (int i = 0; i < value.length(); i++) {
                char c = value.charAt(i);
                clean &= c >= 0x20 && c != 0x7F && c <= 0xFF || c == '\t';
            }
        }
        return clean;
    }

    /** Returns the document of a refusal. */
    public static byte[] document(Refusal refusal, String requestId) {
        // The texts are our own constants: nothing in them needs escaping.
        return ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>"
                        + refusal.code()
                        + "</Code><Message>"
                        + refusal.message()
                        + "</Message><RequestId>"
                        + requestId
                        + "</RequestId><HostId>"
                        + requestId
                        + "</HostId></Error>")
                .getBytes(StandardCharsets.UTF_8);
    }

    private String date() {
        Instant now = clock.instant();
        CachedDate cached = date;
        if (cached.second() != now.getEpochSecond()) {
            cached = new CachedDate(now.getEpochSecond(), HTTP_DATE.format(now));
            date = cached;
        }
        return cached.text();
    }
}
