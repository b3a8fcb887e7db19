package io.volute.server.http;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.volute.server.http.HttpSettings.TlsFiles;
import io.volute.server.http.HttpSettings.TlsFiles.Dates;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS 1.3 and 1.2 with authenticated encryption only, by the JDK's provider. Certificate and key
 * can be renewed while the server runs. Thread-safe.
 */
public final class Tls {
    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);
    private static final Pattern KEY =
            Pattern.compile(
                    "-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----");

    private static final byte[] PROBE = {1, 2, 3, 4};

    /** Time before the end of a certificate from which on it is a warning. */
    private static final Duration SOON = Duration.ofDays(14);

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
     * Reads the files, if there are some.
     *
     * @throws IOException when the files cannot be used; the message names the next step
     */
    public static Optional<Tls> open(Optional<TlsFiles> files) throws IOException {
        return files.isPresent() ? Optional.of(new Tls(files.get())) : Optional.empty();
    }

    /**
     * Returns the makers of new connections to servers. They present the certificate, and trust the
     * authorities that clients of this server need.
     */
    public SSLSocketFactory sockets() {
        return ((JdkSslContext) context).context().getSocketFactory();
    }

    /**
     * Checks that another server with the same authorities would accept this server, as a server
     * and as a client. It makes a handshake in memory.
     *
     * @param host that others connect to
     * @throws IOException when it would not; the message names the settings
     */
    public void requireAccepted(String host) throws IOException {
        SSLEngine engine = ((JdkSslContext) context).context().createSSLEngine(host, 1);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        engine.setSSLParameters(parameters);
        EmbeddedChannel client = new EmbeddedChannel(new SslHandler(engine));
        EmbeddedChannel server =
                new EmbeddedChannel(context.newHandler(UnpooledByteBufAllocator.DEFAULT));
        try {
            boolean hasMoved = true;
            while (hasMoved) {
                hasMoved = move(client, server) | move(server, client);
            }
        } catch (DecoderException e) {
            throw new IOException(
                    "other nodes would not accept "
                            + files.settings()
                            + ".certificate "
                            + files.certificate()
                            + ": it must name "
                            + host
                            + ", be of an authority in "
                            + files.settings()
                            + ".ca, and be for servers and clients ("
                            + e.getCause().getMessage()
                            + ")",
                    e);
        } finally {
            // Not finish, which fails again for a failed handshake.
            ChannelFuture unusedClient = client.close();
            ChannelFuture unusedServer = server.close();
            client.releaseOutbound();
            server.releaseOutbound();
        }
    }

    private static boolean move(EmbeddedChannel from, EmbeddedChannel to) {
        boolean hasMoved = false;
        for (Object bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
            boolean unused = to.writeInbound(bytes);
            hasMoved = true;
        }
        return hasMoved;
    }

    /** Returns the context for new connections. */
    SslContext context() {
        return context;
    }

    /**
     * Loads the files, if they have changed. Unusable files are logged once, and the old pair
     * stays. Connections that are open keep theirs. Returns whether there is a new one.
     */
    public synchronized boolean reload() {
        List<Optional<Stamp>> now = stamps();
        if (now.equals(seen)) {
            return false;
        }
        seen = now;
        try {
            context = read(files);
            LOG.info("read {}.certificate again: {}", files.settings(), validity(files));
            return true;
        } catch (IOException e) {
            LOG.error(
                    "a file of {} has changed, and the old ones stay: {}",
                    files.settings(),
                    e.getMessage());
            return false;
        }
    }

    private List<Optional<Stamp>> stamps() {
        return files.all().stream().map(Stamp::of).toList();
    }

    static SslContext read(TlsFiles files) throws IOException {
        for (Path file : files.all()) {
            if (!Files.isReadable(file)) {
                throw new IOException(
                        "the TLS file "
                                + file
                                + " cannot be read; see "
                                + files.settings()
                                + ".certificate and "
                                + files.settings()
                                + ".key"
                                + files.clientAuthorities()
                                        .map(each -> " and " + files.settings() + ".ca")
                                        .orElse(""));
            }
        }
        try {
            SslContextBuilder builder =
                    SslContextBuilder.forServer(files.certificate().toFile(), files.key().toFile())
                            .sslProvider(SslProvider.JDK)
                            .protocols("TLSv1.3", "TLSv1.2")
                            .ciphers(CIPHERS, SupportedCipherSuiteFilter.INSTANCE);
            if (files.clientAuthorities().isPresent()) {
                builder.clientAuth(ClientAuth.REQUIRE)
                        .trustManager(files.clientAuthorities().get().toFile());
            }
            SslContext context = builder.build();
            requirePair(files);
            return context;
        } catch (IllegalArgumentException | SSLException | GeneralSecurityException e) {
            throw new IOException(
                    files.settings()
                            + ".certificate "
                            + files.certificate()
                            + " and "
                            + files.settings()
                            + ".key "
                            + files.key()
                            + files.clientAuthorities()
                                    .map(each -> " and " + files.settings() + ".ca " + each)
                                    .orElse("")
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

    /** Returns the instant at which the certificate ends, and what is wrong with its dates. */
    static Dates dates(TlsFiles files, Instant now) throws IOException {
        try {
            X509Certificate read = certificate(files);
            Instant begin = read.getNotBefore().toInstant();
            Instant end = read.getNotAfter().toInstant();
            String name = files.settings() + ".certificate " + files.certificate();
            String renew = "; renew it, the server reads it again without a restart";
            if (now.isAfter(end)) {
                return new Dates(end, true, name + " has expired on " + end + renew);
            }
            if (now.isBefore(begin)) {
                return new Dates(end, true, name + " is not valid before " + begin);
            }
            return now.plus(SOON).isAfter(end)
                    ? new Dates(end, false, name + " expires on " + end + renew)
                    : new Dates(end, false, "");
        } catch (GeneralSecurityException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static X509Certificate certificate(TlsFiles files)
            throws IOException, GeneralSecurityException {
        return firstCertificate(files.certificate());
    }

    /**
     * Reads the first certificate of a PEM file, also behind a private key.
     *
     * @throws CertificateException when there is none
     */
    public static X509Certificate firstCertificate(Path file)
            throws IOException, CertificateException {
        String text = Files.readString(file, StandardCharsets.ISO_8859_1);
        Matcher pem = CERTIFICATE.matcher(text);
        byte[] first = (pem.find() ? pem.group() : text).getBytes(StandardCharsets.ISO_8859_1);
        return (X509Certificate)
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(first));
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
                    files.settings()
                            + ".key "
                            + files.key()
                            + " is not the key of "
                            + files.settings()
                            + ".certificate "
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
