package io.volute.server.s3.replication;

import io.volute.server.config.ReplicationConfig;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A bucket that takes replicas. Its ARN is {@code arn:aws:s3:::BUCKET} for a bucket of this store,
 * and {@code arn:volute:replication::TARGET:BUCKET} for one at a target of the settings. The
 * partition {@code minio} means the same.
 *
 * @param target name of the target; {@link ReplicationConfig#LOCAL} for this store
 */
public record ReplicaTarget(String target, String bucket) {
    private static final String BUCKET = "([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])";
    private static final Pattern HERE = Pattern.compile("arn:aws:s3:::" + BUCKET);
    private static final Pattern ELSEWHERE =
            Pattern.compile(
                    "arn:(?:volute|minio):replication:[a-z0-9-]{0,63}:("
                            + ReplicationConfig.NAME
                            + "):"
                            + BUCKET);

    /** The prefix of the consumers in the outbox. */
    private static final String WAITING = "replicate:";

    private static final String FAILED = "unreplicated:";

    /** The consumer of the messages that are the runs for existing objects. */
    public static final String RUNS = "replication-runs";

    /** Reads an ARN; empty when it is of no form that a destination has. */
    public static Optional<ReplicaTarget> of(String arn) {
        Matcher here = HERE.matcher(arn);
        if (here.matches()) {
            return Optional.of(new ReplicaTarget(ReplicationConfig.LOCAL, here.group(1)));
        }
        Matcher elsewhere = ELSEWHERE.matcher(arn);
        return elsewhere.matches()
                ? Optional.of(new ReplicaTarget(elsewhere.group(1), elsewhere.group(2)))
                : Optional.empty();
    }

    /** Returns the consumer of the messages to a target. */
    public static String consumer(String target) {
        return WAITING + target;
    }

    /** Returns the consumer that keeps the messages which a target refused for good. */
    public static String failed(String target) {
        return FAILED + target;
    }

    /** Returns whether a consumer in the outbox is one of replication. */
    public static boolean isConsumer(String consumer) {
        return target(consumer).isPresent() || consumer.equals(RUNS);
    }

    /** Returns the target of a consumer; empty for consumers of others than replication. */
    public static Optional<String> target(String consumer) {
        return Stream.of(WAITING, FAILED)
                .filter(consumer::startsWith)
                .map(prefix -> consumer.substring(prefix.length()))
                .findFirst();
    }

    /** Returns the consumer that keeps what another one, which is waiting, was refused for good. */
    static String failedOf(String consumer) {
        return failed(consumer.substring(WAITING.length()));
    }
}
