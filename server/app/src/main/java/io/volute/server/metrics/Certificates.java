package io.volute.server.metrics;

import io.volute.server.config.ServerConfig;
import io.volute.server.config.cluster.ClusterConfig;
import io.volute.server.http.HttpSettings.TlsFiles;
import io.volute.server.http.Tls;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.util.Optional;

/**
 * The files with the certificates of a server: its own first, then those of its authorities.
 *
 * @param listener of all listeners for clients, operators and Prometheus
 * @param cluster of the listener and the client for other nodes
 * @param bookkeeper of the client of bookies and ZooKeeper
 */
public record Certificates(
        Optional<Path> listener, Optional<Path> cluster, Optional<Path> bookkeeper) {

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
            return Tls.firstCertificate(file.get()).getNotAfter().toInstant().getEpochSecond();
        } catch (IOException | CertificateException e) {
            return 0;
        }
    }
}
