package io.volute.system.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.BucketCannedACL;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.Grant;
import software.amazon.awssdk.services.s3.model.ObjectCannedACL;
import software.amazon.awssdk.services.s3.model.ObjectOwnership;
import software.amazon.awssdk.services.s3.model.Permission;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;
import software.amazon.awssdk.services.s3.model.Type;

/**
 * ACLs between two users and a caller without a signature, as the SDK sets and reads them. They
 * survive a kill and the loss of the index.
 */
class AclIT {
    private static final String BUCKET = "shared";

    private static final String USERS =
            """
            users = [
              { access-key = "ALICEKEY", secret-key = "alice-secret", principal = "alice" }
              { access-key = "BOBKEY", secret-key = "bob-secret", principal = "bob" }
            ]
            """;

    /** The callers of one server. */
    private record Callers(S3Client alice, S3Client bob, S3Client nobody) implements AutoCloseable {
        static Callers of(URI endpoint) {
            return new Callers(
                    Clients.as(endpoint, AwsBasicCredentials.create("ALICEKEY", "alice-secret")),
                    Clients.as(endpoint, AwsBasicCredentials.create("BOBKEY", "bob-secret")),
                    Clients.as(endpoint, AnonymousCredentialsProvider.create()));
        }

        @Override
        public void close() {
            alice.close();
            bob.close();
            nobody.close();
        }
    }

    private static String get(S3Client s3, String key) {
        return s3.getObjectAsBytes(get -> get.bucket(BUCKET).key(key)).asUtf8String();
    }

    private static void refused(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.statusCode()).isEqualTo(403));
    }

    private static void put(S3Client s3, String key, ObjectCannedACL acl) {
        s3.putObject(put -> put.bucket(BUCKET).key(key).acl(acl), RequestBody.fromString(key));
    }

    private static void share(Callers callers) {
        callers.alice()
                .createBucket(
                        create ->
                                create.bucket(BUCKET)
                                        .objectOwnership(ObjectOwnership.OBJECT_WRITER)
                                        .acl(BucketCannedACL.PUBLIC_READ));
        callers.alice()
                .putBucketVersioning(
                        put ->
                                put.bucket(BUCKET)
                                        .versioningConfiguration(
                                                each ->
                                                        each.status(
                                                                BucketVersioningStatus.ENABLED)));
        List<Grant> grants = callers.alice().getBucketAcl(read -> read.bucket(BUCKET)).grants();
        assertThat(grants).hasSize(2);
        List<Grant> more = new ArrayList<>(grants);
        more.add(
                Grant.builder()
                        .grantee(who -> who.id("bob").type(Type.CANONICAL_USER))
                        .permission(Permission.WRITE)
                        .build());
        callers.alice()
                .putBucketAcl(
                        put ->
                                put.bucket(BUCKET)
                                        .accessControlPolicy(
                                                acl ->
                                                        acl.owner(owner -> owner.id("alice"))
                                                                .grants(more)));
        put(callers.alice(), "open", ObjectCannedACL.PUBLIC_READ);
        put(callers.alice(), "private", ObjectCannedACL.PRIVATE);
        put(callers.bob(), "his", ObjectCannedACL.PRIVATE);
        callers.alice()
                .putObjectAcl(acl -> acl.bucket(BUCKET).key("private").grantRead("id=\"bob\""));
    }

    private static void check(Callers callers) {
        assertThat(get(callers.nobody(), "open")).isEqualTo("open");
        assertThat(callers.nobody().listObjects(list -> list.bucket(BUCKET)).contents())
                .extracting(S3Object::key)
                .containsExactly("his", "open", "private");
        assertThat(callers.nobody().listObjects(list -> list.bucket(BUCKET)).contents())
                .extracting(object -> object.owner().id())
                .containsExactly("bob", "alice", "alice");
        refused(() -> get(callers.nobody(), "private"));
        refused(() -> get(callers.nobody(), "his"));
        assertThat(get(callers.bob(), "private")).isEqualTo("private");
        assertThat(get(callers.bob(), "his")).isEqualTo("his");
        refused(() -> get(callers.alice(), "his"));
        refused(() -> put(callers.nobody(), "new", ObjectCannedACL.PRIVATE));
        refused(
                () ->
                        callers.bob()
                                .putObjectAcl(
                                        put ->
                                                put.bucket(BUCKET)
                                                        .key("open")
                                                        .acl(ObjectCannedACL.PRIVATE)));
        assertThat(callers.bob().getObjectAcl(read -> read.bucket(BUCKET).key("his")).owner().id())
                .isEqualTo("bob");
    }

    private static void block(Callers callers, boolean isIgnoring) {
        callers.alice()
                .putPublicAccessBlock(
                        put ->
                                put.bucket(BUCKET)
                                        .publicAccessBlockConfiguration(
                                                block ->
                                                        block.ignorePublicAcls(isIgnoring)
                                                                .blockPublicAcls(isIgnoring)));
    }

    private static void checkBlocked(Callers callers) {
        block(callers, true);
        refused(() -> get(callers.nobody(), "open"));
        refused(() -> callers.nobody().listObjects(list -> list.bucket(BUCKET)));
        refused(() -> put(callers.alice(), "new", ObjectCannedACL.PUBLIC_READ));
        assertThat(get(callers.bob(), "private")).isEqualTo("private");
        block(callers, false);
    }

    @Test
    void aclsHoldBetweenUsersAndSurviveAKillAndTheLossOfTheIndex() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("acl")) {
            Path config = Files.writeString(work.path().resolve("users.conf"), USERS);
            ServerProcess.Options options =
                    ServerProcess.Options.of(work.data())
                            .withArguments("--config", config.toString());
            try (ServerProcess server = ServerProcess.start(options);
                    Callers callers = Callers.of(server.endpoint())) {
                share(callers);
                check(callers);
                checkBlocked(callers);
                server.kill();
            }
            TemporaryStore.deleteTree(work.data().resolve("cubes/default/index"));
            try (ServerProcess server = ServerProcess.start(options);
                    Callers callers = Callers.of(server.endpoint())) {
                check(callers);
                checkBlocked(callers);
                check(callers);
                assertThat(VoluteCommand.done(server, "audit", "--all", "--contents"))
                        .contains("0 findings");
                assertThat(
                                VoluteCommand.done(
                                        server,
                                        "provenance",
                                        "show",
                                        "s3://" + BUCKET + "/private"))
                        .containsIgnoringCase("acl");
                assertThat(server.stop()).isZero();
            }
        }
    }
}
