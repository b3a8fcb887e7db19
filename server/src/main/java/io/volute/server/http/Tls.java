package io.volute.server.http;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.volute.server.http.HttpSettings.TlsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** TLS 1.3 and 1.2 with authenticated encryption only, by the JDK's provider. */
final class Tls {
    private static final List<String> CIPHERS =
            List.of(
                    "TLS_AES_128_GCM_SHA256",
                    "TLS_AES_256_GCM_SHA384",
                    "TLS_CHACHA20_POLY1305_SHA256",
                    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
                    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
                    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    private Tls() {}

    static Optional<SslContext> context(Optional<TlsFiles> files) throws IOException {
        return files.isPresent() ? Optional.of(context(files.get())) : Optional.empty();
    }

    private static SslContext context(TlsFiles files) throws IOException {
        for (var file : List.of(files.certificate(), files.key())) {
            if (!Files.isReadable(file)) {
                throw new IOException(
                        "the TLS file "
                                + file
                                + " cannot be read; see tls.certificate and tls.key");
            }
        }
        try {
            return SslContextBuilder.forServer(files.certificate().toFile(), files.key().toFile())
                    .sslProvider(SslProvider.JDK)
                    .protocols("TLSv1.3", "TLSv1.2")
                    .ciphers(CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                    .build();
        } catch (IllegalArgumentException | SSLException e) {
            throw new IOException(
                    "tls.certificate "
                            + files.certificate()
                            + " and tls.key "
                            + files.key()
                            + " cannot be used: write the certificate chain as PEM and the key as"
                            + " unencrypted PKCS#8 PEM (openssl pkcs8 -topk8 -nocrypt -in KEY)",
                    e);
        }
    }
}
