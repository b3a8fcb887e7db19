package io.volute.bookkeeper;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.tls.TLSContextFactory;
import org.apache.zookeeper.ClientCnxnSocketNetty;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.common.X509Exception;
import org.apache.zookeeper.common.X509Util;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;

/**
 * TLS of the clients of ZooKeeper and of the bookies. Both read changed files again for new
 * connections.
 *
 * @param authorities PEM file of the authorities of the servers; empty without TLS
 * @param identity PEM file with the private key and the certificate chain of this client; empty if
 *     it has none
 * @param isPrivate whether only clients with this identity may use the nodes in ZooKeeper
 */
public record ClientSecurity(
        Optional<Path> authorities, Optional<Path> identity, boolean isPrivate) {
    /** Plain connections, and nodes that everybody may change. */
    public static final ClientSecurity NONE =
            new ClientSecurity(Optional.empty(), Optional.empty(), false);

    private static final String AUTHORITIES = "log.bookkeeper.tls.ca";
    private static final String IDENTITY = "log.bookkeeper.tls.certificate";
    private static final String PEM = "PEM";
    private static final int PROBE_MILLIS = 2_000;
    private static final long RENEWAL_SECONDS = 10;

    /** Everybody who reaches ZooKeeper may change a node. Its client looks for null in this. */
    private static final List<ACL> OPEN =
            Collections.singletonList(new ACL(ZooDefs.Perms.ALL, new Id("world", "anyone")));

    /** Returns the rights to new nodes in ZooKeeper. */
    List<ACL> acl() {
        return isPrivate ? ZooDefs.Ids.CREATOR_ALL_ACL : OPEN;
    }

    /** Returns whether everybody has all rights. */
    static boolean isOpen(List<ACL> acl) {
        return acl.equals(OPEN);
    }

    /**
     * Checks the files, and secures all clients of ZooKeeper in this process. The client of
     * BookKeeper makes its own ones, and takes their options from system properties only.
     */
    void secureZooKeeper() throws IOException {
        if (authorities.isEmpty()) {
            return;
        }
        SSLContext unused = context();
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("zookeeper.client.secure", "true");
        properties.put("zookeeper.clientCnxnSocket", ClientCnxnSocketNetty.class.getName());
        properties.put("zookeeper.ssl.trustStore.location", authorities.get().toString());
        properties.put("zookeeper.ssl.trustStore.type", PEM);
        if (identity.isPresent()) {
            properties.put("zookeeper.ssl.keyStore.location", identity.get().toString());
            properties.put("zookeeper.ssl.keyStore.type", PEM);
        }
        properties.forEach(System::setProperty);
    }

    /** Secures the client of the bookies. */
    void secureBookies(ClientConfiguration options) {
        options.setZkEnableSecurity(isPrivate);
        if (authorities.isEmpty()) {
            return;
        }
        options.setTLSProvider("JDK");
        options.setTLSProviderFactoryClass(TLSContextFactory.class.getName());
        options.setTLSTrustStoreType(PEM);
        options.setTLSTrustStore(authorities.get().toString());
        options.setHostnameVerificationEnabled(true);
        options.setTLSCertFilesRefreshDurationSeconds(RENEWAL_SECONDS);
        if (identity.isPresent()) {
            options.setTLSClientAuthentication(true);
            options.setTLSKeyStoreType(PEM);
            options.setTLSKeyStore(identity.get().toString());
            options.setTLSCertificatePath(identity.get().toString());
        }
    }

    private SSLContext context() throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(), new TrustManager[] {trusted()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("TLS cannot be used: " + e.getMessage(), e);
        }
    }

    private X509TrustManager trusted() throws IOException {
        Path file = authorities.orElseThrow();
        try {
            return X509Util.createTrustManager(
                    file.toString(), "", PEM, false, false, false, false, false, true);
        } catch (X509Exception e) {
            throw new IOException(
                    AUTHORITIES
                            + " "
                            + file
                            + " cannot be used: write certificates as PEM ("
                            + e.getMessage()
                            + ")",
                    e);
        }
    }

    private KeyManager[] keys() throws IOException {
        if (identity.isEmpty()) {
            return new KeyManager[0];
        }
        try {
            X509KeyManager own = X509Util.createKeyManager(identity.get().toString(), "", PEM);
            return new KeyManager[] {own};
        } catch (X509Exception e) {
            throw new IOException(
                    IDENTITY
                            + " "
                            + identity.get()
                            + " cannot be used: write the private key as unencrypted PKCS#8 and its"
                            + " certificate chain as PEM into this one file ("
                            + e.getMessage()
                            + ")",
                    e);
        }
    }

    /**
     * Returns why TLS with ZooKeeper fails; empty if it does not, or without TLS.
     *
     * @param servers as HOST:PORT with commas between them
     */
    Optional<String> refusal(String servers) throws IOException {
        if (authorities.isEmpty()) {
            return Optional.empty();
        }
        SSLContext context = context();
        for (String server : servers.split(",", -1)) {
            Optional<String> reason = refusal(context, server);
            if (reason.isPresent()) {
                return reason.map(
                        text ->
                                "no TLS connection to ZooKeeper at "
                                        + server
                                        + " ("
                                        + text
                                        + "): log.bookkeeper.zookeeper must name its"
                                        + " secureClientPort, "
                                        + AUTHORITIES
                                        + " must have the authority of its certificate, which"
                                        + " names that host, and it must trust "
                                        + IDENTITY);
            }
        }
        return Optional.empty();
    }

    private static Optional<String> refusal(SSLContext context, String server) {
        int colon = server.lastIndexOf(':');
        String host = server.substring(0, colon);
        int port = Integer.parseInt(server.substring(colon + 1));
        try (Socket raw = new Socket()) {
            raw.connect(new InetSocketAddress(host, port), PROBE_MILLIS);
            raw.setSoTimeout(PROBE_MILLIS);
            try (SSLSocket socket =
                    (SSLSocket) context.getSocketFactory().createSocket(raw, host, port, true)) {
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                socket.setSSLParameters(parameters);
                socket.startHandshake();
                // With TLS 1.3 the server refuses a certificate after the handshake.
                return socket.getInputStream().read() < 0
                        ? Optional.of("it closes the connection")
                        : Optional.empty();
            }
        } catch (SSLException e) {
            return Optional.of(e.getMessage());
        } catch (IOException e) {
            // It cannot be reached, or is silent after the handshake.
            return Optional.empty();
        }
    }
}
