package io.volute.server.outbound;

import java.io.IOException;
import java.net.Socket;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** TLS over open connections. */
public final class Tls {
    private Tls() {}

    /**
     * Secures a connection, and checks that the certificate is of the host.
     *
     * @param raw closed with the returned socket
     */
    public static SSLSocket over(Socket raw, SSLSocketFactory tls, String host, int port)
            throws IOException {
        String name = host.replaceAll("[\\[\\]]", "");
        SSLSocket socket = (SSLSocket) tls.createSocket(raw, name, port, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }
}
