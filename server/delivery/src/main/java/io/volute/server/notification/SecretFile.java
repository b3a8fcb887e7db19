package io.volute.server.notification;

import io.volute.provenance.keys.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Secrets that targets get, in private files. They are read for each use: they may be renewed. */
final class SecretFile {
    private static final int MOST_BYTES = 4096;
    private static final int MOST_CREDENTIAL_BYTES = 64 * 1024;

    private SecretFile() {}

    /**
     * Returns a token or password.
     *
     * @throws IOException when the file cannot be used; the message names the remedy
     */
    static String line(String what, Path file) throws IOException {
        PrivateFile secret = new PrivateFile(what, file);
        String text = secret.read(MOST_BYTES);
        if (!text.matches("[\\x21-\\x7E]+")) {
            throw secret.unusable("is not one line of visible ASCII without blanks");
        }
        return text;
    }

    /**
     * Returns the bytes of a file of credentials.
     *
     * @throws IOException when the file cannot be used; the message names the remedy
     */
    static byte[] credentials(String what, Path file) throws IOException {
        return new PrivateFile(what, file)
                .read(MOST_CREDENTIAL_BYTES)
                .getBytes(StandardCharsets.ISO_8859_1);
    }
}
