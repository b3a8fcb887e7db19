package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/** Damage as an operator meets it: named, and repaired from another version or from a backup. */
class DamageIT {
    private static final String BUCKET = "kept";
    private static final int SAMPLE_BYTES = 24;

    /** Flips a bit in the middle of a stored content. */
    static void damage(Path data, byte[] content) throws IOException {
        int middle = content.length / 2;
        byte[] sample = Arrays.copyOfRange(content, middle, middle + SAMPLE_BYTES);
        long found = 0;
        try (Stream<Path> files = Files.walk(data.resolve("cubes"))) {
            for (Path file : files.filter(each -> isSegment(each)).toList()) {
                byte[] bytes = Files.readAllBytes(file);
                for (int at = 0; at <= bytes.length - sample.length; at++) {
                    if (Arrays.equals(bytes, at, at + sample.length, sample, 0, sample.length)) {
                        flip(file, at);
                        found++;
                    }
                }
            }
        }
        assertThat(found).as("places of the content").isPositive();
    }

    private static boolean isSegment(Path file) {
        String name = file.getFileName().toString();
        return Files.isRegularFile(file) && (name.endsWith(".head") || name.endsWith(".stream"));
    }

    private static void flip(Path file, long at) throws IOException {
        try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
            opened.seek(at);
            int before = opened.read();
            opened.seek(at);
            opened.write(before ^ 4);
        }
    }

    private static String multipart(S3Client s3, String key, byte[] first, byte[] second) {
        String id = s3.createMultipartUpload(to -> to.bucket(BUCKET).key(key)).uploadId();
        List<CompletedPart> parts = new ArrayList<>();
        for (byte[] body : List.of(first, second)) {
            int number = parts.size() + 1;
            UploadPartResponse part =
                    s3.uploadPart(
                            to -> to.bucket(BUCKET).key(key).uploadId(id).partNumber(number),
                            RequestBody.fromBytes(body));
            parts.add(CompletedPart.builder().partNumber(number).eTag(part.eTag()).build());
        }
        return s3.completeMultipartUpload(
                        to ->
                                to.bucket(BUCKET)
                                        .key(key)
                                        .uploadId(id)
                                        .multipartUpload(all -> all.parts(parts)))
                .versionId();
    }

    @Test
    void damageIsNamedAndRepaired() throws Exception {
        byte[] large = Bytes.random(1, 3 << 20);
        byte[] small = Bytes.random(2, 300);
        byte[] medium = Bytes.random(3, 40_000);
        byte[] part = Bytes.random(4, 5 << 20);
        byte[] twice = Bytes.random(5, 2 << 20);
        byte[] overwritten = Bytes.random(6, 70_000);
        try (TemporaryStore work = TemporaryStore.create("damage")) {
            Path backups = work.path().resolve("backups");
            String from = "--from=backup";
            String target = "--target=" + backups;
            try (ServerProcess server = ServerProcess.start(work);
                    S3Client s3 = Clients.sync(server.endpoint())) {
                Store store = new Store(server.endpoint(), s3);
                store.createVersioned(BUCKET);
                store.put(BUCKET, "large", large);
                s3.copyObject(
                        copy ->
                                copy.sourceBucket(BUCKET)
                                        .sourceKey("large")
                                        .destinationBucket(BUCKET)
                                        .destinationKey("copy of it"));
                store.put(BUCKET, "small", small);
                store.put(BUCKET, "medium", medium);
                s3.putObject(
                        put ->
                                put.bucket(BUCKET)
                                        .key("secret")
                                        .serverSideEncryption(ServerSideEncryption.AES256),
                        RequestBody.fromBytes(Bytes.random(7, 1 << 20)));
                String parts = multipart(s3, "parts", part, Bytes.random(8, 100));
                String first = store.put(BUCKET, "twice", twice).versionId();
                store.put(BUCKET, "twice", Bytes.random(9, 10));
                store.put(BUCKET, "twice", twice);
                store.create("plain");
                VoluteCommand.done(server, "history", "policy", "plain", "every-write");
                store.put("plain", "key", overwritten);
                store.put("plain", "key", "other");
                assertThat(VoluteCommand.done(server, "check")).contains("0 problems");
                assertThat(VoluteCommand.done(server, "damage", "list")).contains("0 damaged");
                VoluteCommand.done(server, "backup", "create", "--to", backups.toString());
                for (byte[] each : List.of(large, small, medium, part, overwritten)) {
                    damage(work.data(), each);
                }
                assertThat(VoluteCommand.run(server, "health").text()).contains("ready");
                assertThatThrownBy(() -> store.get(BUCKET, "large"));
                assertThat(VoluteCommand.run(server, "health").text())
                        .contains("ready, degraded: it has damaged data: reads have met some");
                Said check = VoluteCommand.run(server, "check");
                assertThat(check.code()).isEqualTo(3);
                assertThat(check.text())
                        .contains(
                                "s3://kept/large (current version v",
                                "s3://kept/copy of it (current version v",
                                "s3://kept/small (current version v",
                                "s3://kept/medium (current version v",
                                "s3://kept/parts (current version " + parts,
                                "s3://plain/key (state in the history null",
                                "next: volute damage repair s3://kept/large --version-id v")
                        .doesNotContain("kept/secret", "kept/twice");
                // A backup of a damaged store is not whole.
                Path bad = work.path().resolve("bad");
                Said backup = VoluteCommand.run(server, "backup", "create", "--to", bad.toString());
                assertThat(backup.code()).isEqualTo(3);
                assertThat(backup.text())
                        .contains("The store is damaged", "s3://kept/large (current version v");
                Said list = VoluteCommand.run(server, "damage", "list", "--json");
                assertThat(list.code()).isEqualTo(3);
                assertThat((List<?>) list.json().get("damaged")).hasSize(6);

                assertThat(VoluteCommand.run(server, "audit", "--all", "--contents").text())
                        .contains("the stored bytes fail their checksum, as after a bad sector")
                        .doesNotContain("the content was changed without an entry");

                // Another version of the key has the same content.
                flipFirst(work.data(), twice);
                Said named =
                        VoluteCommand.run(
                                server,
                                "damage",
                                "repair",
                                "s3://kept/twice",
                                "--version=" + first,
                                "--from=noncurrent");
                assertThat(named.text()).contains("repaired, verified by content hash");
                assertThat(named.code()).isZero();
                assertThat(store.version(BUCKET, "twice", first).asByteArray()).isEqualTo(twice);

                // No other version has this content.
                Said none =
                        VoluteCommand.run(
                                server, "damage", "repair", "s3://kept/large", "--from=noncurrent");
                assertThat(none.code()).isEqualTo(3);
                assertThat(none.text()).contains("no other state of the key has the same content");

                Said missing =
                        VoluteCommand.run(server, "damage", "repair", "s3://kept/no", from, target);
                assertThat(missing.code()).isEqualTo(1);
                assertThat(server.stop()).as(server.log()).isZero();
            }
            // The list outlives the process.
            try (ServerProcess server = ServerProcess.start(work);
                    S3Client s3 = Clients.sync(server.endpoint())) {
                Store store = new Store(server.endpoint(), s3);
                assertThat(VoluteCommand.run(server, "health").text())
                        .contains("ready, degraded: it has damaged data: some reads fail")
                        .contains("next: volute damage list");
                assertThat(VoluteCommand.run(server, "damage", "list").text())
                        .contains("s3://kept/small (current version v");
                Said one =
                        VoluteCommand.run(
                                server, "damage", "repair", "s3://kept/large", from, target);
                assertThat(one.code()).as(one.text()).isZero();
                assertThat(store.get(BUCKET, "copy of it")).isEqualTo(large);
                Said all = VoluteCommand.run(server, "damage", "repair", "--all", from, target);
                assertThat(all.code()).as(all.text()).isZero();
                assertThat(all.text())
                        .contains("s3://plain/key (state in the history null): 1 damaged stretch");
                assertThat(VoluteCommand.done(server, "damage", "list")).contains("0 damaged");
                assertThat(VoluteCommand.done(server, "health")).doesNotContain("degraded");
                assertThat(VoluteCommand.done(server, "check")).contains("0 problems");
                assertThat(store.get(BUCKET, "small")).isEqualTo(small);
                assertThat(store.get(BUCKET, "medium")).isEqualTo(medium);
                assertThat(store.get(BUCKET, "parts")).startsWith(part);
                Map<String, Object> audit = VoluteCommand.json(server, "audit", "--all");
                assertThat(audit.get("findings")).isIn(0L, List.of());
                assertThat(server.stop()).as(server.log()).isZero();
            }
        }
    }

    /** Damages the first of several places. */
    private static void flipFirst(Path data, byte[] content) throws IOException {
        byte[] sample = Arrays.copyOf(content, SAMPLE_BYTES);
        try (Stream<Path> files = Files.walk(data.resolve("cubes"))) {
            for (Path file : files.filter(each -> isSegment(each)).sorted().toList()) {
                byte[] bytes = Files.readAllBytes(file);
                for (int at = 0; at <= bytes.length - sample.length; at++) {
                    if (Arrays.equals(bytes, at, at + sample.length, sample, 0, sample.length)) {
                        flip(file, at);
                        return;
                    }
                }
            }
        }
        throw new AssertionError("the content is not there");
    }
}
