package io.volute.server.auditlog;

import io.volute.provenance.anchor.LogSeal;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.server.auditlog.AuditTrail.IfUnwritten;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.FileSystem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Logs for tests: always the same bytes. */
final class SampleLog {
    static final SigningKey STORE =
            SigningKey.ofSeed(
                    SignatureAlgorithm.ED25519,
                    Bytes.of(
                            "the store's seed has 32 bytes..."
                                    .getBytes(StandardCharsets.US_ASCII)));
    static final KeyList KEYS =
            KeyList.begin(
                    Bytes.of("store-id-is-16-b".getBytes(StandardCharsets.US_ASCII)),
                    List.of(STORE),
                    0);
    static final InstantSource CLOCK =
            InstantSource.fixed(Instant.parse("2026-03-01T12:00:00.250Z"));

    private SampleLog() {}

    static Optional<LogSeal> seal(long sequence, Hash hash) {
        return Optional.of(
                LogSeal.sign(KEYS.storeId(), sequence, hash, CLOCK.millis(), 5, List.of(STORE)));
    }

    /** Opens a log in a directory, which has the record of it too. */
    static AuditLog open(FileSystem files, Path directory, long fileBytesMax, long filesMax)
            throws IOException {
        return open(files, directory, directory, fileBytesMax, filesMax);
    }

    static AuditLog open(
            FileSystem files, Path data, Path directory, long fileBytesMax, long filesMax)
            throws IOException {
        try (StoreDirectory store = StoreDirectory.open(data, files, CLOCK)) {
            return AuditLog.open(
                    new AuditLog.Settings(directory, fileBytesMax, filesMax),
                    store,
                    files,
                    SampleLog::seal,
                    CLOCK);
        }
    }

    static HttpHead head(String requestId) {
        return new HttpHead(
                "POST",
                "/_volute/v1/keys",
                "",
                new HeaderList(List.of()),
                true,
                "192.0.2.7",
                0,
                requestId);
    }

    static About ann(String operation) {
        return new About(operation, "ann", "AKIA7Q", "", "", "", "");
    }

    /** A change that was done. */
    static void change(AuditLog log, String id) {
        log.begin(head(id), ann("AdminCreateKey"), Map.of("user", id), IfUnwritten.REFUSED)
                .ended("", Map.of());
    }

    /** Returns the lines of a file, including their line ends. */
    static List<byte[]> lines(byte[] file) {
        List<byte[]> lines = new ArrayList<>();
        int begin = 0;
        for (int i = 0; i < file.length; i++) {
            if (file[i] == '\n') {
                lines.add(Arrays.copyOfRange(file, begin, i + 1));
                begin = i + 1;
            }
        }
        return lines;
    }
}
