package io.volute.system;

import java.net.URI;
import java.time.Duration;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.http.apache.ApacheHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/** The AWS SDK's clients, set up as a user would set them up for a store of another address. */
public final class Clients {
    private Clients() {}

    public static StaticCredentialsProvider credentials() {
        return StaticCredentialsProvider.create(
                AwsBasicCredentials.create(ServerProcess.ACCESS_KEY, ServerProcess.SECRET_KEY));
    }

    public static S3Client sync(URI endpoint) {
        return as(endpoint, credentials());
    }

    public static S3Client as(URI endpoint, AwsCredentials credentials) {
        return as(endpoint, StaticCredentialsProvider.create(credentials));
    }

    public static S3Client as(URI endpoint, AwsCredentialsProvider credentials) {
        return S3Client.builder()
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .credentialsProvider(credentials)
                .forcePathStyle(true)
                .build();
    }

    /** Creates a client whose requests carry the forwarded address that a proxy adds. */
    public static S3Client behindProxy(URI endpoint, AwsCredentials credentials, String address) {
        return S3Client.builder()
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(credentials))
                .forcePathStyle(true)
                .overrideConfiguration(override -> override.putHeader("X-Forwarded-For", address))
                .build();
    }

    /**
     * Creates a client without retries: each call is one request, with a known or unknown outcome.
     */
    public static S3Client once(URI endpoint) {
        return S3Client.builder()
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .credentialsProvider(credentials())
                .forcePathStyle(true)
                .httpClientBuilder(
                        ApacheHttpClient.builder()
                                .maxConnections(64)
                                .connectionTimeout(Duration.ofSeconds(10))
                                .socketTimeout(Duration.ofSeconds(60)))
                .overrideConfiguration(
                        override -> override.retryStrategy(AwsRetryStrategy.doNotRetry()))
                .build();
    }

    public static S3AsyncClient async(URI endpoint) {
        return S3AsyncClient.builder()
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .credentialsProvider(credentials())
                .forcePathStyle(true)
                .multipartEnabled(true)
                .multipartConfiguration(
                        parts -> parts.minimumPartSizeInBytes(5L << 20).thresholdInBytes(8L << 20))
                .build();
    }

    public static S3Presigner presigner(URI endpoint) {
        return S3Presigner.builder()
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .credentialsProvider(credentials())
                .serviceConfiguration(
                        S3Configuration.builder().pathStyleAccessEnabled(true).build())
                .build();
    }
}
