package io.volute.server.upkeep;

import io.volute.server.Upkeep;
import io.volute.server.accesslog.BucketLogs;
import io.volute.server.accesslog.BucketLogs.Gathered;
import io.volute.server.s3.checksum.BodyDigests;
import io.volute.server.s3.checksum.BodyDigests.Etag;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.encryption.Sealing;
import io.volute.server.s3.logging.LogTarget;
import io.volute.server.s3.logging.LoggingStatus;
import io.volute.storage.BlobWriter;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.value.BodyHash;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the gathered access logs of buckets as objects of their target buckets, as the actor
 * {@code access-logs}; the last ones when it is closed. The delivery is best effort, as S3's: lines
 * that a target does not take are counted as lost. It writes to the store, so its own writes are
 * not requests and make no lines.
 */
public final class BucketLogDelivery implements Upkeep.Task, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BucketLogDelivery.class);
    private static final Upkeep.Pauses PAUSES = Upkeep.Pauses.of(Duration.ofMinutes(5));
    private static final String ACTOR = "access-logs";

    private final ObjectStore store;
    private final BucketLogs logs;
    private final Encryption encryption;
    private final String region;
    private final InstantSource clock;
    private final RandomGenerator random;
    private Optional<Upkeep> upkeep = Optional.empty();

    /**
     * @param region stands in the keys of log objects
     * @param random makes these keys unique
     */
    public BucketLogDelivery(
            ObjectStore store,
            BucketLogs logs,
            Encryption encryption,
            String region,
            InstantSource clock,
            RandomGenerator random) {
        this.store = store;
        this.logs = logs;
        this.encryption = encryption;
        this.region = region;
        this.clock = clock;
        this.random = random;
    }

    /** Starts to deliver every few minutes. */
    public BucketLogDelivery start() {
        upkeep = Optional.of(Upkeep.start("access-logs", PAUSES, this));
        return this;
    }

    @Override
    public void look() {
        for (Gathered some : logs.take()) {
            try {
                deliver(some);
            } catch (IOException | RuntimeException e) {
                lose(some, e.getMessage());
            }
        }
    }

    private void deliver(Gathered some) throws IOException {
        LoggingStatus status =
                LoggingStatus.read(some.document().getBytes(StandardCharsets.UTF_8)).orElseThrow();
        Optional<BucketInfo> target = store.bucket(new BucketName(status.target()));
        if (target.isEmpty()) {
            lose(some, "there is no bucket " + status.target());
            return;
        }
        String unique = HexFormat.of().withUpperCase().toHexDigits(random.nextLong());
        ObjectKey key = status.key(some.source(), region, some.day(), clock.instant(), unique);
        Optional<String> refusal = LogTarget.refusal(some.source(), target.get(), key);
        if (refusal.isPresent()) {
            lose(some, refusal.get());
            return;
        }
        write(target.get(), key, some.text());
        logs.countDelivered(some.lines());
    }

    private void write(BucketInfo target, ObjectKey key, byte[] text) throws IOException {
        BodyDigests digests =
                new BodyDigests(Promises.NONE, Optional.of(Algorithm.CRC64NVME), Etag.NEEDED);
        digests.update(ByteBuffer.wrap(text));
        digests.verify(Optional.empty());
        ObjectAttributes attributes =
                new ObjectAttributes(
                                digests.etag(),
                                Collections.emptySortedMap(),
                                Collections.emptySortedMap(),
                                Collections.emptySortedMap(),
                                digests.checksum())
                        .withHeader("content-type", Optional.of("text/plain"));
        Optional<Sealing> sealing = encryption.byDefault(target, key);
        OptionalLong expected = OptionalLong.of(text.length);
        try (BlobWriter body =
                Sealing.over(
                        sealing,
                        store.newBody(target, key, expected, BodyHash.UNKNOWN),
                        expected)) {
            body.write(ByteBuffer.wrap(text));
            store.put(
                    Caller.ofTask(target.owner(), ACTOR),
                    target,
                    key,
                    body.finish(),
                    Sealing.in(attributes, sealing),
                    WriteCondition.NONE);
        }
    }

    private void lose(Gathered some, String reason) {
        logs.countLost(some.lines());
        LOG.warn(
                "{} lines of the access log of bucket {} are lost: {}",
                some.lines(),
                some.source().name().value(),
                reason);
    }

    @Override
    public void close() {
        upkeep.ifPresent(Upkeep::close);
        look();
    }
}
