package io.volute.admin;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.PrivateFile;
import io.volute.provenance.secrecy.AuditorKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/**
 * An auditor's private key in PEM: a PrivateKeyInfo of X25519 (RFC 8410), as {@code openssl genpkey
 * -algorithm x25519} writes it. Others may not read the file.
 */
final class AuditorKeyFile {
    private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String END = "-----END PRIVATE KEY-----";
    private static final byte[] HEAD = HexFormat.of().parseHex("302e020100300506032b656e04220420");
    private static final int KEY_BYTES = 32;

    private final PrivateFile file;

    AuditorKeyFile(Path file) {
        this.file = new PrivateFile("the auditor's key file", file);
    }

    /**
     * @throws IOException says what to do when it is missing, is none, or others may read it
     */
    AuditorKey read() throws IOException {
        String text = file.read();
        if (text.startsWith(BEGIN) && text.endsWith(END)) {
            String body = text.substring(BEGIN.length(), text.length() - END.length());
            byte[] info = Base64.getMimeDecoder().decode(body);
            boolean isX25519 =
                    info.length == HEAD.length + KEY_BYTES
                            && Arrays.equals(info, 0, HEAD.length, HEAD, 0, HEAD.length);
            if (isX25519) {
                return AuditorKey.of(Bytes.of(Arrays.copyOfRange(info, HEAD.length, info.length)));
            }
        }
        throw file.unusable(
                "is no private key of X25519 in PEM; make one with: volute provenance auditors"
                        + " keygen");
    }

    /** Writes a new file; one that is there is not replaced. */
    void create(AuditorKey key) throws IOException {
        byte[] info = Arrays.copyOf(HEAD, HEAD.length + KEY_BYTES);
        System.arraycopy(key.secret().toArray(), 0, info, HEAD.length, KEY_BYTES);
        file.create(BEGIN + "\n" + Base64.getEncoder().encodeToString(info) + "\n" + END + "\n");
    }
}
