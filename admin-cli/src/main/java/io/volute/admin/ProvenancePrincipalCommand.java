package io.volute.admin;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.SignatureAlgorithm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Registers the public key with which a principal signs what it does, or ends it. */
@Command(
        name = "principal",
        mixinStandardHelpOptions = true,
        description = {
            "Registers a principal's own public key: what it signs with it (x-volute-signature)"
                    + " stands in the entries. With --end, it signs nothing any more.",
            "Make a key with: openssl genpkey -algorithm ed25519 -out me.pem; openssl pkey -in"
                    + " me.pem -pubout -out me.pub"
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:done",
            "1:the server cannot be reached or refused, or the file is no public key",
            "2:wrong usage"
        })
final class ProvenancePrincipalCommand implements Callable<Integer> {
    private static final String BEGIN = "-----BEGIN PUBLIC KEY-----";
    private static final String END = "-----END PUBLIC KEY-----";

    @ParentCommand private ProvenanceCommand provenance;

    @Option(
            names = "--principal",
            paramLabel = "ACCOUNT",
            required = true,
            description = "Whose key it is.")
    private String principal;

    @Option(
            names = "--public-key",
            paramLabel = "FILE",
            required = true,
            description = "The public key, PEM, of Ed25519 or ML-DSA-65.")
    private Path file;

    @Option(names = "--end", description = "It signs nothing any more.")
    private boolean isEnd;

    @Override
    public Integer call() throws InterruptedException {
        ServerOptions server = provenance.server();
        return server.run(
                client -> {
                    PublicKey key = read(file);
                    Map<String, Object> asked = new LinkedHashMap<>();
                    asked.put("principal", principal);
                    asked.put("algorithm", AuditOptions.word(key.algorithm()));
                    asked.put(
                            "publicKey", Base64.getEncoder().encodeToString(key.bytes().toArray()));
                    asked.put("end", isEnd);
                    Map<String, Object> keys =
                            client.post(ProvenanceCommand.PATH + "principals", asked);
                    ProvenanceKeysCommand.show(server, keys);
                    if (!server.isJson()) {
                        server.out().println("this key  " + key.id().keyId().hex());
                        server.out().flush();
                    }
                    return ServerOptions.OK;
                });
    }

    /** The key is what a SubjectPublicKeyInfo of these algorithms ends with. */
    static PublicKey read(Path file) throws IOException {
        String text = Files.readString(file, StandardCharsets.US_ASCII).strip();
        if (text.startsWith(BEGIN) && text.endsWith(END)) {
            String body = text.substring(BEGIN.length(), text.length() - END.length());
            byte[] info = Base64.getMimeDecoder().decode(body);
            for (SignatureAlgorithm algorithm : SignatureAlgorithm.values()) {
                int begin = info.length - algorithm.publicKeyBytes();
                if (begin >= 0 && isOf(algorithm, info, begin)) {
                    byte[] key = Arrays.copyOfRange(info, begin, info.length);
                    return new PublicKey(algorithm, Bytes.of(key));
                }
            }
        }
        throw new IOException(
                file + " is no public key of Ed25519 or ML-DSA-65 in PEM (" + BEGIN + ")");
    }

    /** RFC 8410 and RFC 9881: the one encoding there is of what stands before the key. */
    private static boolean isOf(SignatureAlgorithm algorithm, byte[] info, int begin) {
        String head =
                switch (algorithm) {
                    case ED25519 -> "302a300506032b6570032100";
                    case ML_DSA_65 -> "308207b2300b0609608648016503040312038207a100";
                };
        return HexFormat.of().formatHex(info, 0, begin).equals(head);
    }
}
