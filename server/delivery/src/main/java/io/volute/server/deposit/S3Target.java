package io.volute.server.deposit;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.adminapi.tls.Authorities;
import io.volute.server.outbound.Addresses;
import io.volute.server.outbound.Content;
import io.volute.server.outbound.S3Access;
import io.volute.server.outbound.S3Client;
import io.volute.server.outbound.S3Client.Answer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bucket of another server, by S3, path-style. It uses PutObject, GetObject, ListObjectsV2 and
 * DeleteObject. Requests without an answer, and those that the server answers with 5xx, are
 * repeated, because each of them may be done twice.
 */
final class S3Target implements BackupTarget {
    private static final S3Client.Settings SETTINGS =
            new S3Client.Settings("the credentials", "the region", "backup.ca or --ca");
    private static final Bounds BOUNDS =
            new Bounds(
                    List.of(Duration.ofSeconds(1), Duration.ofSeconds(4), Duration.ofSeconds(15)),
                    100_000);

    /** Most bytes of the names of one list: those of 100 TB in packs. */
    private static final int MOST_LISTED_BYTES = 256 << 20;

    private static final Pattern KEY = Pattern.compile("<Key>([A-Za-z0-9./-]{1,1024})</Key>");
    private static final Pattern NEXT =
            Pattern.compile("<NextContinuationToken>([^<]{1,4096})</NextContinuationToken>");

    /** Scheme, host and perhaps a port; bucket; prefix. */
    private static final Pattern FORM =
            Pattern.compile(
                    "(https?://[A-Za-z0-9][A-Za-z0-9.-]{0,252}(?::[0-9]{1,5})?)"
                            + "/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])"
                            + "((?:/(?!\\.{1,2}(?:/|$))[A-Za-z0-9.-]{1,200}){0,8})/?");

    private final String text;
    private final String bucket;
    private final String prefix;
    private final S3Client s3;
    private final Bounds bounds;

    /**
     * The bounds of what a target can cost.
     *
     * @param pauses before a request is repeated
     * @param pages of a list; one may be empty and have a next one
     */
    record Bounds(List<Duration> pauses, int pages) {}

    private S3Target(String text, Matcher form, S3Access access, InstantSource clock, Bounds bounds)
            throws IOException {
        this.bounds = bounds;
        this.text = text;
        prefix = form.group(3).isEmpty() ? "" : form.group(3).substring(1) + "/";
        bucket = form.group(2);
        // Without credentials no attempt can succeed.
        RequestSigner unused = access.signer().get();
        URI server = URI.create(form.group(1));
        s3 = new S3Client(server, Addresses.OF_OPERATOR, access, SETTINGS, clock);
    }

    /**
     * Opens a target.
     *
     * @param text {@code https://HOST/BUCKET/PREFIX}, the port and the prefix if necessary
     * @throws IOException when the text, the credentials or the certificates cannot be used
     */
    public static S3Target open(String text, S3Access access, InstantSource clock)
            throws IOException {
        return open(text, access, clock, BOUNDS);
    }

    /** Opens a target with other bounds. */
    static S3Target open(String text, S3Access access, InstantSource clock, Bounds bounds)
            throws IOException {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IOException(
                    "not a target: " + text + "; write https://HOST/BUCKET or a directory");
        }
        return new S3Target(text, form, access, clock, bounds);
    }

    @Override
    public String text() {
        return text;
    }

    @Override
    public void put(String name, byte[] content) throws IOException {
        S3Client.Request request =
                new S3Client.Request(
                        "PUT", bucket, prefix + name, Map.of(), Map.of(), Content.of(content));
        repeated(request, S3Client.MOST_DOCUMENT_BYTES).requireSuccess();
    }

    @Override
    public Optional<byte[]> get(String name, int mostBytes) throws IOException {
        S3Client.Request request = S3Client.Request.of("GET", bucket, prefix + name);
        Answer answer = repeated(request, mostBytes);
        if (answer.status() == 404 && !answer.code().equals("NoSuchBucket")) {
            return Optional.empty();
        }
        answer.requireSuccess();
        return Optional.of(answer.body());
    }

    @Override
    public List<String> list(String names) throws IOException {
        List<String> found = new ArrayList<>();
        Optional<String> next = Optional.empty();
        long bytes = 0;
        int pages = 0;
        do {
            if (bytes > MOST_LISTED_BYTES || ++pages > bounds.pages()) {
                throw new IOException("the list of " + text + "/" + names + " has no end");
            }
            Map<String, String> query = new TreeMap<>();
            query.put("list-type", "2");
            query.put("prefix", prefix + names);
            next.ifPresent(token -> query.put("continuation-token", token));
            S3Client.Request request =
                    new S3Client.Request("GET", bucket, "", query, Map.of(), Content.NONE);
            Answer answer = repeated(request, S3Client.MOST_DOCUMENT_BYTES);
            answer.requireSuccess();
            String page = new String(answer.body(), StandardCharsets.UTF_8);
            Matcher keys = KEY.matcher(page);
            while (keys.find()) {
                found.add(keys.group(1).substring(prefix.length()));
                bytes += keys.group(1).length();
            }
            Matcher token = NEXT.matcher(page);
            next = token.find() ? Optional.of(plain(token.group(1))) : Optional.empty();
        } while (next.isPresent());
        return found;
    }

    private static String plain(String escaped) {
        return escaped.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&amp;", "&");
    }

    @Override
    public void delete(String name) throws IOException {
        S3Client.Request request = S3Client.Request.of("DELETE", bucket, prefix + name);
        Answer answer = repeated(request, S3Client.MOST_DOCUMENT_BYTES);
        if (answer.status() != 404 || answer.code().equals("NoSuchBucket")) {
            answer.requireSuccess();
        }
    }

    /** Sends a request that may be done twice. */
    private Answer repeated(S3Client.Request request, int mostBytes) throws IOException {
        for (Duration pause : bounds.pauses()) {
            try {
                Answer answer = s3.send(request, mostBytes);
                if (answer.status() / 100 != 5) {
                    return answer;
                }
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                if (Authorities.areMissing(e)) {
                    throw e;
                }
                // The last attempt reports it.
            }
            pause(pause);
        }
        return s3.send(request, mostBytes);
    }

    private static void pause(Duration time) throws InterruptedIOException {
        try {
            TimeUnit.MILLISECONDS.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted before an attempt was repeated");
        }
    }

    @Override
    public void close() {
        s3.close();
    }
}
