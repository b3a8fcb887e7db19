package io.volute.server.http.message;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslHandler;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a request is delimited, after checks that leave only one reading of it (RFC 9112 sections 3,
 * 6 and 9, the strict side of each choice).
 *
 * @param contentLength -1 when chunked
 * @param keepAlive the client would like to send another request
 * @param expectsContinue the client waits for 100 before it sends the body
 */
public record Framing(
        String rawPath,
        String rawQuery,
        HeaderList headers,
        long contentLength,
        boolean keepAlive,
        boolean expectsContinue) {
    /** Prefix of the JDK's names for versions of TLS. */
    private static final String TLS = "TLSv";

    public static Framing of(HttpRequest request) throws RefusedException {
        if (request.decoderResult().isFailure()) {
            throw refused("The request cannot be parsed.");
        }
        boolean http11 = request.protocolVersion().equals(HttpVersion.HTTP_1_1);
        HttpHeaders headers = request.headers();
        checkHost(headers.getAll("host"), http11);
        long contentLength = contentLength(headers, http11);
        boolean expects = expectsContinue(headers, http11);
        String target = originForm(request.uri(), headers.get("host", ""));
        int question = target.indexOf('?');
        return new Framing(
                question < 0 ? target : target.substring(0, question),
                question < 0 ? "" : target.substring(question + 1),
                copy(headers),
                contentLength,
                keepAlive(headers, http11),
                expects);
    }

    /**
     * The head as the protocol takes it.
     *
     * @param tls null without TLS
     */
    public HttpHead head(String method, SslHandler tls, String remoteAddress, String requestId) {
        return new HttpHead(
                method,
                rawPath,
                rawQuery,
                headers,
                tls != null,
                remoteAddress,
                contentLength,
                requestId,
                Optional.ofNullable(tls)
                        .map(handler -> handler.engine().getSession().getProtocol())
                        .filter(protocol -> protocol.startsWith(TLS))
                        .map(protocol -> protocol.substring(TLS.length())));
    }

    /**
     * Returns path and query of a target, also of one in absolute form (RFC 9112, 3.2.2), as
     * proxies send it. Its authority must be that of the Host header, which the signature covers
     * and which may name the bucket.
     */
    private static String originForm(String target, String host) throws RefusedException {
        if (target.startsWith("/")) {
            return target;
        }
        int authority = target.indexOf("://") + 3;
        String scheme = target.substring(0, Math.max(0, authority - 3));
        if (!scheme.equalsIgnoreCase("http") && !scheme.equalsIgnoreCase("https")) {
            throw refused("The request target must begin with a slash, http:// or https://.");
        }
        int end = authority;
        while (end < target.length() && target.charAt(end) != '/' && target.charAt(end) != '?') {
            end++;
        }
        if (end == authority || !target.substring(authority, end).equalsIgnoreCase(host)) {
            throw refused("The request target names another host than the Host header.");
        }
        String rest = target.substring(end);
        return rest.startsWith("/") ? rest : "/" + rest;
    }

    private static void checkHost(List<String> hosts, boolean http11) throws RefusedException {
        if (hosts.size() > 1) {
            throw refused("The request has more than one Host header.");
        }
        if (hosts.isEmpty()) {
            if (http11) {
                throw refused("The request has no Host header.");
            }
            return;
        }
        String host = hosts.get(0);
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            boolean fine =
                    c >= '0' && c <= '9'
                            || c >= 'a' && c <= 'z'
                            || c >= 'A' && c <= 'Z'
                            || ".-_:[]".indexOf(c) >= 0;
            if (!fine) {
                throw refused("The Host header is malformed.");
            }
        }
        if (host.isEmpty()) {
            throw refused("The Host header is empty.");
        }
    }

    private static long contentLength(HttpHeaders headers, boolean http11) throws RefusedException {
        List<String> lengths = headers.getAll("content-length");
        List<String> codings = headers.getAll("transfer-encoding");
        if (!codings.isEmpty()) {
            if (!http11) {
                throw refused("Transfer-Encoding is not part of HTTP/1.0.");
            }
            if (!lengths.isEmpty()) {
                throw refused("The request has both Transfer-Encoding and Content-Length.");
            }
            if (codings.size() != 1 || !codings.get(0).equalsIgnoreCase("chunked")) {
                throw refused("The only Transfer-Encoding supported is chunked.");
            }
            return -1;
        }
        if (lengths.isEmpty()) {
            return 0;
        }
        if (lengths.size() > 1) {
            throw refused("The request has more than one Content-Length.");
        }
        return length(lengths.get(0));
    }

    private static long length(String value) throws RefusedException {
        boolean sound = !value.isEmpty() && value.length() <= 18;
        for (int i = 0; i < value.length(); i++) {
            sound &= value.charAt(i) >= '0' && value.charAt(i) <= '9';
        }
        if (!sound || value.length() > 1 && value.charAt(0) == '0') {
            throw refused("The Content-Length is not a plain decimal number.");
        }
        return Long.parseLong(value);
    }

    private static boolean expectsContinue(HttpHeaders headers, boolean http11) {
        List<String> expectations = headers.getAll("expect");
        // Others are ignored, as S3 does and RFC 9110 allows.
        return http11
                && expectations.size() == 1
                && expectations.get(0).equalsIgnoreCase("100-continue");
    }

    private static boolean keepAlive(HttpHeaders headers, boolean http11) {
        for (String value : headers.getAll("connection")) {
            for (String token : value.split(",", -1)) {
                if (token.strip().equalsIgnoreCase("close")) {
                    return false;
                }
            }
        }
        // HTTP/1.0 is answered and closed: its keep-alive was never specified soundly.
        return http11;
    }

    private static HeaderList copy(HttpHeaders headers) {
        List<HeaderList.Header> list = new ArrayList<>(headers.size());
        for (Map.Entry<String, String> header : headers) {
            list.add(new HeaderList.Header(header.getKey(), header.getValue()));
        }
        return new HeaderList(list);
    }

    private static RefusedException refused(String message) {
        return new RefusedException(Refusal.malformed(message));
    }
}
