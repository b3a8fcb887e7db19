package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.S3Client;

/** The status page as a headless Chromium draws it. */
class StatusPageIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Colours of the page's style: a chart's first and second line, and its third. */
    private static final List<Integer> LINE_COLOURS = List.of(0x0072b2, 0xd55e00, 0x009e73);

    /** A chart has a line after its second reading. */
    private static final Pattern LINE = Pattern.compile("<polyline [^>]*points=\"[^\" ]+ [^\"]+\"");

    @TempDir private Path directory;

    @Test
    void aBrowserDrawsTheStyleAndTheCharts() throws Exception {
        ExternalClient chromium =
                ExternalClient.orSkip(directory, List.of("chromium"), "--version");
        String metrics = "127.0.0.1:" + ServerProcess.freePort();
        Path picture = directory.resolve("status.png");
        try (TemporaryStore store = TemporaryStore.create("status");
                ServerProcess server =
                        ServerProcess.start(store, Map.of("VOLUTE_METRICS_LISTEN", metrics))) {
            use(server);
            awaitLines("http://" + metrics + "/");
            chromium.run(
                            "--headless",
                            "--no-sandbox",
                            "--disable-gpu",
                            "--disable-quic",
                            "--no-first-run",
                            "--disable-background-networking",
                            "--disable-component-update",
                            "--disable-sync",
                            "--hide-scrollbars",
                            "--user-data-dir=" + directory.resolve("profile"),
                            "--window-size=1200,1650",
                            "--screenshot=" + picture,
                            "http://" + metrics + "/")
                    .orFail();
        }

        BufferedImage image = ImageIO.read(picture.toFile());
        for (int colour : LINE_COLOURS) {
            assertThat(pixels(image, colour)).as("pixels of %06x", colour).isGreaterThan(200);
        }
        // Without its style, each line is filled with black down to its ends.
        assertThat(pixels(image, 0)).isLessThan(image.getWidth() * image.getHeight() / 50);
        // The text begins in the middle column, not at the left edge.
        assertThat(columnIsBlank(image, 20)).isTrue();
        keep(picture);
    }

    private static void use(ServerProcess server) {
        try (S3Client s3 = Clients.once(server.endpoint())) {
            Store store = new Store(server.endpoint(), s3);
            String bucket = store.bucket();
            for (int i = 0; i < 20; i++) {
                store.put(bucket, "key" + i, Bytes.random(i, 50_000));
                assertThat(store.get(bucket, "key" + i)).hasSize(50_000);
            }
        }
    }

    private static void awaitLines(String url) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
        Instant deadline = Instant.now().plus(PATIENCE);
        try (HttpClient http = HttpClient.newHttpClient()) {
            while (!LINE.matcher(page(http, request)).find()) {
                assertThat(Instant.now()).as("until a chart has a line").isBefore(deadline);
                LockSupport.parkNanos(100_000_000);
            }
        }
    }

    private static String page(HttpClient http, HttpRequest request) throws Exception {
        try {
            return http.send(request, BodyHandlers.ofString()).body();
        } catch (ConnectException e) {
            return "";
        }
    }

    private static long pixels(BufferedImage image, int colour) {
        long count = 0;
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                count += (image.getRGB(x, y) & 0xffffff) == colour ? 1 : 0;
            }
        }
        return count;
    }

    private static boolean columnIsBlank(BufferedImage image, int x) {
        for (int y = 1; y < image.getHeight(); y++) {
            if (image.getRGB(x, y) != image.getRGB(x, 0)) {
                return false;
            }
        }
        return true;
    }

    /** For a person who wants to look. */
    private static void keep(Path picture) throws IOException {
        Path target = Files.createDirectories(Path.of("target", "pictures"));
        Files.write(target.resolve("status.png"), Files.readAllBytes(picture));
    }
}
