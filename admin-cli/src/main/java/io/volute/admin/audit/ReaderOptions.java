package io.volute.admin.audit;

import io.volute.provenance.secrecy.AuditorKey;
import io.volute.provenance.secrecy.EntryReader;
import io.volute.provenance.secrecy.ShareFile;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Options with the private keys for reading encrypted entries. */
public final class ReaderOptions {
    @Option(
            names = "--auditor-key",
            paramLabel = "FILE",
            description = "An auditor's private key: decrypt the fields that are encrypted for it.")
    private List<Path> keys = new ArrayList<>();

    @Option(
            names = "--shares",
            paramLabel = "FILE",
            description =
                    "Key shares of another auditor (volute provenance share), if several must act"
                            + " together; may be repeated.")
    private List<Path> shares = new ArrayList<>();

    public boolean isGiven() {
        return !keys.isEmpty() || !shares.isEmpty();
    }

    public boolean hasKeys() {
        return !keys.isEmpty();
    }

    /** Reads the keys and shares. */
    public EntryReader reader() throws IOException {
        List<AuditorKey> own = new ArrayList<>();
        for (Path key : keys) {
            own.add(AuditorKey.of(PrivateKeyFile.ofAuditor(key).read()));
        }
        EntryReader reader = new EntryReader(own);
        for (Path file : shares) {
            try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
                long ignored = ShareFile.read(in, reader);
            }
        }
        return reader;
    }
}
