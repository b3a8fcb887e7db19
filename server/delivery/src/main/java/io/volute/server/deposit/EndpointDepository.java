package io.volute.server.deposit;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.adminapi.tls.Authorities;
import io.volute.provenance.keys.PrivateFile;
import io.volute.server.LogText;
import io.volute.server.config.CheckpointExport;
import io.volute.server.s3.checksum.RunningChecksum;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bucket of another server, by S3. Each copy is one signed PUT with the hash of its body, which
 * needs no other permission. It follows no redirects, and trusts only the configured certificates.
 */
public final class EndpointDepository implements Depository {
    private static final Duration CONNECT_TIME = Duration.ofSeconds(10);

    /** Time for an answer; a body gets more, for the speed of a slow line. */
    private static final Duration ANSWER_TIME = Duration.ofSeconds(60);

    private static final long SLOW_BYTES_A_SECOND = 64 << 10;
    private static final int ERROR_BYTES = 4096;
    private static final int PIECE_BYTES = 64 << 10;
    private static final Pattern CODE = Pattern.compile("<Code>([A-Za-z0-9]{1,64})</Code>");
    private static final int PRECONDITION_FAILED = 412;

    private final CheckpointExport.Endpoint target;
    private final InstantSource clock;
    private final HttpClient http;
    private final PrivateFile credentials;

    /**
     * @throws IOException when the credentials or certificates cannot be used; the message names
     *     the reason
     */
    public EndpointDepository(CheckpointExport.Endpoint target, InstantSource clock)
            throws IOException {
        this.target = target;
        this.clock = clock;
        credentials =
                new PrivateFile("provenance.checkpoint-export-credentials", target.credentials());
        http =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(CONNECT_TIME)
                        .sslContext(
                                Authorities.trusted(
                                        "provenance.checkpoint-export-ca", target.authorities()))
                        .build();
        // Bad credentials should fail the start, not the first delivery.
        RequestSigner unused = signer();
    }

    @Override
    public String text() {
        return target.text();
    }

    /** Reads the credentials for each request: they may be renewed while the server runs. */
    private RequestSigner signer() throws IOException {
        String[] pair = credentials.read().split("\\s+");
        if (pair.length != 2) {
            throw credentials.unusable(
                    "is not an access key and a secret key with white space between them");
        }
        return new RequestSigner(pair[0], pair[1], target.region());
    }

    @Override
    public boolean put(String name, Path file, Existing existing) throws IOException {
        RunningChecksum sha256 = RunningChecksum.of(Algorithm.SHA256);
        RunningChecksum md5 = RunningChecksum.of(Algorithm.MD5);
        digest(file, sha256, md5);
        Map<String, String> headers = new HashMap<>();
        // Without it S3 takes nothing where new objects are locked.
        headers.put("content-md5", Base64.getEncoder().encodeToString(md5.finish()));
        if (existing == Existing.STAYS) {
            headers.put("if-none-match", "*");
        }
        BodyPublisher body = BodyPublishers.ofFile(file);
        Answer answer = send("PUT", name, body, HexFormat.of().formatHex(sha256.finish()), headers);
        if (answer.status() == PRECONDITION_FAILED && existing == Existing.STAYS) {
            return false;
        }
        answer.require(2);
        return true;
    }

    /** The answer of the other server. */
    private record Answer(String what, int status, String error) {
        void require(int hundreds) throws IOException {
            if (status / 100 != hundreds) {
                Matcher code = CODE.matcher(error);
                throw new IOException(
                        what
                                + " was answered with "
                                + status
                                + (code.find() ? " " + code.group(1) : "")
                                + advice());
            }
        }

        private String advice() {
            return switch (status) {
                case 401, 403 ->
                        ": see provenance.checkpoint-export-credentials and what they may do there";
                case 301, 307, 308, 400 -> ": see provenance.checkpoint-export-region";
                case 404 -> ": there is no such bucket; make it";
                default -> "";
            };
        }
    }

    private Answer send(
            String method,
            String name,
            BodyPublisher body,
            String sha256,
            Map<String, String> headers)
            throws IOException {
        String path = "/" + target.bucket() + "/" + target.prefix() + name;
        String host = host(target.server());
        URI uri = URI.create(target.server().getScheme() + "://" + host + path);
        Duration time =
                ANSWER_TIME.plusSeconds(Math.max(0, body.contentLength()) / SLOW_BYTES_A_SECOND);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri).method(method, body).timeout(time);
        signer().headersOf(method, host, path, "", sha256, clock.instant())
                .forEach(request::header);
        headers.forEach(request::header);
        String what = method + " " + uri;
        try {
            HttpResponse<InputStream> response =
                    http.send(request.build(), BodyHandlers.ofInputStream());
            try (InputStream answer = response.body()) {
                byte[] error = answer.readNBytes(ERROR_BYTES);
                return new Answer(
                        what, response.statusCode(), new String(error, StandardCharsets.UTF_8));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(what + " was interrupted");
        } catch (IOException e) {
            String why = Optional.ofNullable(e.getMessage()).orElse(e.getClass().getSimpleName());
            throw new IOException(what + " failed: " + LogText.of(why), e);
        }
    }

    /** Returns the host as the client sends and signs it: without the default port. */
    private static String host(URI server) {
        int usual = "https".equals(server.getScheme()) ? 443 : 80;
        return server.getPort() == -1 || server.getPort() == usual
                ? server.getHost()
                : server.getHost() + ":" + server.getPort();
    }

    private static void digest(Path file, RunningChecksum... checksums) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] piece = new byte[PIECE_BYTES];
            for (int count = in.read(piece); count > 0; count = in.read(piece)) {
                for (RunningChecksum checksum : checksums) {
                    checksum.update(piece, count);
                }
            }
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
