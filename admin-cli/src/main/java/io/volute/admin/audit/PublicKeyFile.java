package io.volute.admin.audit;

import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WholeFile;
import io.volute.admin.output.Facts;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.storage.io.DurableFile.Readers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A public key in PEM: a SubjectPublicKeyInfo (RFC 8410 and RFC 9881), as openssl writes it. */
public final class PublicKeyFile {
    private static final String BEGIN = "-----BEGIN PUBLIC KEY-----";
    private static final String END = "-----END PUBLIC KEY-----";

    private PublicKeyFile() {}

    /**
     * Reads a public key. The key is the tail of the SubjectPublicKeyInfo of these algorithms.
     *
     * @param known algorithms that the key may belong to
     * @throws IOException when the file is not such a key; the message names the expected format
     */
    public static PublicKey read(Path file, List<SignatureAlgorithm> known) throws IOException {
        String text = Files.readString(file, StandardCharsets.US_ASCII).strip();
        if (text.startsWith(BEGIN) && text.endsWith(END)) {
            String body = text.substring(BEGIN.length(), text.length() - END.length());
            byte[] info = Base64.getMimeDecoder().decode(body);
            for (SignatureAlgorithm algorithm : known) {
                int begin = info.length - algorithm.publicKeyBytes();
                if (begin >= 0
                        && HexFormat.of().formatHex(info, 0, begin).equals(head(algorithm))) {
                    byte[] key = Arrays.copyOfRange(info, begin, info.length);
                    return usable(file, new PublicKey(algorithm, Bytes.of(key)));
                }
            }
        }
        String names = known.stream().map(PublicKeyFile::name).collect(Collectors.joining(" or "));
        throw new IOException(file + " is no public key of " + names + " in PEM (" + BEGIN + ")");
    }

    private static PublicKey usable(Path file, PublicKey key) throws IOException {
        if (!key.isUsable()) {
            throw new IOException(file + " is no key: no point of the prime order of its curve");
        }
        return key;
    }

    /** The file for a key. */
    static String pem(PublicKey key) {
        byte[] head = HexFormat.of().parseHex(head(key.algorithm()));
        byte[] info = Arrays.copyOf(head, head.length + key.bytes().length());
        System.arraycopy(key.bytes().toArray(), 0, info, head.length, key.bytes().length());
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(info);
        return BEGIN + "\n" + body + "\n" + END + "\n";
    }

    /** Writes the public key file FILE.pub beside a new private key and prints both paths. */
    public static int createBeside(Path privateFile, PublicKey key, ServerOptions server)
            throws IOException {
        Path file = privateFile.resolveSibling(privateFile.getFileName() + ".pub");
        WholeFile.create(
                file,
                Readers.USUAL,
                out -> out.write(pem(key).getBytes(StandardCharsets.US_ASCII)));
        String id = key.id().keyId().hex();
        return server.done(
                Map.of(
                        "privateKey", privateFile.toString(),
                        "publicKey", file.toString(),
                        "keyId", id),
                new Facts()
                        .with("private key", privateFile.toString())
                        .with("public key", file.toString())
                        .with("key id", id));
    }

    private static String name(SignatureAlgorithm algorithm) {
        return switch (algorithm) {
            case ED25519 -> "Ed25519";
            case ML_DSA_65 -> "ML-DSA-65";
            case X25519 -> "X25519";
        };
    }

    /** The one encoding there is of what stands before the key. */
    private static String head(SignatureAlgorithm algorithm) {
        return switch (algorithm) {
            case ED25519 -> "302a300506032b6570032100";
            case ML_DSA_65 -> "308207b2300b0609608648016503040312038207a100";
            case X25519 -> "302a300506032b656e032100";
        };
    }
}
