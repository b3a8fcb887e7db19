package io.volute.server.metrics;

import io.volute.server.config.ServerConfig;
import io.volute.server.config.cluster.ClusterConfig;
import io.volute.server.http.HttpSettings.TlsFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files with the certificates of a server: its own first, then those of its authorities.
 *
 * @param listener of all listeners for clients, operators and Prometheus
 * @param cluster of the listener and the client for other nodes
 * @param bookkeeper of the client of bookies and ZooKeeper
 */
public record Certificates(
        Optional<Path> listener, Optional<Path> cluster, Optional<Path> bookkeeper) {

    /** Matches the first certificate, also behind a private key. */
    private static final Pattern PEM =
            Pattern.compile("-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----");

    /** Returns the certificates of the settings. */
    public static Certificates of(ServerConfig config) {
        return new Certificates(
                config.http().tls().map(TlsFiles::certificate),
                config.cluster().flatMap(ClusterConfig::tls).map(TlsFiles::certificate),
                config.logStore().security().certificate());
    }

    /**
     * Returns the second since 1970 at which the first certificate of a file ends, as the file is
     * now; 0 without a file, or if it cannot be read.
     */
    static double endSecond(Optional<Path> file) {
        if (file.isEmpty()) {
            return 0;
        }
        try {
            String text = Files.readString(file.get(), StandardCharsets.ISO_8859_1);
            Matcher pem = PEM.matcher(text);
            byte[] first = (pem.find() ? pem.group() : text).getBytes(StandardCharsets.ISO_8859_1);
            X509Certificate read =
                    (X509Certificate)
                            CertificateFactory.getInstance("X.509")
                                    .generateCertificate(new ByteArrayInputStream(first));
            return read.getNotAfter().toInstant().getEpochSecond();
        } catch (IOException | CertificateException e) {
            return 0;
        }
    }
}
