package io.volute.server.accesslog;

import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Response.About;
import io.volute.storage.heap.WeighedCache;
import io.volute.versioning.value.BucketAlias;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import java.io.ByteArrayOutputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gathers the access logs of buckets in memory until they are delivered. A request to a bucket
 * without logging costs one lookup of the bucket. Thread-safe.
 */
public final class BucketLogs implements RequestWatch {
    private static final Logger LOG = LoggerFactory.getLogger(BucketLogs.class);
    private static final int MOST_BYTES_OF_BUCKET = 4 << 20;
    private static final int MOST_BYTES = 32 << 20;

    /** Heap bytes of a log object that has begun, besides its lines and its configuration. */
    private static final int LINES_BYTES = 512;

    private final RequestWatch next;
    private final Function<BucketName, Optional<BucketInfo>> buckets;
    private final InstantSource clock;
    private final int mostOfBucket;
    private final int most;

    private final LongAdder lost = new LongAdder();
    private final LongAdder delivered = new LongAdder();

    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock.
    private Map<Part, Lines> waiting = new LinkedHashMap<>();
    private final Map<Long, Integer> bytesOf = new LinkedHashMap<>();
    private int bytes;

    /**
     * @param next receives the same events; its clock is used
     * @param buckets finds a bucket in memory; UncheckedIOException if its cube is not open
     */
    public BucketLogs(
            RequestWatch next,
            Function<BucketName, Optional<BucketInfo>> buckets,
            InstantSource clock) {
        this(next, buckets, clock, MOST_BYTES_OF_BUCKET, MOST_BYTES);
    }

    BucketLogs(
            RequestWatch next,
            Function<BucketName, Optional<BucketInfo>> buckets,
            InstantSource clock,
            int mostOfBucket,
            int most) {
        this.next = next;
        this.buckets = buckets;
        this.clock = clock;
        this.mostOfBucket = mostOfBucket;
        this.most = most;
    }

    /** Requests that one log object has: of one bucket, configuration and day. */
    private record Part(long bucket, String document, LocalDate day) {}

    /** Returns the heap bytes of a log object without lines, which has its configuration. */
    static int heapBytes(String document) {
        return Math.toIntExact(LINES_BYTES + WeighedCache.heapBytes(document));
    }

    private static final class Lines {
        private final BucketInfo source;
        private final ByteArrayOutputStream text = new ByteArrayOutputStream();
        private int count;

        Lines(BucketInfo source) {
            this.source = source;
        }
    }

    /**
     * The content of a log object.
     *
     * @param source the bucket when the first line was gathered
     * @param document the configuration under which the lines were gathered
     * @param day of the requests, in UTC
     */
    public record Gathered(
            BucketInfo source, String document, LocalDate day, byte[] text, int lines) {}

    @Override
    public long now() {
        return next.now();
    }

    @Override
    public RequestBody begun(HttpHead head, RequestBody body) {
        return next.begun(head, body);
    }

    @Override
    public void answered(HttpHead head, Answered how) {
        next.answered(head, how);
        String name = BucketAlias.bucketOf(how.about().bucket());
        if (!BucketName.isValid(name)) {
            return;
        }
        try {
            Optional<BucketInfo> bucket = buckets.apply(new BucketName(name));
            bucket.flatMap(info -> info.document(BucketDocument.LOGGING))
                    .ifPresent(document -> gather(bucket.get(), document, head, how));
        } catch (UncheckedIOException e) {
            // Its cube is not open. The answer is on its way on this thread, which must go on.
            LOG.debug("no access log of bucket {}", name, e);
        }
    }

    @Override
    public void refused(Refused refused) {
        next.refused(refused);
    }

    private void gather(BucketInfo bucket, String document, HttpHead head, Answered how) {
        Instant begun = clock.instant().minusNanos(how.times().ended() - how.times().begun());
        gather(bucket, document, begun, BucketLogLine.of(bucket, head, how, begun));
        for (About.Entry entry : how.about().entries()) {
            gather(bucket, document, begun, BucketLogLine.of(bucket, head, how, begun, entry));
        }
    }

    private void gather(BucketInfo bucket, String document, Instant begun, byte[] line) {
        Part part = new Part(bucket.id(), document, LocalDate.ofInstant(begun, ZoneOffset.UTC));
        lock.lock();
        try {
            int added = line.length + (waiting.containsKey(part) ? 0 : heapBytes(document));
            int ofBucket = bytesOf.getOrDefault(bucket.id(), 0) + added;
            if (ofBucket > mostOfBucket || bytes + added > most) {
                lost.increment();
                return;
            }
            bytes += added;
            bytesOf.put(bucket.id(), ofBucket);
            Lines lines = waiting.computeIfAbsent(part, any -> new Lines(bucket));
            lines.text.writeBytes(line);
            lines.count++;
        } finally {
            lock.unlock();
        }
    }

    /** Returns what was gathered since the last call. */
    public List<Gathered> take() {
        Map<Part, Lines> taken;
        lock.lock();
        try {
            taken = waiting;
            waiting = new LinkedHashMap<>();
            bytesOf.clear();
            bytes = 0;
        } finally {
            lock.unlock();
        }
        List<Gathered> all = new ArrayList<>();
        taken.forEach(
                (part, lines) ->
                        all.add(
                                new Gathered(
                                        lines.source,
                                        part.document(),
                                        part.day(),
                                        lines.text.toByteArray(),
                                        lines.count)));
        return all;
    }

    /** Counts lines that are in a log object. */
    public void countDelivered(int lines) {
        delivered.add(lines);
    }

    /** Counts lines whose log object could not be written. */
    public void countLost(int lines) {
        lost.add(lines);
    }

    /** Returns the number of lines that are in log objects. */
    public long delivered() {
        return delivered.sum();
    }

    /** Returns the number of lines that no log object has and none will have. */
    public long lost() {
        return lost.sum();
    }
}
