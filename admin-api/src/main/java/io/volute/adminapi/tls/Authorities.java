package io.volute.adminapi.tls;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Certificates that TLS trusts in place of those that Java brings along. */
public final class Authorities {
    private Authorities() {}

    /**
     * Returns a context that trusts the certificates of a PEM file, and no others; without a file,
     * one that trusts those of Java.
     *
     * @param setting that names the file
     * @throws IOException when the file cannot be used; the message names the reason
     */
    public static SSLContext trusted(String setting, Optional<Path> file) throws IOException {
        try {
            return file.isPresent() ? trusted(setting, file.get()) : SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new IOException("TLS cannot be used", e);
        }
    }

    private static SSLContext trusted(String setting, Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> all =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (all.isEmpty()) {
                throw new IOException(setting + " " + file + " has no certificate in PEM");
            }
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            int number = 0;
            for (Certificate each : all) {
                store.setCertificateEntry("authority-" + number++, each);
            }
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, dated(trust.getTrustManagers()), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    setting + " " + file + " cannot be used: write certificates in PEM", e);
        }
    }

    /**
     * Returns managers that refuse an expired certificate, too. Java does not look at the dates of
     * a certificate that is trusted itself.
     */
    private static TrustManager[] dated(TrustManager[] all) {
        return Stream.of(all)
                .map(each -> each instanceof X509ExtendedTrustManager x ? new Dated(x) : each)
                .toArray(TrustManager[]::new);
    }

    /** Returns true if a connection failed because a certificate is not valid now. */
    public static boolean areOutdated(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(
                        each ->
                                each instanceof CertificateExpiredException
                                        || each instanceof CertificateNotYetValidException);
    }

    /** Verifies as another manager, and the dates of the peer's own certificate. */
    private static final class Dated extends X509ExtendedTrustManager {
        private final X509ExtendedTrustManager trust;

        Dated(X509ExtendedTrustManager trust) {
            this.trust = trust;
        }

        private static void requireValid(X509Certificate[] chain) throws CertificateException {
            if (chain.length > 0) {
                chain[0].checkValidity();
            }
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            trust.checkClientTrusted(chain, type, socket);
            requireValid(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            trust.checkServerTrusted(chain, type, socket);
            requireValid(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            trust.checkClientTrusted(chain, type, engine);
            requireValid(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            trust.checkServerTrusted(chain, type, engine);
            requireValid(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            trust.checkClientTrusted(chain, type);
            requireValid(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            trust.checkServerTrusted(chain, type);
            requireValid(chain);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return trust.getAcceptedIssuers();
        }
    }

    /** Returns true if a connection failed because no authority of the server is trusted. */
    public static boolean areMissing(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(CertPathBuilderException.class::isInstance);
    }
}
