package io.volute.system.provenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.Attestation;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.MetadataDirective;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * A client with a key of its own signs what it does: docs/format/provenance.md, "Signing as a
 * client".
 */
class SignedByClientIT {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String ED25519_INFO = "302a300506032b6570032100";

    @TempDir private Path work;

    private Path pem(SigningKey key) throws Exception {
        byte[] info = HexFormat.of().parseHex(ED25519_INFO + key.publicKey().bytes().hex());
        return Files.writeString(
                work.resolve("me.pub"),
                "-----BEGIN PUBLIC KEY-----\n"
                        + Base64.getEncoder().encodeToString(info)
                        + "\n-----END PUBLIC KEY-----\n");
    }

    /** The header, made of nothing that a client in any language does not know. */
    private static String sign(SigningKey key, String object, String body) {
        ChainIdentity chain =
                new ChainIdentity(Bytes.of(new byte[16]), 0, "bucket", Bytes.of(object));
        byte[] nonce = new byte[Attestation.NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        long now = System.currentTimeMillis();
        Hash content = Hash.ofContent(body.getBytes(StandardCharsets.UTF_8));
        Bytes statement =
                Attestation.statement(
                        chain,
                        EventKind.WRITE,
                        Optional.of(content),
                        key.id(),
                        now,
                        Bytes.of(nonce));
        byte[] signature = key.sign(Domain.STATEMENT_SIGNATURE, statement).toArray();
        return "algorithm=ed25519,key="
                + key.id().keyId().hex()
                + ",time="
                + now
                + ",nonce="
                + HexFormat.of().formatHex(nonce)
                + ",signature="
                + Base64.getEncoder().encodeToString(signature);
    }

    private static void put(S3Client s3, String key, String body, String signature) {
        Store.put(s3, key, body, "x-volute-signature", signature);
    }

    private static void copy(S3Client s3, String signature) {
        s3.copyObject(
                copy ->
                        copy.sourceBucket("bucket")
                                .sourceKey("k")
                                .destinationBucket("bucket")
                                .destinationKey("k")
                                .metadataDirective(MetadataDirective.REPLACE)
                                .overrideConfiguration(
                                        with -> with.putHeader("x-volute-signature", signature)));
    }

    private static Map<?, ?> entry(ServerProcess server, String key, int number) throws Exception {
        Map<String, Object> shown =
                VoluteCommand.json(server, "provenance", "show", "s3://bucket/" + key);
        return (Map<?, ?>) ((List<?>) shown.get("entries")).get(number);
    }

    @Test
    void whatTheClientSignedStandsInTheEntry() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("client");
                ServerProcess server = ServerProcess.start(directory);
                S3Client s3 = Clients.once(server.endpoint())) {
            s3.createBucket(create -> create.bucket("bucket"));
            s3.putObject(
                    put -> put.bucket("bucket").key("k"), RequestBody.fromString("not signed"));
            Object principal = ((Map<?, ?>) entry(server, "k", 0).get("principal")).get("text");

            SigningKey key = SigningKey.generate(SignatureAlgorithm.ED25519, RANDOM);
            refused(s3, sign(key, "k", "signed"), "its key is not registered");
            assertThat(
                            VoluteCommand.done(
                                    server,
                                    "provenance",
                                    "principal",
                                    principal.toString(),
                                    "--public-key",
                                    pem(key).toString()))
                    .contains("this key  " + key.id().keyId().hex());
            String signature = sign(key, "k", "signed");
            put(s3, "k", "signed", signature);
            assertThat(entry(server, "k", 1).get("attestation").toString())
                    .contains("client", key.id().keyId().hex());

            refused(s3, signature, "its nonce was used before");
            refused(s3, sign(key, "k", "something else"), "it is not over kind");
            refused(s3, sign(key, "other", "signed"), "it is not over kind");
            refused("it is not over kind", () -> copy(s3, sign(key, "k", "something else")));
            assertThat(VoluteCommand.done(server, "audit", "--all", "--contents"))
                    .contains("0 findings");
            VoluteCommand.done(
                    server,
                    "provenance",
                    "principal",
                    principal.toString(),
                    "--public-key",
                    pem(key).toString(),
                    "--end",
                    "--yes");
            refused(s3, sign(key, "k", "signed"), "its key is not registered");
            assertThat(VoluteCommand.done(server, "audit", "--all"))
                    .contains("2 of 2 entries", "0 findings");
            assertThat(server.stop()).as(server.log()).isZero();
        }
    }

    private static void refused(S3Client s3, String signature, String why) {
        refused(why, () -> put(s3, "k", "signed", signature));
    }

    private static void refused(String why, ThrowingCallable change) {
        assertThatThrownBy(change)
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        e -> {
                            assertThat(e.awsErrorDetails().errorCode()).isEqualTo("AccessDenied");
                            assertThat(e.awsErrorDetails().errorMessage()).contains(why);
                        });
    }
}
