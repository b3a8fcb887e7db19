package io.volute.admin.audit;

import io.volute.admin.client.WholeFile;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.PrivateFile;
import io.volute.storage.io.DurableFile.Readers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/**
 * A private key in PEM: a PrivateKeyInfo (RFC 8410), as {@code openssl genpkey -algorithm} writes
 * it. Others may not read the file.
 */
public final class PrivateKeyFile {
    private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String END = "-----END PRIVATE KEY-----";
    private static final int KEY_BYTES = 32;

    private final Path path;
    private final PrivateFile file;
    private final Kind kind;

    private enum Kind {
        X25519("X25519", "302e020100300506032b656e04220420", "auditors"),
        ED25519("Ed25519", "302e020100300506032b657004220420", "witness");

        private final String name;
        private final byte[] head;
        private final String command;

        Kind(String name, String head, String command) {
            this.name = name;
            this.head = HexFormat.of().parseHex(head);
            this.command = command;
        }
    }

    private PrivateKeyFile(String what, Path path, Kind kind) {
        this.path = path;
        this.file = new PrivateFile(what, path);
        this.kind = kind;
    }

    /** An auditor's, who reads what is encrypted: of X25519. */
    public static PrivateKeyFile ofAuditor(Path file) {
        return new PrivateKeyFile("the auditor's key file", file, Kind.X25519);
    }

    /** A witness's, who signs: of Ed25519. */
    public static PrivateKeyFile ofWitness(Path file) {
        return new PrivateKeyFile("the witness's key file", file, Kind.ED25519);
    }

    /**
     * Returns the secret, 32 bytes.
     *
     * @throws IOException when the file is missing, is not a private key, or is readable by others;
     *     the message names the remedy
     */
    public Bytes read() throws IOException {
        String text = file.read();
        if (text.startsWith(BEGIN) && text.endsWith(END)) {
            String body = text.substring(BEGIN.length(), text.length() - END.length());
            byte[] info = Base64.getMimeDecoder().decode(body);
            int begin = kind.head.length;
            boolean isOfKind =
                    info.length == begin + KEY_BYTES
                            && Arrays.equals(info, 0, begin, kind.head, 0, begin);
            if (isOfKind) {
                return Bytes.of(Arrays.copyOfRange(info, begin, info.length));
            }
        }
        throw file.unusable(
                "is no private key of "
                        + kind.name
                        + " in PEM; make one with: volute provenance "
                        + kind.command
                        + " keygen");
    }

    /** Writes a new file with a secret of 32 bytes; one that is there is not replaced. */
    public void create(Bytes secret) throws IOException {
        byte[] info = Arrays.copyOf(kind.head, kind.head.length + KEY_BYTES);
        System.arraycopy(secret.toArray(), 0, info, kind.head.length, KEY_BYTES);
        String text = BEGIN + "\n" + Base64.getEncoder().encodeToString(info) + "\n" + END + "\n";
        file.checkPlace();
        try {
            WholeFile.create(
                    path,
                    Readers.OWNER,
                    out -> out.write(text.getBytes(StandardCharsets.US_ASCII)));
        } catch (FileAlreadyExistsException e) {
            throw file.existing(e);
        }
    }
}
