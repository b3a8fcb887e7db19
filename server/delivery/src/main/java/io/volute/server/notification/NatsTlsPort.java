package io.volute.server.notification;

import io.nats.client.Options;
import io.nats.client.impl.NatsServerPool;
import io.nats.client.impl.SocketDataPortWithWriteTimeout;
import io.volute.server.outbound.Tls;
import java.io.IOException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * A connection to NATS that checks whether the certificate is of the configured host. The library
 * checks the issuer alone. Public, because the library creates it by name.
 */
public final class NatsTlsPort extends SocketDataPortWithWriteTimeout {
    private NamedServer server;

    /** The server of a connection under its configured name, for the certificate. */
    static final class NamedServer extends NatsServerPool {
        private final String host;
        private final SSLSocketFactory tls;

        NamedServer(String host, SSLSocketFactory tls) {
            this.host = host;
            this.tls = tls;
        }
    }

    @Override
    public void afterConstruct(Options options) {
        super.afterConstruct(options);
        server = (NamedServer) options.getServerPool();
    }

    @Override
    public void upgradeToSecure() throws IOException {
        SSLSocket secured = Tls.over(socket, server.tls, server.host, port);
        socket = secured;
        in = secured.getInputStream();
        out = secured.getOutputStream();
        isSecure = true;
    }
}
