package io.volute.distribution.training;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.distribution.training.TrainingClient.BodyForm;
import io.volute.server.Wiring;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Sends a mix of all common requests to a server for a given time. */
@Wiring
public final class TrainingLoad {
    private static final int WORKERS = 8;
    private static final int SMALL_BYTES = 4 * 1024;
    private static final int MEDIUM_BYTES = 256 * 1024;
    private static final int PART_BYTES = 5 * 1024 * 1024;

    /** Small requests between two rounds of the rarer ones. */
    private static final int SMALL_ROUNDS = 60;

    private static final byte[] NONE = {};
    private static final DateTimeFormatter PAST =
            DateTimeFormatter.ofPattern("yyyyMMdd't'HHmmss'z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private final TrainingClient client;
    private final InstantSource clock;
    private final Instant end;

    private TrainingLoad(TrainingClient client, InstantSource clock, Instant end) {
        this.client = client;
        this.clock = clock;
        this.end = end;
    }

    /**
     * Runs the load. The environment has the keys of the root user, as for the server.
     *
     * @param arguments the endpoint and the number of seconds
     */
    public static void main(String[] arguments) throws Exception {
        InstantSource clock = InstantSource.system();
        RequestSigner signer =
                new RequestSigner(
                        System.getenv("VOLUTE_ACCESS_KEY"),
                        System.getenv("VOLUTE_SECRET_KEY"),
                        "us-east-1");
        Duration time = Duration.ofSeconds(Long.parseLong(arguments[1]));
        try (TrainingClient client = new TrainingClient(URI.create(arguments[0]), signer, clock)) {
            new TrainingLoad(client, clock, clock.instant().plus(time)).run();
        }
    }

    private void run() throws IOException, InterruptedException, ExecutionException {
        client.send("PUT", "/plain", "", Map.of(), NONE);
        client.send("PUT", "/versions", "", Map.of(), NONE);
        String versioning =
                "<VersioningConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                        + "<Status>Enabled</Status></VersioningConfiguration>";
        client.send("PUT", "/versions", "versioning=", Map.of(), bytes(versioning));
        try (ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (int worker = 0; worker < WORKERS; worker++) {
                String prefix = "w" + worker;
                running.add(
                        workers.submit(
                                () -> {
                                    work(prefix);
                                    return null;
                                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
    }

    private void work(String prefix) throws IOException, InterruptedException {
        byte[] small = new byte[SMALL_BYTES];
        byte[] medium = new byte[MEDIUM_BYTES];
        for (int round = 0; clock.instant().isBefore(end); round++) {
            for (int each = 0; each < SMALL_ROUNDS && clock.instant().isBefore(end); each++) {
                BodyForm form = BodyForm.values()[each % BodyForm.values().length];
                String bucket = each % 8 == 7 ? "/versions/" : "/plain/";
                String path = bucket + prefix + "/" + round % 16 + "/" + each;
                small[each] = (byte) round;
                client.put(path, "", form, small);
                client.send("GET", path, "", Map.of(), NONE);
                if (each % 4 == 0) {
                    client.send("HEAD", path, "", Map.of(), NONE);
                    client.send("DELETE", path, "", Map.of(), NONE);
                }
            }
            rarer(prefix + "/" + round % 16, medium);
            if (round % 8 == 0) {
                multipart("/plain/" + prefix + "/parts");
            }
        }
    }

    private void rarer(String prefix, byte[] medium) throws IOException, InterruptedException {
        for (BodyForm form : BodyForm.values()) {
            client.put("/plain/" + prefix + "/medium", "", form, medium);
            client.send("GET", "/plain/" + prefix + "/medium", "", Map.of(), NONE);
        }
        client.send(
                "GET", "/plain/" + prefix + "/medium", "", Map.of("range", "bytes=7-70000"), NONE);
        client.send(
                "PUT",
                "/plain/" + prefix + "/copy",
                "",
                Map.of("x-amz-copy-source", "/plain/" + prefix + "/medium"),
                NONE);
        String inside = RequestSigner.query(Map.of("list-type", "2", "prefix", prefix + "/"));
        client.send("GET", "/plain", inside, Map.of(), NONE);
        String folders = RequestSigner.query(Map.of("list-type", "2", "delimiter", "/"));
        client.send("GET", "/plain", folders, Map.of(), NONE);
        String versions = RequestSigner.query(Map.of("versions", "", "prefix", prefix));
        client.send("GET", "/versions", versions, Map.of(), NONE);
        client.send("GET", "/plain--at-" + PAST.format(clock.instant()), inside, Map.of(), NONE);
        client.send("GET", "/", "", Map.of(), NONE);
        StringBuilder gone = new StringBuilder("<Delete><Quiet>true</Quiet>");
        for (int each = 1; each < SMALL_ROUNDS; each += 3) {
            gone.append("<Object><Key>").append(prefix).append('/').append(each);
            gone.append("</Key></Object>");
        }
        byte[] keys = bytes(gone.append("</Delete>").toString());
        String md5 = Base64.getEncoder().encodeToString(TrainingClient.digest("MD5", keys));
        client.send("POST", "/plain", "delete=", Map.of("content-md5", md5), keys);
    }

    private void multipart(String path) throws IOException, InterruptedException {
        String begun = text(client.send("POST", path, "uploads=", Map.of(), NONE));
        String upload = between(begun, "<UploadId>", "</UploadId>");
        StringBuilder parts = new StringBuilder("<CompleteMultipartUpload>");
        for (int number = 1; number <= 2; number++) {
            byte[] part = new byte[PART_BYTES];
            String query =
                    RequestSigner.query(
                            Map.of("partNumber", Integer.toString(number), "uploadId", upload));
            BodyForm form = BodyForm.values()[number % BodyForm.values().length];
            client.put(path, query, form, part);
            parts.append("<Part><PartNumber>").append(number).append("</PartNumber><ETag>");
            parts.append(HexFormat.of().formatHex(TrainingClient.digest("MD5", part)))
                    .append("</ETag></Part>");
        }
        byte[] list = bytes(parts.append("</CompleteMultipartUpload>").toString());
        String query = RequestSigner.query(Map.of("uploadId", upload));
        client.send("POST", path, query, Map.of(), list);
        client.send("GET", path, "", Map.of(), NONE);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static String between(String text, String before, String after) {
        int from = text.indexOf(before) + before.length();
        return text.substring(from, text.indexOf(after, from));
    }
}
