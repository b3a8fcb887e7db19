package io.volute.system.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.volute.system.ExternalClient;
import io.volute.system.SharedServer;
import io.volute.system.Store;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.model.CORSRule;

/** A page of another origin in a headless Chromium: reads by CORS, and uploads by a form. */
@ExtendWith(SharedServer.class)
class BrowserIT {
    /** Requests that the page waits for, so that its document is whole when it is loaded. */
    private static final String PAGE =
            """
            <!DOCTYPE html><meta charset="utf-8"><title>x</title><pre id="told"></pre><script>
            function told(what) { document.getElementById("told").append(what + "\\n"); }
            function send(name, method, url, body) {
              const request = new XMLHttpRequest();
              try {
                request.open(method, url, false);
                request.send(body);
                told(name + " " + request.status + " " + request.getResponseHeader("ETag")
                    + " " + (method === "GET" ? request.responseText : ""));
              } catch (e) {
                told(name + " refused");
              }
            }
            send("read", "GET", "BUCKET/open/read");
            const form = new FormData();
            form.append("key", "open/${filename}");
            form.append("Content-Type", "text/plain");
            form.append("success_action_status", "200");
            form.append("file", new File(["by a form"], "ü.txt"));
            send("upload", "POST", "BUCKET", form);
            send("delete", "DELETE", "BUCKET/open/read");
            send("other", "GET", "OTHER/open/read");
            </script>
            """;

    private final Store store;

    @TempDir private Path directory;

    BrowserIT(Store store) {
        this.store = store;
    }

    @Test
    void aPageReadsAndUploadsWhatItMay() throws Exception {
        ExternalClient chromium =
                ExternalClient.orSkip(directory, List.of("chromium"), "--version");
        HttpServer pages =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try {
            String origin = "http://127.0.0.1:" + pages.getAddress().getPort();
            String bucket = open();
            CORSRule rule =
                    CORSRule.builder()
                            .allowedOrigins(origin)
                            .allowedMethods("GET", "POST")
                            .exposeHeaders("ETag")
                            .build();
            store.s3()
                    .putBucketCors(
                            cors ->
                                    cors.bucket(bucket)
                                            .corsConfiguration(all -> all.corsRules(rule)));
            String other = open();
            byte[] page =
                    PAGE.replace("BUCKET", store.endpoint() + "/" + bucket)
                            .replace("OTHER", store.endpoint() + "/" + other)
                            .getBytes(StandardCharsets.UTF_8);
            pages.createContext(
                    "/",
                    exchange -> {
                        exchange.getResponseHeaders().set("Content-Type", "text/html");
                        exchange.sendResponseHeaders(200, page.length);
                        exchange.getResponseBody().write(page);
                        exchange.close();
                    });
            pages.start();

            String told =
                    chromium.run(
                                    "--headless",
                                    "--no-sandbox",
                                    "--disable-gpu",
                                    "--disable-quic",
                                    "--no-first-run",
                                    "--disable-background-networking",
                                    "--disable-component-update",
                                    "--disable-sync",
                                    "--user-data-dir=" + directory.resolve("profile"),
                                    "--dump-dom",
                                    origin + "/")
                            .orFail();

            assertThat(told)
                    .contains("read 200 \"9a0364b9e99bb480dd25e1f0284c8555\" content")
                    .contains("upload 200 \"")
                    .contains("delete refused")
                    .contains("other refused");
            assertThat(store.text(bucket, "open/ü.txt")).isEqualTo("by a form");
            assertThat(store.text(bucket, "open/read")).isEqualTo("content");
        } finally {
            pages.stop(0);
        }
    }

    /** A bucket in which everybody may read and write below {@code open/}. */
    private String open() {
        String bucket = store.bucket();
        store.put(bucket, "open/read", "content");
        store.s3()
                .putBucketPolicy(
                        policy ->
                                policy.bucket(bucket)
                                        .policy(
                                                """
                                                {"Version": "2012-10-17", "Statement": [{
                                                  "Effect": "Allow", "Principal": "*",
                                                  "Action": ["s3:GetObject", "s3:PutObject"],
                                                  "Resource": "arn:aws:s3:::%s/open/*"}]}
                                                """
                                                        .formatted(bucket)));
        return bucket;
    }
}
