package io.volute.system.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import java.util.List;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.LoggingEnabled;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.PartitionDateSource;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Server access logging as the SDK sets it: an orderly stop delivers the gathered lines. */
class BucketLogIT {
    private static final String SOURCE = "source";
    private static final String TARGET = "target";
    private static final String POLICY =
            """
            { "Version": "2012-10-17", "Statement": [ {
                "Effect": "Allow",
                "Principal": { "Service": "logging.s3.amazonaws.com" },
                "Action": "s3:PutObject",
                "Resource": "arn:aws:s3:::target/logs/*",
                "Condition": { "ArnLike": { "aws:SourceArn": "arn:aws:s3:::source" } } } ] }
            """;

    private static LoggingEnabled logging() {
        return LoggingEnabled.builder()
                .targetBucket(TARGET)
                .targetPrefix("logs/")
                .targetObjectKeyFormat(
                        format ->
                                format.partitionedPrefix(
                                        prefix ->
                                                prefix.partitionDateSource(
                                                        PartitionDateSource.EVENT_TIME)))
                .build();
    }

    @Test
    void aStopDeliversTheLinesOfRequests() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("bucket-log")) {
            try (ServerProcess server = ServerProcess.start(directory);
                    S3Client s3 = Clients.once(server.endpoint())) {
                s3.createBucket(create -> create.bucket(SOURCE));
                s3.createBucket(create -> create.bucket(TARGET));
                s3.putBucketPolicy(put -> put.bucket(TARGET).policy(POLICY));
                s3.putBucketLogging(
                        put ->
                                put.bucket(SOURCE)
                                        .bucketLoggingStatus(
                                                status -> status.loggingEnabled(logging())));
                assertThat(s3.getBucketLogging(get -> get.bucket(SOURCE)).loggingEnabled())
                        .isEqualTo(logging());
                s3.putObject(
                        put -> put.bucket(SOURCE).key("a key"), RequestBody.fromString("12345"));
                s3.getObjectAsBytes(get -> get.bucket(SOURCE).key("a key"));
                s3.deleteObjects(
                        delete ->
                                delete.bucket(SOURCE)
                                        .delete(
                                                keys ->
                                                        keys.objects(
                                                                ObjectIdentifier.builder()
                                                                        .key("a key")
                                                                        .build(),
                                                                ObjectIdentifier.builder()
                                                                        .key("b")
                                                                        .versionId("v")
                                                                        .build())));
                assertThat(server.stop()).as(server.log()).isZero();
            }
            try (ServerProcess server = ServerProcess.start(directory);
                    S3Client s3 = Clients.once(server.endpoint())) {
                List<S3Object> logs = s3.listObjectsV2(list -> list.bucket(TARGET)).contents();
                assertThat(logs).isNotEmpty();
                StringBuilder lines = new StringBuilder();
                for (S3Object log : logs) {
                    assertThat(log.key()).startsWith("logs/000000000000/").contains("/source/");
                    lines.append(
                            s3.getObjectAsBytes(get -> get.bucket(TARGET).key(log.key()))
                                    .asUtf8String());
                }
                assertThat(lines.toString().lines())
                        .anyMatch(line -> line.contains(" REST.PUT.OBJECT a%20key "))
                        .anyMatch(line -> line.contains(" REST.GET.OBJECT a%20key "))
                        .anyMatch(line -> line.contains(" REST.POST.MULTI_OBJECT_DELETE - "))
                        .anyMatch(line -> line.contains(" BATCH.DELETE.OBJECT a%20key - 204 - "))
                        .anyMatch(line -> line.contains(" BATCH.DELETE.OBJECT b - 404 NoSuchV"))
                        .anyMatch(line -> line.contains(" SigV4 - AuthHeader "))
                        .noneMatch(line -> line.contains(" target "));
                assertThat(server.stop()).as(server.log()).isZero();
            }
        }
    }
}
