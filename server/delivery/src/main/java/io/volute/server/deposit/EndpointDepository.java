package io.volute.server.deposit;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.config.CheckpointExport;
import io.volute.server.outbound.Addresses;
import io.volute.server.outbound.Content;
import io.volute.server.outbound.S3Access;
import io.volute.server.outbound.S3Client;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;

/**
 * A bucket of another server, by S3. Each copy is one signed PUT with the hash of its body, which
 * needs no other permission.
 */
public final class EndpointDepository implements Depository {
    private static final S3Client.Settings SETTINGS =
            new S3Client.Settings(
                    "provenance.checkpoint-export-credentials",
                    "provenance.checkpoint-export-region",
                    "provenance.checkpoint-export-ca");
    private static final int PRECONDITION_FAILED = 412;

    private final CheckpointExport.Endpoint target;
    private final S3Client s3;

    /**
     * @throws IOException when the credentials or certificates cannot be used; the message names
     *     the reason
     */
    public EndpointDepository(CheckpointExport.Endpoint target, InstantSource clock)
            throws IOException {
        this.target = target;
        S3Access access =
                S3Access.ofFile(
                        SETTINGS.credentials(),
                        target.credentials(),
                        target.region(),
                        target.authorities());
        // Bad credentials should fail the start, not the first delivery.
        RequestSigner unused = access.signer().get();
        s3 = new S3Client(target.server(), Addresses.OF_OPERATOR, access, SETTINGS, clock);
    }

    @Override
    public String text() {
        return target.text();
    }

    @Override
    public boolean put(String name, Path file, Existing existing) throws IOException {
        Map<String, String> headers =
                existing == Existing.STAYS ? Map.of("if-none-match", "*") : Map.of();
        S3Client.Answer answer =
                s3.send(
                        new S3Client.Request(
                                "PUT",
                                target.bucket(),
                                target.prefix() + name,
                                Map.of(),
                                headers,
                                Content.of(file)),
                        S3Client.MOST_DOCUMENT_BYTES);
        if (answer.status() == PRECONDITION_FAILED && existing == Existing.STAYS) {
            return false;
        }
        answer.requireSuccess();
        return true;
    }

    @Override
    public void close() {
        s3.close();
    }
}
