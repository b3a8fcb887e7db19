package io.volute.system.events;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A certificate for 127.0.0.1 that is its own authority, in PEM.
 *
 * @param key file with the private key
 * @param chain file with the certificate
 * @param both file with the private key and the certificate
 */
record Certificate(Path key, Path chain, Path both) {
    private static final String PASSWORD = "changeit";

    static Certificate create(Path directory) throws IOException, GeneralSecurityException {
        Path store = directory.resolve("keys.p12");
        BrokerProcess.run(
                directory.resolve("keytool.txt"),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                        "-genkeypair",
                        "-alias",
                        "broker",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=broker",
                        "-validity",
                        "2",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-ext",
                        "bc=ca:true",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD));
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        String key = pem("PRIVATE KEY", keys.getKey("broker", PASSWORD.toCharArray()).getEncoded());
        String chain = pem("CERTIFICATE", keys.getCertificate("broker").getEncoded());
        return new Certificate(
                Files.writeString(directory.resolve("key.pem"), key),
                Files.writeString(directory.resolve("chain.pem"), chain),
                Files.writeString(directory.resolve("both.pem"), key + chain));
    }

    private static String pem(String what, byte[] bytes) {
        Base64.Encoder lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(what, lines.encodeToString(bytes), what);
    }
}
