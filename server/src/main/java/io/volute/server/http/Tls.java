package io.volute.server.http;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.volute.server.http.HttpSettings.TlsFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS 1.3 and 1.2 with authenticated encryption only, by the JDK's provider. Certificate and key
 * can be renewed while the server runs. Thread-safe.
 */
final class Tls {
    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);
    private static final Pattern KEY =
            Pattern.compile(
                    "-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    private static final byte[] PROBE = {1, 2, 3, 4};

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

    /** The outer attributes of a file, which stay the same until the file is written. */
    private record Stamp(Object file, FileTime time, long bytes) {
        static Optional<Stamp> of(Path path) {
            try {
                BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class);
                return Optional.of(
                        new Stamp(
                                String.valueOf(found.fileKey()),
                                found.lastModifiedTime(),
                                found.size()));
            } catch (IOException e) {
                return Optional.empty();
            }
        }
    }

    private final TlsFiles files;
    private List<Optional<Stamp>> seen;
    private volatile SslContext context;

    private Tls(TlsFiles files) throws IOException {
        this.files = files;
        // Before they are read: what changes meanwhile is read again.
        seen = stamps();
        context = read(files);
    }

    /**
     * @throws IOException when the files cannot be used; the message names the next step
     */
    static Optional<Tls> open(Optional<TlsFiles> files) throws IOException {
        return files.isPresent() ? Optional.of(new Tls(files.get())) : Optional.empty();
    }

    /** Returns the context for new connections. */
    SslContext context() {
        return context;
    }

    /**
     * Loads the files, if they have changed. Unusable files are logged once, and the old pair
     * stays. Connections that are open keep theirs. Returns whether there is a new one.
     */
    synchronized boolean reload() {
        List<Optional<Stamp>> now = stamps();
        if (now.equals(seen)) {
            return false;
        }
        seen = now;
        try {
            context = read(files);
            LOG.info("the TLS certificate was read again: {}", validity(files));
            return true;
        } catch (IOException e) {
            LOG.error("the TLS certificate has changed, and the old one stays: {}", e.getMessage());
            return false;
        }
    }

    private List<Optional<Stamp>> stamps() {
        return List.of(Stamp.of(files.certificate()), Stamp.of(files.key()));
    }

    static SslContext read(TlsFiles files) throws IOException {
        for (var file : List.of(files.certificate(), files.key())) {
            if (!Files.isReadable(file)) {
                throw new IOException(
                        "the TLS file "
                                + file
                                + " cannot be read; see tls.certificate and tls.key");
            }
        }
        try {
            SslContext context =
                    SslContextBuilder.forServer(files.certificate().toFile(), files.key().toFile())
                            .sslProvider(SslProvider.JDK)
                            .protocols("TLSv1.3", "TLSv1.2")
                            .ciphers(CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                            .build();
            requirePair(files);
            return context;
        } catch (IllegalArgumentException | SSLException | GeneralSecurityException e) {
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

    private static String validity(TlsFiles files) throws IOException {
        try {
            X509Certificate read = certificate(files);
            return read.getSubjectX500Principal() + ", until " + read.getNotAfter().toInstant();
        } catch (GeneralSecurityException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static X509Certificate certificate(TlsFiles files)
            throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(files.certificate())) {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    /**
     * Checks that key and certificate belong together, as one file is renewed before the other.
     * Otherwise only handshakes would show the error.
     */
    private static void requirePair(TlsFiles files) throws IOException, GeneralSecurityException {
        PublicKey known = certificate(files).getPublicKey();
        Matcher pem = KEY.matcher(Files.readString(files.key(), StandardCharsets.US_ASCII));
        if (!pem.find()) {
            throw new GeneralSecurityException("no PRIVATE KEY");
        }
        byte[] der = Base64.getMimeDecoder().decode(pem.group(1));
        Signature signature = Signature.getInstance(algorithm(known));
        signature.initSign(
                KeyFactory.getInstance(known.getAlgorithm())
                        .generatePrivate(new PKCS8EncodedKeySpec(der)));
        signature.update(PROBE);
        byte[] signed = signature.sign();
        signature.initVerify(known);
        signature.update(PROBE);
        if (!signature.verify(signed)) {
            throw new IOException(
                    "tls.key "
                            + files.key()
                            + " is not the key of tls.certificate "
                            + files.certificate());
        }
    }

    private static String algorithm(PublicKey key) throws GeneralSecurityException {
        return switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            case "EdDSA" -> "EdDSA";
            case String other ->
                    throw new GeneralSecurityException("no certificate for TLS: " + other);
        };
    }
}
